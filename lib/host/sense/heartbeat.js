'use strict'

const { setTimeout, clearTimeout } = require('node:timers')
const { nowMs } = require('../../util/clock')
const { RESTS, RESTS_SAMPLED, TURNS } = require('../../bridge/beat')
const { LastBeat } = require('./last-beat')
const { Rest, PERIOD_MS: REST_PERIOD_MS, SAMPLED_PERIOD_MS } = require('./rest')
const { addLostIdle, loopTime } = require('./loop-time')
const { RanTime } = require('../../util/usage')

/**
 * @import { Bridge } from '../../bridge/memory'
 * @import { LoopLoad } from '../shedding/loop-load'
 * @import { WorkLater } from '../work/lazy-work-tracking'
 * @import { Delays } from './load-report'
 * @import { HostProfiler } from './profile/profiler'
 */

/** A loop that idled for this share of the time beats in its calm period. */
const CALM_SHARE = 0.9
/** A loop that has been calm for this long rests, if the watchdog can see by itself whether it is at work. */
const REST_AFTER_MS = 250
/** After a rest this long, one calm beat is enough: it follows the timers of the turn, so none of them took long. */
const LONG_REST_MS = 60
/** A turn that ran for all but this has not slept: the kernel's figure may be a tick of 4 ms old. */
const UNSLEPT_MS = 6
/** The kernel's figure of the time a thread ran is at most a tick old: 1 to 10 ms. */
const TICK_MS = 10

/**
 * Beats into shared memory: every `beatPeriod` ms while the loop turns, every `calmPeriod` ms while it hardly does
 * anything, four times per second while it rests. Waking a sleeping process is most of the cost of watching it.
 */
class Heartbeat {
  #bridge
  #options
  #receivers
  #last
  #ran = new RanTime()
  /** Idle time counted in excess, in ms (zero or negative). The next beat subtracts it. */
  #surplusMs = 0
  /** The time when the loop became calm, Infinity while it is not. */
  #calmAtMs = Infinity
  /** The delay of the last timer in a calm loop. */
  #punctualMs = 0
  #restAfterMs = REST_AFTER_MS
  #rest
  #rested = TURNS
  #busy
  /** @type {NodeJS.Timeout | undefined} */
  #calm

  /** @param {Bridge} bridge @param {Options} options @param {BeatReceivers} receivers */
  constructor (bridge, options, receivers) {
    const { beatPeriod } = options
    this.#bridge = bridge
    this.#options = options
    this.#receivers = receivers
    this.#rest = new Rest({ onTime: this.#onTime, onTurn: this.#onTurn })
    this.#last = new LastBeat(bridge, options)
    this.#last.write(nowMs(), beatPeriod)
    this.#busy = setTimeout(this.#onTime, beatPeriod).unref()
  }

  #onTime = () => {
    if (this.#options.isWanted?.() === false) return
    if (this.#rest.isOn) this.#endRest(this.#rest.isDue(nowMs()))
    else this.#beat()
  }

  #onTurn = () => this.#endRest(false)

  #beat () {
    const atMs = nowMs()
    const last = this.#last
    const { delays, load } = this.#receivers
    const { beatPeriod, calmPeriod } = this.#options
    const ranMs = this.#readRanMs()
    this.#countLostIdle(atMs, ranMs)
    const gapMs = atMs - last.atMs
    const { idleMs, periodMs } = last
    const lateMs = gapMs - periodMs
    last.reportGap(atMs)
    const isCalm = idleMs >= gapMs * CALM_SHARE
    this.#calmAtMs = isCalm ? Math.min(this.#calmAtMs, atMs) : Infinity
    if (!isCalm) this.#restAfterMs = REST_AFTER_MS
    if (isCalm) this.#punctualMs = Math.max(0, lateMs)
    const nextPeriodMs = isCalm ? calmPeriod : beatPeriod
    load?.beat(atMs, gapMs, idleMs, periodMs, nextPeriodMs)
    last.reportTurn(atMs, Math.min(lateMs, gapMs - idleMs))
    delays?.beat(atMs, lateMs)
    this.#next(atMs, atMs - this.#calmAtMs >= this.#restAfterMs ? REST_PERIOD_MS : nextPeriodMs, ranMs)
  }

  /** Ends a rest. @param {boolean} mayGoOn its timer ended it, and nothing else: the next rest may follow at once */
  #endRest (mayGoOn) {
    const atMs = nowMs()
    const last = this.#last
    const { threshold, beatPeriod, calmPeriod } = this.#options
    const { atMs: fromMs, periodMs } = last
    const gapMs = atMs - fromMs
    const ranMs = this.#readRanMs()
    const { busyMs, doubtMs } = this.#turnOf(atMs, ranMs)
    const lostMs = gapMs - busyMs - last.idleMs
    if (this.#rested === RESTS_SAMPLED && lostMs > 0) addLostIdle(lostMs)
    const { heldMs } = last
    const blockedMs = busyMs - heldMs
    // All of it is one turn, in which no beat was due.
    if (blockedMs >= threshold) last.reportLate(atMs, { fromMs: atMs - blockedMs, idleMs: 0, periodMs: doubtMs })
    else if (last.canHide(gapMs - heldMs)) {
      // The process was stopped while it slept, and its timer with it.
      last.reportLate(atMs, { fromMs: fromMs + heldMs, idleMs: gapMs - busyMs, periodMs })
    }
    last.reportTurn(atMs, busyMs)
    const isCalm = busyMs <= gapMs * (1 - CALM_SHARE)
    const nextPeriodMs = isCalm ? calmPeriod : beatPeriod
    tellAsBeats(this.#receivers, {
      fromMs, atMs, busyMs, periodMs: calmPeriod, punctualMs: this.#punctualMs, nextPeriodMs
    })
    const goesOn = mayGoOn && isCalm
    if (!goesOn) this.#calmAtMs = Infinity
    this.#restAfterMs = isCalm && gapMs >= LONG_REST_MS ? 0 : REST_AFTER_MS
    this.#next(atMs, goesOn ? REST_PERIOD_MS : nextPeriodMs, ranMs)
  }

  /** The length of the turn that ends a rest. @param {number} atMs */
  #turnMs = (atMs) => this.#turnOf(atMs, this.#readRanMs()).busyMs

  /** That length, and how far it may be off in either direction. @param {number} atMs @param {number} ranMs */
  #turnOf (atMs, ranMs) {
    const last = this.#last
    const mostMs = Math.max(0, atMs - last.atMs - last.idleMs)
    if (this.#rested !== RESTS_SAMPLED) return { busyMs: mostMs, doubtMs: 0 }
    // The time that it ran or waited for a CPU. Only the watchdog can tell sleep within the turn from the rest.
    const sinceMs = Math.min(mostMs, ranMs - last.ranMs || 0)
    const woken = this.#bridge.counters.woken(this.#bridge.beat.beats)
    const leastMs = woken === null ? 0 : atMs - last.atMs - woken.afterMs
    if (leastMs <= sinceMs + UNSLEPT_MS) return { busyMs: Math.max(sinceMs, leastMs), doubtMs: 0 }
    const doubtMs = (woken?.doubtMs ?? 0) / 2
    return { busyMs: Math.min(mostMs, leastMs + doubtMs), doubtMs }
  }

  /** The time that the thread has run so far, NaN if unknown or not needed. */
  #readRanMs () {
    return this.#rested === RESTS_SAMPLED || this.#receivers.profiler?.isSampling ? this.#ran.read() : NaN
  }

  /** Begins a new turn within one: what runs now is not part of what ran before. The next beat keeps its time. */
  turn () {
    if (this.#rest.isOn) return this.#endRest(false)
    const atMs = nowMs()
    const last = this.#last
    last.reportGap(atMs)
    const { beatPeriod } = this.#options
    const dueInMs = last.atMs + last.periodMs - atMs
    last.write(atMs, dueInMs === Infinity ? beatPeriod : Math.max(dueInMs, beatPeriod), this.#readRanMs(), this.#rested)
  }

  /** Whether the running turn can hide a block, or one whose record may not be final yet. */
  get mayHaveBlock () {
    return this.#last.mayHaveBlock
  }

  /** No block counts until the loop turns or turn() is called: code at the top level may take as long as it likes. */
  skipTopLevel () {
    this.#last.write(nowMs(), Infinity, this.#readRanMs(), this.#rested)
  }

  /** @param {number} atMs @param {number} periodMs @param {number} ranMs */
  #next (atMs, periodMs, ranMs) {
    const last = this.#last
    last.reportHeapIfDue(atMs)
    const { load, profiler, works } = this.#receivers
    works?.beat(atMs)
    profiler?.beat(atMs, loopTime().active)
    const rested = this.#rested = this.#restFrom(periodMs, ranMs)
    const restPeriodMs = rested === RESTS ? REST_PERIOD_MS : SAMPLED_PERIOD_MS
    last.write(atMs, rested === TURNS ? Math.min(periodMs, this.#options.calmPeriod) : restPeriodMs, ranMs, rested)
    load?.rest(rested === TURNS ? null : this.#turnMs)
    this.#arm(atMs)
  }

  /** Whether the loop turns or rests until the next beat. @param {number} periodMs @param {number} ranMs */
  #restFrom (periodMs, ranMs) {
    if (periodMs !== REST_PERIOD_MS || this.#bridge.counters.get('seesSleep') === 0) return TURNS
    // While V8 samples the thread, libuv loses the idle time that separates a turn from the rest before it.
    if (!this.#receivers.profiler?.isSampling) return RESTS
    return Number.isNaN(ranMs) ? TURNS : RESTS_SAMPLED
  }

  /** Arms a timer that has fired again, as a new one would leave garbage at each beat. @param {number} atMs */
  #arm (atMs) {
    const { periodMs } = this.#last
    if (this.#rested !== TURNS) return this.#rest.enter(atMs, periodMs)
    this.#rest.leave()
    if (periodMs < this.#options.calmPeriod) this.#busy.refresh()
    else if (this.#calm !== undefined) this.#calm.refresh()
    else this.#calm = setTimeout(this.#onTime, this.#options.calmPeriod).unref()
  }

  /**
   * Adds the idle time since the last beat that libuv has lost by signals, at most as long as the beat was to wait. A
   * gap that can hide a block stays as it is: sleep that is part of a block must not count.
   * @param {number} atMs @param {number} ranMs
   */
  #countLostIdle (atMs, ranMs) {
    const last = this.#last
    const gapMs = atMs - last.atMs
    const ranSinceMs = ranMs - last.ranMs
    if (Number.isNaN(ranSinceMs) || last.canHide(gapMs)) return
    const lostMs = Math.min(last.periodMs, gapMs - ranSinceMs) - last.idleMs + this.#surplusMs
    this.#surplusMs = Math.max(-TICK_MS, Math.min(0, lostMs))
    if (lostMs > 0) addLostIdle(lostMs)
  }

  stop () {
    clearTimeout(this.#busy)
    clearTimeout(this.#calm)
    this.#rest.leave()
    this.#receivers.load?.end()
    this.#ran.close()
  }
}

/**
 * @typedef {{ beatPeriod: number, calmPeriod: number, threshold: number, isWanted?: () => boolean,
 * onLate?: (atMs: number, idleMs: number) => void }} Options ms. isWanted is called at each beat; false ends the
 * heartbeat. onLate is called at a beat after a gap that can hide a block; idleMs is the loop's idle time so far.
 * @typedef {{ load?: LoopLoad, delays?: Delays, profiler?: HostProfiler,
 * works?: Pick<WorkLater, 'beat'> }} BeatReceivers these receive every beat
 */

/** @param {Bridge} bridge @param {Options} options @param {BeatReceivers} [receivers] */
exports.startHeartbeat = (bridge, options, receivers = {}) => new Heartbeat(bridge, options, receivers)

/** The most beats of one rest that are reported: those of a night in which the process was stopped take 0.2 s. */
const MOST = 1000

/**
 * Reports a rest as the beats of a calm loop. Delays and load are made of beats, and idle time has to weigh as much as
 * without the rest. `busyMs` is at the end of the rest. `punctualMs` is how late a beat is in an idle loop.
 * @param {{ load?: Pick<LoopLoad, 'beat'>, delays?: Pick<Delays, 'beat'> }} receivers
 * @param {{ fromMs: number, atMs: number, busyMs: number, periodMs: number, punctualMs: number,
 * nextPeriodMs: number }} rest
 */
const tellAsBeats = ({ load, delays }, { fromMs, atMs, busyMs, periodMs, punctualMs, nextPeriodMs }) => {
  const gapMs = atMs - fromMs
  const { punctual, lateMs } = beatsWithin(gapMs, busyMs, periodMs)
  for (let i = Math.max(1, punctual - MOST + 1); i <= punctual; i++) delays?.beat(fromMs + i * periodMs, punctualMs)
  const restMs = lateMs === null ? gapMs : punctual * periodMs
  const busyAtLastMs = Math.min(busyMs, gapMs - restMs)
  load?.beat(fromMs + restMs, restMs, restMs - (busyMs - busyAtLastMs), restMs, nextPeriodMs)
  if (lateMs === null) return
  load?.beat(atMs, gapMs - restMs, gapMs - restMs - busyAtLastMs, periodMs, nextPeriodMs)
  delays?.beat(atMs, lateMs)
}

/** lateMs is null if no late beat was due. @param {number} gapMs @param {number} busyMs @param {number} periodMs */
function beatsWithin (gapMs, busyMs, periodMs) {
  const punctual = Math.max(0, Math.floor((gapMs - busyMs) / periodMs))
  const lateMs = gapMs - (punctual + 1) * periodMs
  return { punctual, lateMs: lateMs >= 0 ? lateMs : null }
}
exports.tellAsBeats = tellAsBeats
