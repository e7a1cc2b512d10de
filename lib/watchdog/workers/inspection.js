'use strict'

const { readdirSync } = require('node:fs')
const { availableParallelism } = require('node:os')
const { nowMs } = require('../../util/clock')
const { CALM_MS } = require('../../bridge/worker-beats')
const { findExitLock } = require('../../bridge/worker-exit-lock')
const { ThreadAsker } = require('./inspector-client')
const { ThreadCount } = require('./inspector-limit')
const { ThreadDiscovery } = require('./discovery')

/** A process whose watchdog is started anew may have had thousands; the latest are most likely to live. */
const EARLIER = 1000
/** While there are too many threads their number is looked at again after this time. */
const RECOUNT_MS = 10000

/** What `threads: 'on'` adds: worker threads are found, made to beat, and asked where they are by their inspectors. */
class ThreadInquiry {
  #ownId
  #onState
  #count
  #countedAtMs = nowMs()
  #asker
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
    const gate = findExitLock()
    this.#count = new ThreadCount({ cpus: availableParallelism(), before: ownId - 1, tasks: countTasks })
    this.#asker = new ThreadAsker({
      mayAsk: () => this.#count.excess === null && (gate === null || gate.isQuiet(nowMs())),
      options: { threshold, resolution, calmPeriod: Math.max(calmPeriod, CALM_MS) },
      relays: () => counters.get('relays'),
      relayMicros: () => counters.get('relayMicros')
    })
    this.#discovery = new ThreadDiscovery({
      nowMs,
      install: (threadIds, isInterrupt) => this.#asker.install(threadIds, isInterrupt, nowMs())
    })
    // Threads are numbered; those with a smaller number than ours may have been there before us.
    for (let threadId = Math.max(1, ownId - EARLIER); threadId < ownId; threadId++) this.#discovery.add(threadId)
  }

  /** @param {number} threadId */
  started (threadId) {
    this.#count.started(threadId)
    this.#discovery.add(threadId)
  }

  /** @param {number} threadId */
  ended (threadId) {
    this.#count.ended(threadId)
    this.#discovery.remove(threadId)
  }

  /** It beats. @param {number} threadId */
  found (threadId) {
    this.#discovery.remove(threadId)
  }

  /** @param {number[]} living of the application, and this one */
  listed (living) {
    this.#count.seen(living.filter((threadId) => threadId !== this.#ownId))
    this.#discovery.retain(living)
  }

  /** @param {number} threadId @returns {boolean} whether the probe's question will be put, with the end of the look */
  ask (threadId) {
    return this.#asker.ask(threadId)
  }

  get isHeldUp () {
    return this.#asker.isHeldUp
  }

  /** A look begins. @param {number} now */
  open (now) {
    if (this.#count.excess !== null && now - this.#countedAtMs >= RECOUNT_MS) {
      this.#countedAtMs = now
      this.#count.recount()
    }
    this.#onState(this.#count.excess)
    this.#asker.open(now)
  }

  /** It ends. @param {number} now */
  close (now) {
    this.#asker.close(now)
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

exports.ThreadInquiry = ThreadInquiry
