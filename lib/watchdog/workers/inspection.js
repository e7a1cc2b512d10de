'use strict'

const { readdirSync } = require('node:fs')
const { availableParallelism } = require('node:os')
const { nowMs } = require('../../util/clock')
const { CALM_MS } = require('../../bridge/worker-beats')
const { findExitLock } = require('../../bridge/worker-exit-lock')
const { InspectorClient } = require('./inspector-client')
const { InspectorLimit } = require('./inspector-limit')
const { Discovery } = require('./discovery')

/**
 * So many threads with numbers below ours are looked for: a process may have had thousands, and the latest are most
 * likely to live.
 */
const EARLIER = 1000
/** While there are too many threads, they are counted again after this time. */
const RECOUNT_MS = 10000

/** What `threads: 'on'` adds: worker threads are found, made to beat, and asked by their inspectors where they are. */
class Inspection {
  #ownId
  #onState
  #limit
  #countedAtMs = nowMs()
  #client
  #discovery

  /**
   * @param {object} parts
   * @param {number} parts.ownId thread id of the watchdog
   * @param {import('../../bridge/memory').Bridge} parts.bridge of the main thread
   * @param {{ threshold: number, resolution: number, calmPeriod: number }} parts.options
   * @param {(excess: { message: string } | null) => void} parts.onState
   */
  constructor ({ ownId, bridge: { counters }, options: { threshold, resolution, calmPeriod }, onState }) {
    this.#ownId = ownId
    this.#onState = onState
    const exitLock = findExitLock()
    this.#limit = new InspectorLimit({ cpus: availableParallelism(), before: ownId - 1, tasks: countTasks })
    this.#client = new InspectorClient({
      mayAsk: () => this.#limit.excess === null && (exitLock === null || exitLock.isQuiet(nowMs())),
      options: { threshold, resolution, calmPeriod: Math.max(calmPeriod, CALM_MS) },
      workerCalls: () => counters.get('workerCalls'),
      workerCallMicros: () => counters.get('workerCallMicros')
    })
    this.#discovery = new Discovery({
      nowMs,
      install: (threadIds, isInterrupt) => this.#client.install(threadIds, isInterrupt, nowMs())
    })
    // Threads are numbered; those with a smaller number than ours may have been there before us.
    for (let threadId = Math.max(1, ownId - EARLIER); threadId < ownId; threadId++) this.#discovery.add(threadId)
  }

  /** @param {number} threadId */
  started (threadId) {
    this.#limit.started(threadId)
    this.#discovery.add(threadId)
  }

  /** @param {number} threadId */
  ended (threadId) {
    this.#limit.ended(threadId)
    this.#discovery.remove(threadId)
  }

  /** It beats. @param {number} threadId */
  found (threadId) {
    this.#discovery.remove(threadId)
  }

  /** @param {number[]} living of the application, and this one */
  listed (living) {
    this.#limit.seen(living.filter((threadId) => threadId !== this.#ownId))
    this.#discovery.retain(living)
  }

  /** @param {number} threadId @returns {boolean} whether the probe's question will be put, at the end of the poll */
  ask (threadId) {
    return this.#client.ask(threadId)
  }

  get isHeldUp () {
    return this.#client.isHeldUp
  }

  /** A poll begins. @param {number} now */
  open (now) {
    if (this.#limit.excess !== null && now - this.#countedAtMs >= RECOUNT_MS) {
      this.#countedAtMs = now
      this.#limit.recount()
    }
    this.#onState(this.#limit.excess)
    this.#client.open(now)
  }

  /** It ends. @param {number} now */
  close (now) {
    this.#client.close(now)
  }

  stop () {
    this.#discovery.stop()
  }
}

/** Threads of this process, null elsewhere than on Linux. */
function countTasks () {
  try {
    return readdirSync('/proc/self/task').length
  } catch {
    return null
  }
}

exports.Inspection = Inspection
