'use strict'

const { existsSync } = require('node:fs')
const { isReadable, variable } = require('../options/environment')
const { setTimeout, clearTimeout } = require('node:timers')
const { Worker } = require('node:worker_threads')
const { entryPoint, OWN_FOLDER } = require('../tables/entry-points')
const { codedError, LoopwatchError } = require('../tables/errors')
const { CALL, STOP, LISTENING, REPLY, RESOURCES, SOURCE_MAP } = require('../bridge/messages')
const { nowMs, ownEpochMs } = require('../util/clock')
const { share } = require('../util/globals')
const { holdStdio } = require('../util/files')
const { lackOfRoom } = require('../util/room')
const process = require('../util/process')
const { CompiledFiles, sourceMapOf } = require('./compiled-files')
const { mainFile } = require('./launchers')

/** @import { Hold } from './host-sensors' */

const ENTRY = entryPoint('watchdog')
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60000
const STOP_TIMEOUT_MS = 1000

/** A thread that terminate() does not end in this time is left behind: it may hang in a file system. */
const LEAVE_MS = 200

/** Threads that the process must be able to start: ours, V8's profiler, libuv's pool of four, and two to spare. */
const THREADS = 8

/** Count of the watchdogs of this process, of any copy of the package. It is part of the ids of blocks. */
const kStarts = Symbol.for('loopwatch.starts.1')
/** Whether a worker thread that begins at this moment is the watchdog's. */
let isStarting = false

const registry = /** @type {Record<symbol, number | undefined>} */ (/** @type {unknown} */ (globalThis))

/**
 * A heap limit turns our out-of-memory into an error; without one the process aborts. The young generation is small, as
 * idle threads hold on to it. V8 would reserve 512 MB of address space for machine code, and abort a process that may
 * not have them (`ulimit -v`). The watchdog needs 3.4 MB of that range under load (26.10).
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 256, codeRangeSizeMb: 64 }

/**
 * @typedef {object} Handlers
 * @property {Hold} hold
 * @property {(url: string | null) => void} onListening
 * @property {Record<number, (message: any) => void>} onMessage by the code of the message (lib/bridge/messages.js)
 * @property {(error: Error) => void} onLost the thread has ended, or cannot be started
 */

/** Counts of this process's active resources by type, and the size of its thread pool. Never throws. */
function activeResources () {
  /** @type {Record<string, number>} */
  const counts = {}
  try {
    for (const type of process.getActiveResourcesInfo()) counts[type] = (counts[type] ?? 0) + 1
  } catch {
    // The application has replaced a function that Node.js uses for this.
  }
  const size = Number.parseInt(variable('UV_THREADPOOL_SIZE') ?? '', 10)
  // libuv has 4 threads by default, and 1024 at most.
  return { counts, threads: size > 0 ? Math.min(size, 1024) : 4 }
}

/** The life of the watchdog's thread. Never throws; while there is no thread, calls return their fallback. */
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
  /** @type {NodeJS.Timeout | undefined} */
  #force
  #stopped = false
  /** Release the descriptors below 3 that are held. @type {(() => void)[]} */
  #holds = []
  #makeData
  #handlers

  /** @param {() => object} makeData workerData of each start @param {Handlers} handlers */
  constructor (makeData, handlers) {
    this.#makeData = makeData
    this.#handlers = handlers
    handlers.hold(() => this.#start())
  }

  #start () {
    try {
      if (!isReadable()) {
        throw new Error('process.env cannot be read, and Node.js reads it for every message between threads')
      }
      if (OWN_FOLDER === null || !existsSync(ENTRY)) throw codedError('LOOPWATCH_ERR_BUNDLED', ENTRY)
      const lack = lackOfRoom(THREADS)
      if (lack !== null) throw new Error(lack)
      this.#holds.push(holdStdio())
      isStarting = true
      const timeZone = variable('TZ')
      const worker = new Worker(ENTRY, {
        name: 'loopwatch',
        workerData: {
          ...this.#makeData(), main: mainFile(), epochMs: ownEpochMs(), starts: countStart(), begunAtMs: nowMs()
        },
        // Without the application's preloads and environment, our thread instruments nothing and joins no cluster.
        execArgv: [],
        env: timeZone === undefined ? {} : { TZ: timeZone },
        resourceLimits: RESOURCE_LIMITS,
        // Node.js would otherwise pipe the streams into the application's and create those at start(), in 1 ms.
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

  /** @param {any} message */
  #receive (message) {
    const { code, file } = message
    if (code === LISTENING) {
      this.#retryMs = FIRST_RETRY_MS
      this.#handlers.onListening(message.url)
    } else if (code === REPLY) {
      this.#settle(message.id, message.value)
    } else if (code === RESOURCES) {
      this.post({ code, ...activeResources() })
    } else if (code === SOURCE_MAP) {
      this.post({ code, file, ...this.#handlers.hold(() => sourceMapOf(file)) })
    } else {
      this.#handlers.onMessage[code]?.(message)
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
    if (error instanceof LoopwatchError) return
    this.#retry = setTimeout(() => this.#handlers.hold(() => this.#start()), this.#retryMs).unref()
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS)
  }

  /** Keeps the process alive until the thread answers or ends. */
  ref () {
    this.#worker?.ref()
  }

  unref () {
    if (this.#calls.size === 0) this.#worker?.unref()
  }

  /** Nothing keeps the process alive any more. */
  release () {
    this.#worker?.unref()
    this.#force?.unref()
  }

  /**
   * @template T @param {string} method @param {T} fallback returned if there is no thread
   * @param {boolean} [keepsAlive] the process until the thread answers @returns {Promise<T>}
   */
  call (method, fallback, keepsAlive = true) {
    const worker = this.#worker
    if (worker === null) return Promise.resolve(fallback)
    return new Promise((resolve) => {
      const id = ++this.#lastCall
      this.#calls.set(id, { resolve, fallback })
      if (keepsAlive) worker.ref()
      worker.postMessage({ code: CALL, id, method })
    })
  }

  /** Posts if there is a thread. State that the next thread needs belongs in makeData, too. @param {object} message */
  post (message) {
    this.#worker?.postMessage(message)
  }

  /** @param {string} file compiled in memory @param {string} mapFile with its source map */
  mapFile (file, mapFile) {
    this.post({ code: SOURCE_MAP, file, mapFile })
  }

  /** Posts the source maps that the thread would ask for later. */
  postMaps () {
    this.compiled.postAll((file, map) => this.post({ code: SOURCE_MAP, file, ...map }))
  }

  /**
   * Asks the thread to end, and ends it by force after a second. Keeps the process alive until then, and hardly longer.
   */
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
      this.#force = setTimeout(() => {
        worker.terminate()
        this.#force = setTimeout(() => {
          worker.unref()
          resolve(undefined)
        }, LEAVE_MS)
      }, STOP_TIMEOUT_MS)
      worker.once('exit', () => {
        clearTimeout(this.#force)
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
  share(kStarts, starts + 1)
  return starts
}

exports.WatchdogThread = WatchdogThread
exports.isStarting = () => isStarting
exports.RESOURCE_LIMITS = RESOURCE_LIMITS
