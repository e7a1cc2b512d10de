'use strict'

const { MessageChannel, receiveMessageOnPort, Worker } = require('node:worker_threads')
const { entryPoint } = require('../../tables/entry-points')
const { nowMs } = require('../../util/clock')
const { lackOfRoom } = require('../../util/room')
const { MS_PER_S } = require('../../util/units')
const { DONE, LINES, LOST, COUNT } = require('./slots')

/**
 * @import { Version } from '../../store/function-history'
 * @import { BlockRecord } from '../../types'
 * @import { MessagePort } from 'node:worker_threads'
 */

/** The most characters that wait for a writer. Beyond this, lines are dropped and counted. */
const WAITING_CHARS = 4 * 1024 * 1024
/** The watchdog sleeps until the kernel has a line (0.1 ms), as it may be killed. More would delay its polls. */
const WAIT_MS = 10
/** A writer that has not moved on for this long is reported as not answering; a busy disk takes less. */
const SILENT_MS = 2000
/** A thread that has ended is started again with the first line after this time. */
const RESTART_MS = 5000
/** At the end, lines that wait have this long: the host ends the watchdog by force after a second. */
const END_MS = 800
/** The writer's thread holds lines and nothing else. Without a limit, V8 reserves 512 MB of address space for code. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64, codeRangeSizeMb: 32 }

/** Threads that must be left: this one, and the four that libuv's pool may need. */
const THREADS = 5

/** @typedef {{ message: string, code?: string }} Failure of another thread: an error would lose its code on the way */
/** @typedef {[name: string, Version][]} Versions of an application */
/** @typedef {'onUnended' | 'onHistory' | 'onDamage'} Listener */
/** @typedef {{ state: Failure | null, on?: undefined } | { on: Listener, value: any }} Answer */

/**
 * Writes to a file or a folder from a thread of its own, so that a file system that hangs stops neither the watchdog's
 * polls nor its endpoint. It never throws. A few writes by fs.write() that hang would occupy all of libuv's pool, whose
 * four threads belong to the application.
 */
class FileWriter {
  #parts
  /** @type {Worker | null} */
  #worker = null
  #slots = newSlots()
  /** @type {MessagePort | null} of this worker */
  #port = null
  /** Units handed over to the writer; wraps. */
  #sent = 0
  #lines = 0
  /** The watchdog does not wait for a thread that has not kept up, or has only just been started. */
  #isSlow = true
  /** The time when the writer last moved on, and where it was then. */
  #movedAtMs = 0
  #movedTo = 0
  /** @type {NodeJS.Timeout | undefined} */
  #check
  #restartAtMs = 0
  #isEnding = false
  #lost = 0
  /** @type {Error | null} as reported by the writer */
  #failure = null

  /**
   * @param {object} parts @param {'records' | 'log'} parts.kind
   * @param {string} parts.target a folder of records, or a log @param {string} [parts.name] of records, no extension
   * @param {boolean} [parts.creates] the log, by default
   * @param {(error: Error | null) => void} parts.onState when lines cannot be written, or can again; may repeat
   * @param {(record: BlockRecord) => void} [parts.onUnended] called with each block in which an earlier process ended
   * @param {string} [parts.history] file of the functions that blocked
   * @param {(versions: Versions) => void} [parts.onHistory] @param {(reason: string) => void} [parts.onDamage] to it
   */
  constructor (parts) {
    this.#parts = parts
    this.#start()
  }

  #start () {
    const { kind, target, name, creates, history } = this.#parts
    const slots = newSlots()
    const { port1, port2 } = new MessageChannel()
    try {
      const lack = lackOfRoom(THREADS)
      if (lack !== null) throw new Error(lack)
      const worker = new Worker(entryPoint('writer'), {
        name: 'loopwatch writer',
        workerData: { kind, target, name, creates, history, slots, port: port2 },
        transferList: [port2],
        execArgv: [],
        env: {},
        resourceLimits: RESOURCE_LIMITS,
        stdout: true,
        stderr: true
      })
      worker.unref()
      let failure = new Error('the writer\'s thread ended')
      worker.on('error', (error) => { failure = error })
      worker.on('exit', () => this.#lose(failure))
      this.#worker = worker
      this.#failure = null
      this.#slots = slots
      this.#port = port1
      // The start counts as one unit: the folder or file is opened in it.
      this.#sent = 1
      this.#lines = 0
      this.#isSlow = true
      port1.on('message', (answer) => this.#hear(answer))
      port1.unref()
      this.#expect()
    } catch (error) {
      this.#lose(error)
    }
  }

  /** @param {Error} failure */
  #lose (failure) {
    this.#worker = null
    this.#port?.close()
    this.#port = null
    if (this.#isEnding) return
    this.#lost = this.takeLost() + ((this.#lines - Atomics.load(this.#slots, LINES)) | 0)
    this.#lines = this.#sent = 0
    this.#slots = newSlots()
    this.#restartAtMs = nowMs() + RESTART_MS
    this.#failure = failure
    this.#parts.onState(failure)
  }

  /** @param {Answer} answer */
  #hear (answer) {
    if (answer.on !== undefined) return this.#parts[answer.on]?.(answer.value)
    const { state } = answer
    this.#failure = state && Object.assign(new Error(state.message), { code: state.code })
    this.#parts.onState(this.#failure)
  }

  /** @param {string} line with its line break */
  write (line) {
    if (this.#worker === null && nowMs() >= this.#restartAtMs) this.#start()
    if (this.#worker === null || this.#isEnding || this.#waiting > WAITING_CHARS) {
      this.#lost++
      return
    }
    this.#lines++
    this.#hand({ line }, line.length)
  }

  /** Keeps the timeline around a block, if the writer keeps up. @param {string} id @param {string} text */
  keepTimeline (id, text) {
    // A timeline is large: none waits for a disk that hangs.
    if (!this.isIdle) return
    // One unit: records that come while it is packed must find room.
    this.#hand({ timeline: { id, text } }, 1)
  }

  /** Adds versions to the file of `history`. @param {Versions} versions */
  keepHistory (versions) {
    this.#hand({ versions }, 1)
  }

  get isIdle () {
    return this.#worker !== null && !this.#isEnding && this.#waiting === 0
  }

  /** @param {object} message @param {number} units */
  #hand (message, units) {
    if (this.#waiting === 0) this.#isSlow = false
    const port = /** @type {MessagePort} */ (this.#port)
    this.#sent = (this.#sent + units) | 0
    port.postMessage({ ...message, units })
    const untilMs = nowMs() + WAIT_MS
    while (!this.#isSlow && this.#waiting > 0) {
      const leftMs = untilMs - nowMs()
      const done = Atomics.load(this.#slots, DONE)
      if (leftMs <= 0) this.#isSlow = true
      else if (done !== this.#sent) Atomics.wait(this.#slots, DONE, done, leftMs)
    }
    // The writer reports a failure before it counts the line as done.
    for (let each = receiveMessageOnPort(port); each !== undefined; each = receiveMessageOnPort(port)) {
      this.#hear(each.message)
    }
    if (this.#waiting > 0) this.#expect()
  }

  get #waiting () {
    return (this.#sent - Atomics.load(this.#slots, DONE)) | 0
  }

  /** Checks from time to time whether the writer moves on, until nothing waits. */
  #expect () {
    if (this.#check !== undefined) return
    this.#movedAtMs = nowMs()
    this.#movedTo = Atomics.load(this.#slots, DONE)
    this.#check = setInterval(() => this.#look(), 500).unref()
  }

  #look () {
    const done = Atomics.load(this.#slots, DONE)
    const silentMs = nowMs() - this.#movedAtMs
    if (this.#waiting === 0) {
      clearInterval(this.#check)
      this.#check = undefined
      if (this.#failure === null) this.#parts.onState(null)
    } else if (done !== this.#movedTo) {
      this.#movedAtMs = nowMs()
      this.#movedTo = done
    } else if (silentMs >= SILENT_MS) {
      this.#parts.onState(new Error(`the file system has not answered for ${Math.round(silentMs / MS_PER_S)} s`))
    }
  }

  takeLost () {
    const lost = this.#lost + Atomics.exchange(this.#slots, LOST, 0)
    this.#lost = 0
    return lost
  }

  /** Resolves when everything is written and the file closed, or after END_MS. */
  async end () {
    const worker = this.#worker
    this.#isEnding = true
    if (worker === null) return
    this.#port?.postMessage({ units: 1 })
    await new Promise((resolve) => {
      const late = setTimeout(resolve, END_MS)
      worker.once('exit', () => {
        clearTimeout(late)
        resolve(undefined)
      })
    })
    clearInterval(this.#check)
  }
}

const newSlots = () => new Int32Array(new SharedArrayBuffer(COUNT * Int32Array.BYTES_PER_ELEMENT))

exports.FileWriter = FileWriter
