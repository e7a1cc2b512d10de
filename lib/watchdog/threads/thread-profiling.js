'use strict'

const { THREAD_PROFILE } = require('../../bridge/messages')
const { US_PER_MS } = require('../../util/units')

/** @import { Window } from '../../explain/profile/samples' */

/** A profile is not taken more often than this: ten per minute. */
const APART_MS = 6000
/**
 * To start one holds its thread, for 10 to 110 ms. No other is taken for this many times as long, so that they take 1%
 * of a CPU. On a busy machine most of that time is waiting, which costs nothing.
 */
const REST = 100
const MOST_APART_MS = 15000
/** A thread that has not answered for this long is in a native call, and another one is asked meanwhile. */
const LOST_MS = 5000

/**
 * @typedef {{ questionAtMs: number, startMs: number, text: string }} Taken by the main thread
 * @typedef {object} Profiled a thread
 * @property {number} threadId @property {(nowMs: number) => boolean} wantsProfile
 * @property {number} questionAtMs when it was last asked, -Infinity for never
 * @property {boolean} owesProfile it was asked for a profile and has not answered
 * @property {(profile: (Window & { questionAtMs: number }) | null) => void} profiled
 */

/** Decides which worker thread is profiled, and when: one at a time, while the main thread is free to do it. */
class ThreadProfiling {
  #nextAtMs = -Infinity
  #post
  #isMainFree

  /** @param {(message: object) => void} post to the host @param {() => boolean} isMainFree */
  constructor (post, isMainFree) {
    this.#post = post
    this.#isMainFree = isMainFree
  }

  /** @param {number} now @param {Profiled[]} threads */
  poll (now, threads) {
    const isWaiting = threads.some((each) => each.owesProfile && now - each.questionAtMs < LOST_MS)
    if (now < this.#nextAtMs || isWaiting) return
    const [thread] = threads.filter((each) => each.wantsProfile(now)).sort((a, b) => a.questionAtMs - b.questionAtMs)
    if (thread === undefined || !this.#isMainFree()) return
    thread.questionAtMs = now
    thread.owesProfile = true
    this.#nextAtMs = now + APART_MS
    this.#post({ code: THREAD_PROFILE, threadId: thread.threadId })
  }

  /** The host has answered. @param {Profiled | undefined} thread @param {Taken | null} taken */
  receive (thread, taken) {
    const profile = taken && require('../../explain/profile/samples').parseProfile(taken.text)
    if (!taken || !profile) return thread?.profiled(null)
    const { questionAtMs } = taken
    const { startTime, endTime, timeDeltas: [firstUs = 0] } = profile
    // On Linux V8 has our clock. The main thread may have been busy when the thread answered.
    const ownMs = startTime / US_PER_MS
    const startMs = ownMs >= questionAtMs && ownMs <= taken.startMs ? ownMs : taken.startMs
    const endMs = startMs + (endTime - startTime) / US_PER_MS
    this.#nextAtMs = Math.max(this.#nextAtMs, endMs + Math.min(firstUs / US_PER_MS * REST, MOST_APART_MS))
    thread?.profiled({ questionAtMs, startMs, endMs, profile })
  }
}

exports.ThreadProfiling = ThreadProfiling
