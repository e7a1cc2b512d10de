'use strict'

const { entryPoint } = require('../../tables/entry-points')
const { BUILTIN } = require('../../util/agent-global')
const { askThreads, PROBE_CALL } = require('../loop/inspector')
const { MS_PER_S, US_PER_MS } = require('../../util/units')

/** At most so many questions come in a row, for one long block, */
const BURST = 10
/** and then this many a second, for threads that are busy by design. */
const PER_SECOND = 1
/** The least time between two questions, */
const SPACING_MS = 50
/** and as a multiple of what a question takes of the main thread: 1 ms, 10 where all CPUs are taken. */
const REST = 100
/** A main thread that has passed nothing on for this long may never do so: its loop is in a native call or gone. */
const LOST_MS = 10000

/** The main thread waits at most this long for a thread to begin its answer: 0.3 ms if the thread gets a CPU. */
const WAIT_MS = 5
/**
 * Later than this after the question, a thread does not load our files at an interrupt: loading takes 5 ms, for which
 * the main thread waits.
 */
const LOAD_MS = 5
/** At most so many answers are awaited at a time, and one thread that loads. */
const MOST = 4

const AGENT = entryPoint('workerThread')

/** A line of a stack that is neither Node's own nor of an expression such as ours. */
const USER_FRAME = /(?:\(|at )(?!node:|<anonymous>)[^()]+:\d+:\d+\)?$/m

/**
 * What a worker thread evaluates to be watched. While Node.js is still preparing the thread there is no parentPort;
 * threads of Node.js itself never have one. Loading waits for the loop's next turn. A thread that is blocked in its
 * first lines has none: it loads at an interrupt, if that comes in code of the application, since files that are loaded
 * amid Node's own preparations make Node.js fail an assertion. A thread that is asked again while it runs no code of
 * the application waits for its turn as well: it may be idle for ever.
 * @param {{ threshold: number, resolution: number, calmPeriod: number }} options
 * @param {boolean} isInterrupt load at once, on top of whatever is running
 */
function installCall (options, isInterrupt) {
  return `((_, atMs, name) => {
    const getBuiltinModule = ${BUILTIN}
    if (!getBuiltinModule?.('node:worker_threads').parentPort) return
    const install = (isInterrupt) => {
      try {
        const file = ${JSON.stringify(AGENT)}
        const require = getBuiltinModule('node:module').createRequire(file)
        // Interrupted while it loads, it would find itself half made.
        if (require.cache[file]?.loaded === false) return
        require(file).install({ name, isInterrupt, options: ${JSON.stringify(options)} })
      } catch {}
    }
    const isLate = Number(getBuiltinModule('node:process').hrtime.bigint()) / 1e6 > atMs + ${LOAD_MS}
    if (${isInterrupt} && !isLate && ${USER_FRAME}.test(new Error().stack)) install(true)
    else getBuiltinModule('node:timers').setImmediate(install, false)
  })`
}

/**
 * Puts questions to worker threads by way of the main thread: a few in one go, and so seldom that threads that are busy
 * by design cost the main thread nothing that could be measured.
 */
class InspectorClient {
  #options
  #workerCalls
  #askThreads
  #mayAsk
  /** @type {number[]} */
  #asked = []
  /** @type {Set<number>} asked lately: others come first */
  #recent = new Set()
  #tokens = BURST
  #refilledAtMs = 0
  #isOpen = false
  #sentAtMs = -Infinity
  #callsAtSend
  #workerCallMicros
  #sentMicros = 0

  /**
   * @param {object} parts
   * @param {{ threshold: number, resolution: number, calmPeriod: number }} parts.options of a thread's heartbeat, ms
   * @param {() => number} parts.workerCalls how often the main thread has passed something on
   * @param {() => number} parts.workerCallMicros and how long that took it in all, an Int32
   * @param {() => boolean} parts.mayAsk
   * @param {typeof askThreads} [parts.ask]
   */
  constructor ({ options, workerCalls, workerCallMicros, mayAsk, ask = askThreads }) {
    this.#options = options
    this.#workerCalls = workerCalls
    this.#workerCallMicros = workerCallMicros
    this.#mayAsk = mayAsk
    this.#askThreads = ask
    this.#callsAtSend = workerCalls()
  }

  /** Whether the main thread has not passed on yet what it was told last. */
  get isHeldUp () {
    return this.#workerCalls() === this.#callsAtSend && this.#sentAtMs !== -Infinity
  }

  /** A poll begins: decides whether its threads may be asked. @param {number} nowMs */
  open (nowMs) {
    this.#tokens = Math.min(BURST, this.#tokens + (nowMs - this.#refilledAtMs) / MS_PER_S * PER_SECOND)
    this.#refilledAtMs = nowMs
    this.#isOpen = this.#tokens >= 1 && this.#mayPost(nowMs)
  }

  get #spacingMs () {
    return Math.max(SPACING_MS, ((this.#workerCallMicros() - this.#sentMicros) | 0) / US_PER_MS * REST)
  }

  /** @param {number} nowMs */
  #mayPost (nowMs) {
    const sinceMs = nowMs - this.#sentAtMs
    return this.#mayAsk() && sinceMs >= this.#spacingMs && (!this.isHeldUp || sinceMs >= LOST_MS)
  }

  /**
   * The probe's question, put at the end of the poll.
   * @param {number} threadId
   * @returns {boolean} whether it will be put
   */
  ask (threadId) {
    if (!this.#isOpen || this.#asked.length === MOST || this.#recent.has(threadId)) return false
    this.#asked.push(threadId)
    this.#recent.add(threadId)
    return true
  }

  /** The poll ends. @param {number} nowMs */
  close (nowMs) {
    if (!this.#isOpen) return
    this.#isOpen = false
    if (this.#asked.length < MOST) this.#recent.clear()
    if (this.#asked.length === 0) return
    this.#tokens--
    const threadIds = this.#asked.splice(0)
    this.#post({ threadIds, expression: PROBE_CALL, most: MOST, lists: false, waitMs: WAIT_MS }, nowMs)
  }

  /**
   * Makes threads load what makes them watched.
   * @param {number[]} threadIds
   * @param {boolean} isInterrupt
   * @param {number} nowMs
   * @returns {number} how many of them, the first ones, have been asked
   */
  install (threadIds, isInterrupt, nowMs) {
    if (!this.#mayPost(nowMs)) return 0
    const most = isInterrupt ? 1 : MOST
    const chosen = threadIds.slice(0, most)
    const expression = installCall(this.#options, isInterrupt)
    this.#post({ threadIds: chosen, expression, most, lists: true, waitMs: WAIT_MS }, nowMs)
    return chosen.length
  }

  /** @param {Parameters<typeof askThreads>[0]} call @param {number} nowMs */
  #post (call, nowMs) {
    this.#callsAtSend = this.#workerCalls()
    this.#sentMicros = this.#workerCallMicros()
    if (this.#askThreads(call) === null) this.#sentAtMs = nowMs
  }
}

exports.InspectorClient = InspectorClient
