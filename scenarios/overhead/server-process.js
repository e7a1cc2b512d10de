'use strict'

const { fork, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { SERVER_CORE } = require('./load')
const { watchers } = require('./watchers')

const SERVER = path.join(__dirname, 'server.js')
const STDERR_CHARACTERS = 2000

/** @typedef {{ cpuMs: number, rssMb: number, answered: number, counted: number | null }} Usage of all threads, since its start */

/** A server in a process of its own, watched by something or by nothing. */
class ServerProcess {
  #child
  #dir
  #stderr = ''
  url = ''
  /** What setting up the watcher took, its modules loaded. */
  startMs = 0

  /** @param {string} variant @param {{ server: string, handler: string }} params */
  constructor (variant, { server, handler }) {
    this.#dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-overhead-'))
    const { env = {}, cwd } = watchers[variant].around?.({ dir: this.#dir }) ?? {}
    this.#child = fork(SERVER, { cwd, env: { ...process.env, ...env, WATCH: variant, SERVER: server, HANDLER: handler }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    this.#child.stderr?.setEncoding('utf8').on('data', (text) => { this.#stderr = (this.#stderr + text).slice(-STDERR_CHARACTERS) })
  }

  async ready () {
    const { url, startMs } = await this.#answer()
    this.url = url
    this.startMs = startMs
    this.runOn(SERVER_CORE)
  }

  /**
   * Moves all threads to a core, on Linux: agent and server share one, as they do where a container has one.
   * @param {number} core
   */
  runOn (core) {
    if (process.platform === 'linux') spawnSync('taskset', ['-a', '-c', '-p', `${core}`, `${this.#child.pid}`])
  }

  /** @returns {Promise<Usage>} */
  async usage () {
    this.#child.send('usage')
    return this.#answer()
  }

  /** CPU time while nothing happens, % of a core. @param {number} seconds */
  async idlePercent (seconds) {
    const from = await this.usage()
    await sleep(seconds * 1000)
    return ((await this.usage()).cpuMs - from.cpuMs) / (seconds * 10)
  }

  stop () {
    this.#child.kill('SIGKILL')
    fs.rmSync(this.#dir, { recursive: true, force: true, maxRetries: 3 })
  }

  /** @returns {Promise<any>} */
  async #answer () {
    const over = new AbortController()
    const ended = once(this.#child, 'exit', { signal: over.signal }).then(([code, signal]) => {
      throw new Error(`the server ended (${signal ?? `exit code ${code}`}): ${this.#stderr.trim()}`)
    })
    try {
      return (await Promise.race([once(this.#child, 'message', { signal: over.signal }), ended]))[0]
    } finally {
      ended.catch(() => {})
      over.abort()
    }
  }
}

exports.ServerProcess = ServerProcess
