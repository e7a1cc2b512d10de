'use strict'

const { setTimeout, clearTimeout } = require('node:timers')
const { nowMs } = require('../../util/clock')
const { minBlockGapMs, RESTS, TURNS } = require('../../bridge/beat')
const { Rest, PERIOD_MS: REST_PERIOD_MS } = require('./rest')
const { tellAsBeats } = require('./rest-to-beats')
const { addLostIdle, loopTime } = require('./loop-time')
const { RanTime, isToldByKernel, threadCpuMs } = require('./thread-cpu')
const { US_PER_MS } = require('../../util/units')

/** A loop that idled for this share of the time beats in its calm period. */
const CALM_SHARE = 0.9
/** A loop that has been calm for so long rests, where the watchdog sees by itself whether it is at work. */
const REST_AFTER_MS = 250
/**
 * After a turn that ended a rest of this length one calm beat is enough, which shows that no timer of the same turn
 * took long: timers come after the immediate that ends the rest.
 */
const LONG_REST_MS = 60

/**
 * Beats into shared memory every `beatPeriod` ms while the loop turns, every `calmPeriod` ms while it hardly does
 * anything, and four times a second while it rests: waking a sleeping process is most of what watching it costs. A gap
 * between two beats that can hide a block also goes into a ring, with its exact ends: the watchdog may have been late
 * or asleep, the host itself cannot miss one.
 */
class Heartbeat {
  #bridge
  #options
  #told
  #ran = new RanTime()
  #cpuNow = isToldByKernel() ? () => NaN : threadCpuMs
  #periodMs
  #lastAtMs
  #lastIdleMs
  #lastCpuMs
  #lastHeldMicros
  /** Since when the loop has been calm; Infinity: it is not. */
  #calmAtMs = Infinity
  /** How late the last timer of a calm loop was. */
  #punctualMs = 0
  #restAfterMs = REST_AFTER_MS
  #rest
  #rested = TURNS
  #busy
  /** @type {NodeJS.Timeout | undefined} */
  #calm

  /**
   * @param {import('../../bridge/memory').Bridge} bridge
   * @param {Options} options
   * @param {Told} told
   */
  constructor (bridge, options, told) {
    const { beatPeriod } = options
    this.#bridge = bridge
    this.#options = options
    this.#told = told
    const { idle, active } = loopTime()
    this.#periodMs = beatPeriod
    this.#lastAtMs = nowMs()
    this.#lastIdleMs = idle
    this.#lastCpuMs = this.#cpuNow()
    this.#lastHeldMicros = bridge.counters.heldMicros
    this.#rest = new Rest({ onTime: this.#onTime, onTurn: this.#onTurn })
    bridge.beat.write(this.#lastAtMs, idle, active, beatPeriod, this.#lastCpuMs, TURNS, this.#lastHeldMicros)
    this.#busy = setTimeout(this.#onTime, beatPeriod).unref()
  }

  /** In which we kept the thread ourselves since the last beat: no block of the application. */
  get #heldMs () {
    return ((this.#bridge.counters.heldMicros - this.#lastHeldMicros) | 0) / US_PER_MS
  }

  #onTime = () => {
    if (this.#options.isWanted?.() === false) return
    if (this.#rest.isOn) this.#endRest(this.#rest.isDue(nowMs()))
    else this.#beat()
  }

  #onTurn = () => this.#endRest(false)

  #beat () {
    const atMs = nowMs()
    const { delays, load, profiler } = this.#told
    const { beatPeriod, calmPeriod } = this.#options
    if (profiler?.isSampling) this.#countLostIdle(atMs)
    const gapMs = atMs - this.#lastAtMs
    const idleMs = loopTime().idle - this.#lastIdleMs
    const lateMs = gapMs - this.#periodMs
    this.#tellGap(atMs)
    const isCalm = idleMs >= gapMs * CALM_SHARE
    this.#calmAtMs = isCalm ? Math.min(this.#calmAtMs, atMs) : Infinity
    if (!isCalm) this.#restAfterMs = REST_AFTER_MS
    if (isCalm) this.#punctualMs = Math.max(0, lateMs)
    const nextPeriodMs = isCalm ? calmPeriod : beatPeriod
    load?.beat(atMs, gapMs, idleMs, this.#periodMs, nextPeriodMs)
    delays?.beat(atMs, lateMs)
    this.#next(atMs, atMs - this.#calmAtMs >= this.#restAfterMs ? REST_PERIOD_MS : nextPeriodMs)
  }

  /**
   * A rest ends, by its timer or a turn that something else has begun.
   * @param {boolean} mayGoOn nothing else has: the next rest may follow at once
   */
  #endRest (mayGoOn) {
    const atMs = nowMs()
    const { threshold, beatPeriod, calmPeriod } = this.#options
    const fromMs = this.#lastAtMs
    const gapMs = atMs - fromMs
    const busyMs = this.#turnMs(atMs)
    const blockedMs = busyMs - this.#heldMs
    // All of it is one turn, which was not to wait for anything.
    if (blockedMs >= threshold) this.#late(atMs, { fromMs: atMs - blockedMs, idleMs: 0, periodMs: 0 })
    else if (gapMs >= minBlockGapMs(threshold, REST_PERIOD_MS)) {
      // The process was stopped in its sleep, and its timer with it.
      this.#late(atMs, { fromMs, idleMs: gapMs - busyMs, periodMs: REST_PERIOD_MS })
    }
    const isCalm = busyMs <= gapMs * (1 - CALM_SHARE)
    const nextPeriodMs = isCalm ? calmPeriod : beatPeriod
    tellAsBeats(this.#told, {
      fromMs, atMs, busyMs, periodMs: calmPeriod, punctualMs: this.#punctualMs, nextPeriodMs
    })
    const goesOn = mayGoOn && isCalm
    if (!goesOn) this.#calmAtMs = Infinity
    this.#restAfterMs = isCalm && gapMs >= LONG_REST_MS ? 0 : REST_AFTER_MS
    this.#next(atMs, goesOn ? REST_PERIOD_MS : nextPeriodMs)
  }

  /** How long the turn has taken so far that ends a rest. @param {number} atMs */
  #turnMs = (atMs) => Math.max(0, atMs - this.#lastAtMs - (loopTime().idle - this.#lastIdleMs))

  /**
   * The loop counts as turned at this moment, in the midst of a turn: what runs from now on is no part of what has run
   * in it before. The next beat stays due when it was.
   */
  turn () {
    if (this.#rest.isOn) return this.#endRest(false)
    const atMs = nowMs()
    this.#tellGap(atMs)
    const { beatPeriod } = this.#options
    const dueInMs = this.#lastAtMs + this.#periodMs - atMs
    this.#periodMs = dueInMs === Infinity ? beatPeriod : Math.max(dueInMs, beatPeriod)
    this.#write(atMs)
  }

  /** Nothing counts until the loop turns, or is said to: the code at the top level may take as long as it likes. */
  skipTopLevel () {
    this.#periodMs = Infinity
    this.#write(nowMs())
  }

  /** The gap since the last beat, if it can hide a block. @param {number} atMs */
  #tellGap (atMs) {
    const periodMs = this.#periodMs
    const heldMs = this.#heldMs
    if (atMs - this.#lastAtMs - heldMs < minBlockGapMs(this.#options.threshold, periodMs)) return
    this.#late(atMs, { fromMs: this.#lastAtMs + heldMs, idleMs: loopTime().idle - this.#lastIdleMs, periodMs })
  }

  /**
   * A gap that can hide a block.
   * @param {number} atMs
   * @param {{ fromMs: number, idleMs: number, periodMs: number }} gap
   */
  #late (atMs, { fromMs, idleMs, periodMs }) {
    const { beat, lateBeats } = this.#bridge
    lateBeats.push(fromMs, atMs, idleMs, periodMs, beat.beats, this.#cpuNow() - this.#lastCpuMs)
    this.#options.onLate?.(atMs, loopTime().idle)
  }

  /** @param {number} atMs @param {number} periodMs */
  #next (atMs, periodMs) {
    const { load, profiler, works } = this.#told
    works?.beat(atMs)
    profiler?.beat(atMs, loopTime().active)
    this.#rested = this.#restFrom(periodMs)
    this.#periodMs = this.#rested === TURNS ? Math.min(periodMs, this.#options.calmPeriod) : periodMs
    this.#write(atMs)
    load?.rest(this.#rested === TURNS ? null : this.#turnMs)
    this.#arm(atMs)
  }

  /** @param {number} atMs */
  #write (atMs) {
    const { idle, active } = loopTime()
    const { beat, counters } = this.#bridge
    this.#lastCpuMs = this.#cpuNow()
    this.#lastAtMs = atMs
    this.#lastIdleMs = idle
    this.#lastHeldMicros = counters.heldMicros
    beat.write(atMs, idle, active, this.#periodMs, this.#lastCpuMs, this.#rested, this.#lastHeldMicros)
  }

  /** How the loop is until the next beat. @param {number} periodMs */
  #restFrom (periodMs) {
    if (periodMs !== REST_PERIOD_MS || this.#bridge.counters.get('seesSleep') === 0) return TURNS
    // While V8 samples the thread, libuv loses the idle time by which a turn is told from the rest before it.
    return this.#told.profiler?.isSampling ? TURNS : RESTS
  }

  /** A timer that has fired can be armed again, which spares garbage at each beat. @param {number} atMs */
  #arm (atMs) {
    if (this.#rested !== TURNS) return this.#rest.enter(atMs)
    this.#rest.leave()
    if (this.#periodMs < this.#options.calmPeriod) this.#busy.refresh()
    else if (this.#calm !== undefined) this.#calm.refresh()
    else this.#calm = setTimeout(this.#onTime, this.#options.calmPeriod).unref()
  }

  /**
   * Idle time of the gap since the last beat that libuv has lost by signals, at most as much as the beat was to wait.
   * A gap that can hide a block is left as it is: sleep that is of a block must not count as idle.
   * @param {number} atMs
   */
  #countLostIdle (atMs) {
    const ranMs = this.#ran.take()
    const gapMs = atMs - this.#lastAtMs
    if (ranMs === null || gapMs >= minBlockGapMs(this.#options.threshold, this.#periodMs)) return
    const lostMs = Math.min(this.#periodMs, gapMs - ranMs) - (loopTime().idle - this.#lastIdleMs)
    if (lostMs > 0) addLostIdle(lostMs)
  }

  stop () {
    clearTimeout(this.#busy)
    clearTimeout(this.#calm)
    this.#rest.leave()
    this.#told.load?.end()
    this.#ran.close()
  }
}

/**
 * @typedef {object} Options ms
 * @property {number} beatPeriod
 * @property {number} calmPeriod
 * @property {number} threshold
 * @property {() => boolean} [isWanted] asked at each beat; false ends the heartbeat
 * @property {(atMs: number, idleMs: number) => void} [onLate] told of a beat after a gap that can hide a block, and how
 * long the loop has idled so far
 *
 * @typedef {{ load?: import('../shedding/loop-load').LoopLoad, delays?: import('./delays').Delays,
 *   profiler?: import('./profile/profiler').HostProfiler,
 *   works?: Pick<import('../work/lazy-work-tracking').WorkLater, 'beat'> }} Told of every beat
 */

/**
 * @param {import('../../bridge/memory').Bridge} bridge
 * @param {Options} options
 * @param {Told} [told]
 */
exports.startHeartbeat = (bridge, options, told = {}) => new Heartbeat(bridge, options, told)
