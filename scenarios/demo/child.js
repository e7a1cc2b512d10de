'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')

/** The shop may be in the middle of a block of a second or two and hears nothing until it ends. */
const PATIENCE_MS = 5000
/** A child process of the demo. */
class Child {
  #process
  #closed
  #isEnding = false

  /**
   * @param {string} name of the file next to this one
   * @param {string[]} args
   * @param {Record<string, string>} env in addition to ours
   * @param {(code: number | null, signal: string | null) => void} onDeath that nobody asked for
   */
  constructor (name, args, env, onDeath) {
    this.#process = fork(path.join(__dirname, `${name}.js`), args, {
      env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit', 'ipc']
    })
    // 'close' comes when the output has been read to its end, 'exit' maybe before.
    this.#closed = once(this.#process, 'close').then(([code, signal]) => {
      if (!this.#isEnding) onDeath(code, signal)
    })
  }

  get pid () {
    return this.#process.pid
  }

  get stdout () {
    return /** @type {import('node:stream').Readable} */ (this.#process.stdout)
  }

  /** Asks it to end, insists after a while. */
  async end () {
    this.#isEnding = true
    this.#process.kill('SIGTERM')
    const insist = setTimeout(() => this.#process.kill('SIGKILL'), PATIENCE_MS)
    await this.#closed
    clearTimeout(insist)
  }
}

exports.Child = Child
