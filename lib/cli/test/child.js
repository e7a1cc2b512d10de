'use strict'

const { spawn } = require('node:child_process')
const os = require('node:os')
const { entryPoint } = require('../../tables/entry-points')
const { codedErrorFrom } = require('../../tables/errors')
const { EXIT_INTERRUPTED } = require('../common/failure')

const IS_WINDOWS = process.platform === 'win32'
const PRELOAD = entryPoint('testPreload')
/** As a shell has it of a program that a signal has ended. */
const SIGNAL_BASE = 128
/** Under npx one Ctrl-C comes twice: from the terminal, and passed on by npm. */
const ONE_PRESS_MS = 300

/** @type {Record<string, string>} */
const REASONS = { ENOENT: 'not found', EACCES: 'it may not be executed' }

/**
 * A command as cmd.exe takes it, which it needs for npx and npm: each argument is quoted for the program, and what
 * cmd.exe would heed itself is escaped.
 * @param {string[]} command
 */
exports.windowsLine = ([file, ...args]) => {
  const escaped = (/** @type {string} */ text) => text.replace(/[()[\]%!^"`<>&|;, *?]/g, '^$&')
  const quoted = (/** @type {string} */ arg) => `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
  return [file, ...args.map(quoted)].map(escaped).join(' ')
}

/** The environment in which every Node.js process has our preload. @param {import('./inside/preload').Setup} setup */
exports.watchedEnv = (setup) => {
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...env } = process.env
  const preload = `--require "${PRELOAD.replace(/[\\"]/g, '\\$&')}"`
  return { ...env, NODE_OPTIONS: [preload, NODE_OPTIONS].filter(Boolean).join(' '), __LOOPWATCH_TEST: JSON.stringify(setup) }
}

/**
 * Runs a command until it ends, with our standard streams. A terminal sends Ctrl-C to both of us; any other signal, and
 * one that did not come from a terminal, is passed on. The second ends the command at once.
 * @param {string[]} command
 * @param {{ env: NodeJS.ProcessEnv, isQuiet?: boolean, cwd?: string }} how
 * @returns {Promise<{ code: number, isInterrupted: boolean }>} the code as a shell has it
 */
exports.runCommand = ([file, ...args], { env, isQuiet = false, cwd }) => new Promise((resolve, reject) => {
  const stdio = isQuiet ? 'ignore' : 'inherit'
  const child = IS_WINDOWS
    ? spawn(exports.windowsLine([file, ...args]), { env, cwd, stdio, shell: true })
    : spawn(file, args, { env, cwd, stdio })
  let firstMs = -Infinity
  /** @type {NodeJS.Signals | null} */
  let received = null
  const onSignal = (/** @type {NodeJS.Signals} */ signal) => {
    if (received !== null && performance.now() - firstMs < ONE_PRESS_MS) return
    const isSecond = received !== null
    if (!isSecond) firstMs = performance.now()
    received ??= signal
    if (isSecond) child.kill('SIGKILL')
    else if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
  for (const signal of signals) process.on(signal, onSignal)
  const release = () => { for (const signal of signals) process.off(signal, onSignal) }
  child.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    release()
    reject(codedErrorFrom(error, 'LOOPWATCH_ERR_COMMAND', file, REASONS[error.code ?? ''] ?? error.message))
  })
  child.once('close', (code, signal) => {
    release()
    const own = code ?? SIGNAL_BASE + (signal === null ? 0 : os.constants.signals[signal])
    const ours = received === null ? own : received === 'SIGINT' ? EXIT_INTERRUPTED : SIGNAL_BASE + os.constants.signals[received]
    resolve({ code: ours, isInterrupted: received !== null })
  })
})
