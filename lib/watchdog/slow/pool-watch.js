'use strict'

const { nowMs } = require('../../util/clock')
const { fillingText, isFull, THREADS } = require('./pool-filling')
const { FULL_MS, PoolIncident } = require('./pool-incident')
const fs = require('node:fs')
const { TASKS } = require('../../util/kernel/file')
const dns = require('node:dns')
const { lackOfRoom } = require('../../util/room')

/**
 * @import { Filling, PoolKind, PoolThreads } from './pool-filling'
 * @import { PoolWait } from './pool-incident'
 */

/** Node.js refuses the work under --permission, without a thread. */
const DENIED = 'ERR_ACCESS_DENIED'

/** Before Node.js 22 the pool's threads have no names. While this many more may start, the pool gets all of its own. */
const MANY_THREADS = 64
/** Threads of the pool are looked for until there are some, ever more seldom: 10 us for each thread. */
const FIRST_LOOK_MS = 50
const LAST_LOOK_MS = 1000

/** A host that does not answer within this time is busy itself: the incident is then reported without its answer. */
const ANSWER_MS = 500

const hasThreadNames = Number.parseInt(process.versions.node, 10) >= 22

/** Loaded when the pool is first looked at. */
const lookAtPool = () => require('../../util/kernel/pool-threads')

const NOTHING = { counts: {}, threads: THREADS }

/**
 * @typedef {object} FullPool
 * @property {number} startMs @property {number} endMs or until now @property {boolean} ongoing
 * @property {number} longestMs that a piece of work waited @property {Record<string, number>} resources of the host
 * @property {number} threads @property {string} filling in words, after what is full
 */

/** Measures the wait for the pool, or for the half that DNS lookups may use, and reports when it is full. */
class PoolWatch {
  /** The wait of the last piece of work, so far if it still waits. */
  latestMs = 0
  #kind
  #parts
  #probe
  #incident = new PoolIncident()
  /** @type {PoolThreads | null} when the incident opened */
  #poolThreads = null
  /** @type {Filling | null} */
  #filling = null
  #answerUntilMs = Infinity
  #isReported = false
  #wasCovered = false

  /**
   * @param {PoolKind} kind @param {object} parts
   * @param {(delayMs: number) => void} parts.observe @param {() => void} parts.askHost what it waits for
   * @param {() => boolean} parts.isCovered whether another watch reports the same
   * @param {(full: FullPool) => void} parts.report when it is certain, and again at its end
   */
  constructor (kind, parts) {
    this.#kind = kind
    this.#parts = parts
    this.#probe = new PoolProbe(works[kind], (questionAtMs, doneAtMs) => {
      parts.observe(doneAtMs - questionAtMs)
      this.#judgeWait(questionAtMs, doneAtMs, true)
    })
  }

  get isOpen () {
    return this.#incident.current !== null
  }

  /** @param {boolean} mayAsk */
  poll (mayAsk) {
    const { questionAtMs } = this.#probe
    if (questionAtMs === null) {
      if (mayAsk) this.#probe.ask()
    } else if (nowMs() - questionAtMs >= FULL_MS) {
      // If this thread was late, the answer has arrived already and is handled before the immediate.
      setImmediate(() => {
        if (this.#probe.questionAtMs === questionAtMs) this.#judgeWait(questionAtMs, nowMs(), false)
      })
    }
  }

  /** @param {number} questionAtMs @param {number} now @param {boolean} isDone */
  #judgeWait (questionAtMs, now, isDone) {
    this.latestMs = now - questionAtMs
    this.#wasCovered ||= this.#parts.isCovered()
    const event = this.#incident.see(questionAtMs, now, isDone)
    if (event?.type === 'opened') {
      this.#poolThreads = lookAtPool().poolThreads()
      this.#filling = null
      this.#answerUntilMs = now + ANSWER_MS
      this.#isReported = false
      this.#wasCovered = this.#parts.isCovered()
      if (!this.#wasCovered) this.#parts.askHost()
    } else if (event?.type === 'ended') {
      if (!this.#wasCovered) this.#judge(event, event.endMs)
      if (this.#isReported) this.#report(event, event.endMs, false)
    } else if (this.#filling !== null || now >= this.#answerUntilMs) this.#judge(this.#incident.current, now)
  }

  /** @param {Filling} filling what the host waits for */
  answered (filling) {
    if (!this.isOpen || this.#filling !== null) return
    this.#filling = filling
    this.#judge(this.#incident.current, nowMs())
  }

  /** @param {PoolWait | null} wait @param {number} now */
  #judge (wait, now) {
    if (wait === null || this.#isReported || this.#parts.isCovered()) return
    // Part of this wait was for the whole pool, and has been reported as such.
    const own = this.#wasCovered ? { ...wait, looks: 0 } : wait
    if (!isFull(this.#kind, this.#filling ?? NOTHING, this.#poolThreads, own)) return
    this.#isReported = true
    this.#report(wait, now, true)
  }

  /** @param {PoolWait} wait @param {number} endMs @param {boolean} ongoing */
  #report ({ startMs, longestMs }, endMs, ongoing) {
    const { counts, threads } = this.#filling ?? NOTHING
    this.#parts.report({
      startMs,
      endMs,
      ongoing,
      longestMs,
      resources: counts,
      threads: this.#poolThreads?.threads ?? threads,
      filling: fillingText(this.#kind, this.#filling, this.#poolThreads)
    })
  }
}

/**
 * Whether the pool can be measured. libuv starts its threads when the pool is first used, and aborts the process if it
 * gets none (`ulimit -u`, the pids limit of a container). So the application is first: a pool that it has not used
 * cannot be full.
 */
function isPoolStarted () {
  try {
    return fs.readdirSync(TASKS).some(lookAtPool().isOfPool) || (!hasThreadNames && lackOfRoom(MANY_THREADS) === null)
  } catch {
    return true
  }
}

/** Both watches measure the same pool, which keeps its threads until the process ends. */
let isStarted = false
let lookAtMs = 0
let lookAfterMs = FIRST_LOOK_MS

/** @param {number} now */
function mayMeasure (now) {
  if (isStarted || now < lookAtMs) return isStarted
  lookAtMs = now + lookAfterMs
  lookAfterMs = Math.min(lookAfterMs * 2, LAST_LOOK_MS)
  return (isStarted = isPoolStarted())
}

/** @typedef {(done: (error?: NodeJS.ErrnoException | null) => void) => void} Work for a thread of the pool */

/**
 * Work for each of the pool's two queues. The root folder is in the kernel's memory, and the C library parses 127.1 as
 * an address: neither waits for a disk or the network.
 * @type {Record<PoolKind, Work>}
 */
const works = {
  thread_pool: (done) => fs.stat('/', done),
  dns_lookups: (done) => dns.lookup('127.1', { family: 4 }, done)
}

/**
 * Measures with work of its own how long work waits for libuv's thread pool, which all threads of the process share.
 * The application's thread takes no part. One piece of work at a time, so a full pool gets only one more.
 */
class PoolProbe {
  /** Null if no question is open. @type {number | null} */
  questionAtMs = null
  #work
  #onDone

  /** @param {Work} work @param {(questionAtMs: number, doneAtMs: number) => void} onDone */
  constructor (work, onDone) {
    this.#work = work
    this.#onDone = onDone
  }

  ask () {
    if (this.questionAtMs !== null || !mayMeasure(nowMs())) return
    const questionAtMs = this.questionAtMs = nowMs()
    try {
      this.#work((error) => {
        this.questionAtMs = null
        if (error?.code !== DENIED) this.#onDone(questionAtMs, nowMs())
      })
    } catch {
      // Refused at once.
      this.questionAtMs = null
    }
  }
}

exports.PoolWatch = PoolWatch
