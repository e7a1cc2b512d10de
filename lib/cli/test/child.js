'use strict'

const { spawn } = require('node:child_process')
const os = require('node:os')
const { entryPoint } = require('../../tables/entry-points')
const { codedErrorFrom } = require('../../tables/errors')
const { ENDING, IS_WINDOWS, ONE_PRESS_MS } = require('../common/signals')

/** @import { Setup } from './inside/preload' */

const PRELOAD = entryPoint('testPreload')
/** Exit code of a shell for a program that a signal ended, to which it adds the signal's number. */
const SIGNAL_BASE = 128

/** @type {Record<string, string>} */
const REASONS = { ENOENT: 'not found', EACCES: 'it may not be executed' }

/** npx and npm need cmd.exe: quoted for the program, then escaped for cmd.exe. @param {string[]} command */
exports.windowsLine = ([file, ...args]) => {
  const escaped = (/** @type {string} */ text) => text.replace(/[()[\]%!^"`<>&|;, *?]/g, '^$&')
  const quoted = (/** @type {string} */ arg) => `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
  return [file, ...args.map(quoted)].map(escaped).join(' ')
}

/** Loads our preload in every Node.js process. @param {Setup} setup */
exports.watchedEnv = (setup) => {
  // Tests that block must not alert anybody: LOOPWATCH_NOTIFY is left out.
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, LOOPWATCH_NOTIFY, ...env } = process.env
  const preload = `--require "${PRELOAD.replace(/[\\"]/g, '\\$&')}"`
  return {
    ...env,
    NODE_OPTIONS: [preload, NODE_OPTIONS].filter(Boolean).join(' '),
    __LOOPWATCH_TEST: JSON.stringify(setup)
  }
}

/**
 * Uses our standard streams. A terminal sends Ctrl-C to both of us. We pass on other signals, and a SIGINT that is not
 * a terminal's. The second signal kills the command at once.
 * @param {string[]} command @param {{ env: NodeJS.ProcessEnv, isQuiet?: boolean, cwd?: string }} how
 * @returns {Promise<{ code: number, isInterrupted: boolean }>} the exit code as a shell reports it
 */
exports.runCommand = ([file, ...args], { env, isQuiet = false, cwd }) => new Promise((resolve, reject) => {
  const stdio = isQuiet ? 'ignore' : 'inherit'
  const child = IS_WINDOWS
    ? spawn(exports.windowsLine([file, ...args]), { env, cwd, stdio, shell: true })
    : spawn(file, args, { env, cwd, stdio })
  let firstMs = 0
  /** @type {NodeJS.Signals | null} */
  let received = null
  const onSignal = (/** @type {NodeJS.Signals} */ signal) => {
    if (received === null) {
      received = signal
      firstMs = performance.now()
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    } else if (performance.now() - firstMs >= ONE_PRESS_MS) child.kill('SIGKILL')
  }
  for (const signal of ENDING) process.on(signal, onSignal)
  const release = () => { for (const signal of ENDING) process.off(signal, onSignal) }
  child.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    release()
    reject(codedErrorFrom(error, 'LOOPWATCH_ERR_COMMAND', file, REASONS[error.code ?? ''] ?? error.message))
  })
  child.once('close', (code, signal) => {
    release()
    const ending = received ?? signal
    resolve({
      code: ending === null ? code ?? 0 : SIGNAL_BASE + os.constants.signals[ending],
      isInterrupted: received !== null
    })
  })
})
