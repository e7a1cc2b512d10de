'use strict'

const { fork, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { between, readThreads } = require('../checks/kernel')
const { SERVER_CORE } = require('./load')
const { watchers } = require('../watchers')

const SERVER = path.join(__dirname, 'server.js')
const STDERR_CHARACTERS = 2000
const MS_PER_S = 1000

/** Until the watchdog has counted the last request. */
const COUNTED_WITHIN_MS = 2000
const POLL_MS = 50

/**
 * Usage of all threads since the start. counted: requests that the watcher has counted, null where it counts none.
 * isSeen: false = the watcher has seen no request.
 * @typedef {{ cpuMs: number, rssMb: number, answered: number, counted: number | null, isSeen: boolean }} Usage
 */

/**
 * Moves all threads of a process to a core, on Linux.
 * @param {number | undefined} pid
 * @param {number} core
 */
function pin (pid, core) {
  if (process.platform === 'linux') spawnSync('taskset', ['-a', '-c', '-p', `${core}`, `${pid}`])
}

/** A server in a process of its own, watched by something or by nothing. */
class ServerProcess {
  #child
  #dir
  #stderr = ''
  #fromMs = performance.now()
  #hello
  url = ''
  /** Time to set up the watcher, without loading its modules. */
  startMs = 0
  /** From the start of the process until it listened. */
  startUpMs = 0

  /** @param {string} variant @param {{ server: string, handler: string }} params */
  constructor (variant, { server, handler }) {
    this.#dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-overhead-'))
    const { env = {}, cwd } = watchers[variant].around?.({ dir: this.#dir }) ?? {}
    this.#child = fork(SERVER, { cwd, env: { ...process.env, ...env, WATCH: variant, SERVER: server, HANDLER: handler }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    // The message may come while another one is awaited.
    this.#hello = this.#answer()
    this.#hello.catch(() => {})
    this.#child.stderr?.setEncoding('utf8').on('data', (text) => { this.#stderr = (this.#stderr + text).slice(-STDERR_CHARACTERS) })
  }

  async ready () {
    const { url, startMs } = await this.#hello
    this.url = url
    this.startMs = startMs
    this.startUpMs = performance.now() - this.#fromMs
    this.runOn(SERVER_CORE)
  }

  /** Agent and server share a core, as they do where a container has one. @param {number} core */
  runOn (core) {
    pin(this.#child.pid, core)
  }

  /** @returns {Promise<Usage>} */
  async usage () {
    this.#child.send('usage')
    return this.#answer()
  }

  /**
   * Usage of an idle server. If the kernel has the figures, the process is not asked, because that would wake it.
   * @param {number} seconds
   * @returns {Promise<{ cpuPercent: number, wakeUpsPerSecond: number | null }>} cpuPercent: of a core; null: not told
   */
  async idle (seconds) {
    const pid = Number(this.#child.pid)
    const [fromMs, threads] = [performance.now(), readThreads(pid)]
    const from = threads === null ? (await this.usage()).cpuMs : 0
    await sleep(seconds * MS_PER_S)
    const after = readThreads(pid)
    const elapsedMs = performance.now() - fromMs
    if (threads !== null && after !== null) return between(threads, after, elapsedMs)
    return { cpuPercent: ((await this.usage()).cpuMs - from) / elapsedMs * 100, wakeUpsPerSecond: null }
  }

  /**
   * An agent must count the requests that the server answered, and a watcher of requests must have seen them.
   * @param {any} context
   */
  async checkCount (context) {
    const untilMs = performance.now() + COUNTED_WITHIN_MS
    let usage = await this.usage()
    while (usage.counted !== null && usage.counted !== usage.answered && performance.now() < untilMs) {
      await sleep(POLL_MS)
      usage = await this.usage()
    }
    const { counted, answered, isSeen } = usage
    if (counted !== null) context.checkEqual(counted, answered, `the number of requests (${counted} counted, ${answered} answered)`)
    context.check(isSeen, 'the watcher has seen no request')
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
exports.pin = pin
