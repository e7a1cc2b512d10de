'use strict'

const { spawn } = require('node:child_process')
const { setTimeout: sleep } = require('node:timers/promises')
const { codedError, codedErrorFrom } = require('../../tables/errors')

const IS_WINDOWS = process.platform === 'win32'
/** Prometheus writes what it holds in memory when it ends, in well under a second where that is little. */
const PATIENCE_MS = 8000
const READY_MS = 60000
const POLL_MS = 100
/** Of what it printed, for whoever reads why it ended. */
const TAIL_CHARACTERS = 2000

/** A program of somebody else's that runs until it is ended. */
class Tool {
  #name
  #process
  #closed
  #isEnding = false
  /** @type {Error | undefined} of a tool that does not start */
  #failure
  #tail = ''

  /**
   * @param {string} name for people
   * @param {string} file
   * @param {string[]} args
   * @param {{ env?: Record<string, string>, onOutput?: (text: string) => void }} [options]
   */
  constructor (name, file, args, { env = {}, onOutput } = {}) {
    this.#name = name
    // A group of its own: a terminal sends Ctrl-C to ours, and we end the tools in their order.
    this.#process = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: !IS_WINDOWS, windowsHide: true })
    const { stdout, stderr } = this.#process
    for (const stream of [stdout, stderr]) {
      stream.setEncoding('utf8').on('data', (text) => { this.#tail = (this.#tail + text).slice(-TAIL_CHARACTERS) })
    }
    if (onOutput) stdout.on('data', onOutput)
    this.#closed = /** @type {Promise<string>} */ (new Promise((resolve) => {
      this.#process.once('error', (error) => {
        this.#failure = error
        resolve(error.message)
      })
      this.#process.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal))
    }))
    /** Rejects where it ends unasked, with its last words; else it stays pending. @type {Promise<never>} */
    this.died = new Promise((_resolve, reject) => {
      this.#closed.then((how) => {
        if (!this.#isEnding) reject(codedErrorFrom(this.#failure, 'LOOPWATCH_ERR_TOOL_ENDED', name, how, this.#tail.trim()))
      })
    })
    // Whoever waits for it hears of it; nobody may, while the others are being ended.
    this.died.catch(() => {})
  }

  /** Waits until an address answers 200, or it is ended. @param {string} url */
  async ready (url) {
    const end = performance.now() + READY_MS
    const isUp = () => fetch(url, { signal: AbortSignal.timeout(POLL_MS * 10) }).then(({ ok }) => ok, () => false)
    while (!await Promise.race([isUp(), this.died])) {
      if (this.#isEnding) return
      if (performance.now() > end) throw codedError('LOOPWATCH_ERR_TOOL_ENDED', this.#name, `not ready within ${READY_MS / 1000} s`, this.#tail.trim())
      await sleep(POLL_MS)
    }
  }

  /** Asks it to end, insists after a while; idempotent. */
  async end () {
    this.#isEnding = true
    this.#process.kill('SIGTERM')
    const insist = setTimeout(() => this.kill(), PATIENCE_MS)
    await this.#closed
    clearTimeout(insist)
  }

  /** Ends it and all it has started, at once. */
  kill () {
    this.#isEnding = true
    const { pid, exitCode, signalCode } = this.#process
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    try {
      process.kill(IS_WINDOWS ? pid : -pid, 'SIGKILL')
    } catch {
      // It ended in this moment.
    }
  }
}

exports.Tool = Tool
