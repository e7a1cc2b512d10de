'use strict'

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { createInterface } = require('node:readline')
const { setTimeout: sleep } = require('node:timers/promises')
const { codedError, codedErrorFrom } = require('../../tables/errors')
const { IS_WINDOWS, POLL_MS, STOP_MS, signalGroup } = require('./signals')
const { MS_PER_S } = require('../../util/units')

/** The first executable on the PATH. @param {string[]} names @param {NodeJS.ProcessEnv} [env] */
exports.findTool = (names, env = process.env) => {
  const folders = (env.PATH ?? env.Path ?? '').split(path.delimiter).filter(Boolean)
  for (const name of names) {
    for (const folder of folders) {
      const file = path.join(folder, process.platform === 'win32' ? `${name}.exe` : name)
      if (isExecutable(file)) return file
    }
  }
  return null
}

/** @param {string} file */
function isExecutable (file) {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** How long a program may take until it listens. */
const READY_MS = 60000
exports.TAIL_CHARACTERS = 2000

/** A third-party program. It runs until we end it. */
class Tool {
  /** @type {string | undefined} where it answers, after ready() */
  url
  #process
  #closed
  #isEnding = false
  /** @type {Error | undefined} why it did not start */
  #failure
  #tail = ''

  /**
   * @param {string} name for people @param {string} file @param {string[]} args
   * @param {{ env?: Record<string, string>, onLine?: (text: string) => void }} [options]
   */
  constructor (name, file, args, { env = {}, onLine } = {}) {
    this.name = name
    // Its own process group: the terminal sends Ctrl-C to ours, and we end the tools in order.
    this.#process = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: !IS_WINDOWS, windowsHide: true })
    const { stdout, stderr } = this.#process
    for (const stream of [stdout, stderr]) {
      stream.setEncoding('utf8').on('data', (text) => { this.#tail = (this.#tail + text).slice(-exports.TAIL_CHARACTERS) })
    }
    if (onLine) createInterface({ input: stdout }).on('line', onLine)
    this.#closed = /** @type {Promise<string>} */ (new Promise((resolve) => {
      this.#process.once('error', (error) => {
        this.#failure = error
        resolve(error.message)
      })
      this.#process.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal))
    }))
    /** Rejects with the last output if the tool ends unasked. Never resolves. @type {Promise<never>} */
    this.died = new Promise((_resolve, reject) => {
      this.#closed.then((how) => {
        if (!this.#isEnding) reject(codedErrorFrom(this.#failure, 'LOOPWATCH_ERR_TOOL_ENDED', name, `has ended (${how})`, this.#tail.trim()))
      })
    })
    // While other tools end, there may be no listener: no unhandled rejection then.
    this.died.catch(() => {})
  }

  /** Returns when its URL answers with success, or the tool is being ended. @param {string} url */
  async ready (url) {
    this.url = url
    const end = performance.now() + READY_MS
    const isUp = () => fetch(url, { signal: AbortSignal.timeout(MS_PER_S) }).then(({ ok }) => ok, () => false)
    while (!await Promise.race([isUp(), this.died])) {
      if (this.#isEnding) return
      if (performance.now() > end) throw codedError('LOOPWATCH_ERR_TOOL_ENDED', this.name, `does not answer within ${READY_MS / MS_PER_S} s`, this.#tail.trim())
      await sleep(POLL_MS)
    }
  }

  async end () {
    this.#isEnding = true
    this.#process.kill('SIGTERM')
    const insist = setTimeout(() => this.kill(), STOP_MS)
    await this.#closed
    clearTimeout(insist)
  }

  kill () {
    this.#isEnding = true
    const { exitCode, signalCode } = this.#process
    if (exitCode === null && signalCode === null) signalGroup(this.#process, 'SIGKILL')
  }
}

exports.READY_MS = READY_MS
exports.Tool = Tool
