'use strict'

const { existsSync } = require('node:fs')
const { isReadable, variable } = require('../options/environment')
const { setTimeout, clearTimeout } = require('node:timers')
const { Worker } = require('node:worker_threads')
const { entryPoint, OWN_FOLDER } = require('../tables/entry-points')
const { codedError } = require('../tables/errors')
const { CALL, STOP, LISTENING, REPLY, BLOCK, FOLLOW, PROFILE, TRACK, WARN, SOURCE_MAP, SPAN } = require('../bridge/messages')
const { nowMs, ownEpochMs } = require('../util/clock')
const { hiddenProperty } = require('../util/define-hidden')
const { holdStdio } = require('../util/files')
const { CompiledFiles, sourceMapOf } = require('./compiled-files')

const ENTRY = entryPoint('watchdog')
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60000
const STOP_TIMEOUT_MS = 1000

/** What has not ended by force after this time is left behind: a file system that hangs has one of its threads. */
const LEAVE_MS = 200

/**
 * How many watchdogs this process has had, of whichever agent and copy of the package: each numbers its
 * blocks under its own life, and in a cluster's worker counts from where it began.
 */
const kStarts = Symbol.for('loopwatch.starts.1')
/** Whether a worker thread that begins at this moment is a watchdog's. */
let isStarting = false

const registry = /** @type {Record<symbol, number | undefined>} */ (/** @type {unknown} */ (globalThis))

/**
 * A heap limit turns an out-of-memory of our thread into an error here instead of an abort of the
 * process; the young generation is kept small because it is what idle threads hold on to.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 256 }

/**
 * @typedef {object} Handlers of what the watchdog says
 * @property {(url: string | null) => void} onListening
 * @property {(record: any) => void} onBlock
 * @property {(span: import('../types').BlockSpan) => void} onSpan
 * @property {(on: boolean) => void} onFollow
 * @property {(message: any) => void} onTrack
 * @property {(action: import('../types').ProfilerAction) => void} onProfile
 * @property {(message: string) => void} onWarning
 * @property {(error: Error) => void} onLost the thread has ended, or cannot be started
 */

/**
 * The life of the watchdog's thread: start, calls, restart with back-off, stop. Never throws;
 * while there is no thread, calls give their fallback.
 */
class WatchdogThread {
  /** @type {Worker | null} */
  #worker = null
  compiled = new CompiledFiles()
  /** @type {Map<number, { resolve: (value: any) => void, fallback: unknown }>} */
  #calls = new Map()
  #lastCall = 0
  #retryMs = FIRST_RETRY_MS
  /** @type {NodeJS.Timeout | undefined} */
  #retry
  #stopped = false
  /** What frees the descriptors below 3 that are held. @type {(() => void)[]} */
  #holds = []
  #makeData
  #handlers

  /**
   * @param {() => object} makeData workerData of each start
   * @param {Handlers} handlers
   */
  constructor (makeData, handlers) {
    this.#makeData = makeData
    this.#handlers = handlers
    this.#start()
  }

  #start () {
    try {
      if (!isReadable()) throw new Error('process.env cannot be read, as Node.js does at each message of a thread')
      if (OWN_FOLDER === null || !existsSync(ENTRY)) throw codedError('LOOPWATCH_ERR_BUNDLED', ENTRY)
      this.#holds.push(holdStdio())
      isStarting = true
      const timeZone = variable('TZ')
      const worker = new Worker(ENTRY, {
        name: 'loopwatch',
        workerData: { ...this.#makeData(), epochMs: ownEpochMs(), starts: countStart(), begunAtMs: nowMs() },
        // Neither the application's preloads nor its environment: our thread must not instrument
        // itself, nor take itself for a cluster worker.
        execArgv: [],
        env: timeZone === undefined ? {} : { TZ: timeZone },
        resourceLimits: RESOURCE_LIMITS,
        // Our thread writes to files itself. Left to Node.js, its streams would be piped into the
        // application's, which would make those at start(): 1 ms.
        stdout: true,
        stderr: true
      })
      let reason = new Error('the watchdog thread ended')
      worker.on('message', (message) => this.#receive(message))
      worker.on('error', (error) => { reason = error })
      worker.on('exit', () => this.#lose(reason))
      worker.unref()
      this.#worker = worker
    } catch (error) {
      this.#lose(error)
    } finally {
      isStarting = false
    }
  }

  /**
   * @param {{ code: number, id: number, value: unknown, url: string | null, record: unknown, on: boolean, message:
   * string, file: string, action: import('../types').ProfilerAction, span: import('../types').BlockSpan }} message
   */
  #receive (message) {
    if (message.code === LISTENING) {
      this.#retryMs = FIRST_RETRY_MS
      this.#handlers.onListening(message.url)
    } else if (message.code === BLOCK) {
      this.#handlers.onBlock(message.record)
    } else if (message.code === SPAN) {
      this.#handlers.onSpan(message.span)
    } else if (message.code === FOLLOW) {
      this.#handlers.onFollow(message.on)
    } else if (message.code === WARN) {
      this.#handlers.onWarning(message.message)
    } else if (message.code === REPLY) {
      this.#settle(message.id, message.value)
    } else if (message.code === TRACK) {
      this.#handlers.onTrack(message)
    } else if (message.code === PROFILE) {
      this.#handlers.onProfile(message.action)
    } else if (message.code === SOURCE_MAP) {
      this.post({ code: SOURCE_MAP, file: message.file, ...sourceMapOf(message.file) })
    }
  }

  /** @param {number} id @param {unknown} value */
  #settle (id, value) {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    if (this.#calls.size === 0) this.#worker?.unref()
    call?.resolve(value ?? call.fallback)
  }

  /** @param {Error} error */
  #lose (error) {
    this.#worker = null
    for (const [id, { fallback }] of this.#calls) this.#settle(id, fallback)
    if (this.#stopped) return
    this.#handlers.onLost(error)
    this.#retry = setTimeout(() => this.#start(), this.#retryMs).unref()
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS)
  }

  /** Keeps the process alive until the thread has answered (or not: a process waits only for what it awaits). */
  ref () {
    this.#worker?.ref()
  }

  unref () {
    if (this.#calls.size === 0) this.#worker?.unref()
  }

  /**
   * @template T
   * @param {string} method
   * @param {T} fallback what the caller gets when there is no thread to ask
   * @returns {Promise<T>}
   */
  call (method, fallback) {
    const worker = this.#worker
    if (worker === null) return Promise.resolve(fallback)
    return new Promise((resolve) => {
      const id = ++this.#lastCall
      this.#calls.set(id, { resolve, fallback })
      worker.ref()
      worker.postMessage({ code: CALL, id, method })
    })
  }

  /** Tells the thread, if there is one: what must outlive it belongs into makeData too. @param {object} message */
  post (message) {
    this.#worker?.postMessage(message)
  }

  /**
   * The source map of a file that is compiled in memory is in another file.
   * @param {string} file
   * @param {string} mapFile
   */
  mapFile (file, mapFile) {
    this.post({ code: SOURCE_MAP, file, mapFile })
  }

  /** Tells the thread the source maps that it would ask for later. */
  tellMaps () {
    this.compiled.tell((file, map) => this.post({ code: SOURCE_MAP, file, ...map }))
  }

  /** Ends the thread: by itself if it can, by force after a second. It is not waited for much longer. */
  async stop () {
    this.#stopped = true
    clearTimeout(this.#retry)
    const worker = this.#worker
    if (worker !== null) await this.#end(worker)
    this.#holds.splice(0).forEach((free) => free())
  }

  /** @param {Worker} worker */
  async #end (worker) {
    await new Promise((resolve) => {
      let force = setTimeout(() => {
        worker.terminate()
        force = setTimeout(() => {
          worker.unref()
          resolve(undefined)
        }, LEAVE_MS)
      }, STOP_TIMEOUT_MS)
      worker.once('exit', () => {
        clearTimeout(force)
        resolve(undefined)
      })
      worker.ref()
      worker.postMessage({ code: STOP })
    })
  }
}

/** @returns {number} starts before this one */
function countStart () {
  const starts = registry[kStarts] ?? 0
  // False where an application has frozen its globals.
  Reflect.defineProperty(globalThis, kStarts, hiddenProperty(starts + 1))
  return starts
}

exports.WatchdogThread = WatchdogThread
exports.isStarting = () => isStarting
exports.RESOURCE_LIMITS = RESOURCE_LIMITS
