'use strict'

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { setTimeout, clearTimeout } = require('node:timers')
const { getHeapCodeStatistics, getHeapSpaceStatistics } = require('node:v8')
const process = require('../../../util/process')
const { Activity } = require('../../../util/activity')
const { nowMs } = require('../../../util/clock')
const { PROFILE } = require('../../../bridge/messages')
const { InspectorProfile, V8Profile } = require('./profile-sources')
const { lackOfProfileRoom } = require('../../../util/room')
const { threadCpuMs } = require('../../../util/usage')
const { BYTES_PER_MB } = require('../../../util/units')

/**
 * @import { Bridge } from '../../../bridge/memory'
 * @import { ProfilerAction as Action } from '../../../types'
 * @import { HeapProfile } from './heap-profile'
 */

/**
 * Sampling interval as a share of the threshold: a block has one sample, two from 1.2 thresholds on. More samples would
 * wake an idle process more often. scenarios/overhead/figures.md has how often the line of a short block is right.
 */
const INTERVAL_SHARE = 0.6
/** A shorter interval costs CPU time and wakes an idle process; a longer one leaves a flame graph of nothing. */
const LEAST_INTERVAL_MS = 10
const MOST_INTERVAL_MS = 100
/** Time after a sample until it is in the profile: V8's thread passes it on when it takes the next one. */
const SETTLE_MS = 5
/** A profile that no block needs is dropped after this much work of the loop, as long ones take long to write. */
const WINDOW_ACTIVE_MS = 1000
const WINDOW_IDLE_MS = 60000
/** A loop that has hardly worked for this long rests. Most health probes have a shorter interval. */
const REST_AFTER_MS = 5000
/** While blocks follow each other without a pause, a profile is taken this long after the first. */
const LONGEST_OWED_MS = 1000
/** Slower begins and ends of a rest, as on a busy machine, rule out another rest for BUSY_MS. */
const LONG_SWITCH_MS = 25
const BUSY_MS = 60000
/** Channels of requests, which end most rests. The profile then begins before the code that answers the request. */
const CHANNELS = ['http.server.request.start', 'http2.server.stream.start']

/** An application may have patched require(). */
const loadInspector = () => process.getBuiltinModule('node:inspector')

/**
 * V8's CPU profile of this thread, from either source. The watchdog decides when it starts; this thread takes it after
 * each block, between two turns, in time that is not a block of the application. A source that can pause rests while
 * the loop idles.
 */
class HostProfiler {
  #source
  /** @type {V8Profile | null} the source, if it can rest */
  #own
  #settleMs
  #lastStart = { tookMs: 0, estimateMs: 0 }
  #counters
  #thresholdMs
  #send
  #mayRest
  #workedAtMs = 0
  #activity = new Activity()
  #activeMs = 0
  #beganActiveMs = 0
  /** The profile in progress is to be taken, not dropped. */
  #isKept = false
  /** @type {HeapProfile | null} */
  #heap = null
  /** @type {NodeJS.Timeout | undefined} */
  #owed
  #owedAtMs = 0

  /**
   * @param {Pick<Bridge, 'counters'>} bridge
   * @param {{ thresholdMs: number, isOwn?: boolean, mayRest?: boolean }} options blocks from thresholdMs on are to be
   * named. isOwn: by `v8.startCpuProfile()`, see ownsProfile() in lib/host/runtime.js. mayRest: interrupts see what a
   * rest misses. @param {(message: object) => void} send to the watchdog
   */
  constructor ({ counters }, { thresholdMs, isOwn = false, mayRest = false }, send) {
    const wantedMs = thresholdMs * INTERVAL_SHARE
    const intervalMs = Math.round(Math.min(Math.max(wantedMs, LEAST_INTERVAL_MS), MOST_INTERVAL_MS))
    this.#counters = counters
    this.#thresholdMs = thresholdMs
    this.#own = isOwn ? new V8Profile(intervalMs) : null
    this.#source = this.#own ?? new InspectorProfile(intervalMs)
    this.#settleMs = intervalMs + SETTLE_MS
    this.#mayRest = mayRest
    this.#send = send
  }

  /** Starts or ends a heap profile. @param {{ isStart: boolean, isCounting: boolean }} question of the watchdog */
  runHeap (question) {
    const { HeapProfile } = require('./heap-profile')
    this.#heap ??= new HeapProfile(this.#counters, this.#thresholdMs, this.#send)
    this.#heap.run(question)
  }

  /** Whether V8 samples this thread at present, by signals. */
  get isSampling () {
    return this.#source.isOn && !this.#own?.isResting
  }

  /** @param {Action} action @param {number} [mostMs] if a start is estimated to take more, nothing starts */
  run (action, mostMs = Infinity) {
    this.#hold(() => this.#send({ code: PROFILE, action, ...this.#try(action, mostMs, nowMs()), atMs: nowMs() }))
  }

  /** Runs a step that is not a block of the application. @param {() => void} step @returns {number} ms that it took */
  #hold (step) {
    const startMs = nowMs()
    try {
      this.#counters.hold('profileMicros', this.#thresholdMs, step)
    } catch {
      // Not reported: the watchdog asks again.
    }
    return nowMs() - startMs
  }

  /** @param {Action} action @param {number} mostMs @param {number} startMs */
  #try (action, mostMs, startMs) {
    const wasOn = this.#source.isOn
    const estimateMs = action === 'start' ? startCostNowMs() : 0
    const isBusy = mostMs !== Infinity && this.#counters.openWork > 0
    let taken = null
    let failure = null
    try {
      if (action !== 'start' || (!isBusy && estimateMs <= mostMs)) taken = this.#do(action)
    } catch (error) {
      failure = `${error?.message}`
      this.stop()
    }
    const tookMs = nowMs() - startMs
    const { isOn } = this.#source
    if (isOn && !wasOn) this.#lastStart = { tookMs, estimateMs }
    return { isOn, tookMs, failure, taken, ...(action === 'start' && { ...this.#lastStart, isBusy }) }
  }

  /** @param {Action} action */
  #do (action) {
    if (action === 'stop' || action === 'stay') return action === 'stop' ? this.stop() : this.#stay()
    if (action === 'keep') this.#isKept = true
    const inspector = loadInspector()
    // A profile of the inspector would show up in a debugger that is connected.
    if (this.#own === null && inspector?.url() !== undefined) {
      throw new Error('an inspector port is open (--inspect)')
    }
    if (action === 'start' && !this.#source.isOn) {
      const lack = lackOfProfileRoom()
      if (lack !== null) throw new Error(lack)
      this.#source.start(inspector)
    }
    if (action !== 'take' || !this.#source.isOn) return null
    this.#beganActiveMs = this.#activeMs
    this.#isKept = false
    return this.#source.take()
  }

  /** A beat came after a gap that can hide a block: its samples are taken once all are there. @param {number} atMs */
  late (atMs) {
    if (!this.#source.isOn) return
    // A rest has no samples to wait for. It goes on, as most gaps on a busy machine are not the loop's doing.
    if (this.#own?.isResting) {
      return this.#send({
        code: PROFILE,
        action: 'missed',
        isOn: true,
        tookMs: 0,
        failure: null,
        taken: null,
        endMs: atMs
      })
    }
    if (this.#owed === undefined) this.#owedAtMs = atMs
    else if (atMs - this.#owedAtMs >= LONGEST_OWED_MS) return
    clearTimeout(this.#owed)
    this.#owed = setTimeout(() => {
      this.#owed = undefined
      this.run('take')
    }, this.#settleMs).unref()
  }

  /** @param {number} atMs @param {number} activeMs of the loop so far */
  beat (atMs, activeMs) {
    if (!this.#source.isOn) return
    this.#activeMs = activeMs
    // CPU time counts, as the loop's active time on a busy machine includes waits for a CPU.
    const isWork = this.#own !== null && this.#activity.count(atMs, threadCpuMs())
    if (isWork) this.#workedAtMs = Math.max(this.#workedAtMs, atMs)
    if (this.#own?.isResting) {
      if (isWork) this.#wake()
    } else if (this.#owed === undefined) {
      if (this.#own !== null && this.#mayRest && atMs - this.#workedAtMs >= REST_AFTER_MS) this.#rest(this.#own)
      else if (activeMs - this.#beganActiveMs >= WINDOW_ACTIVE_MS || atMs - this.#source.beganAtMs >= WINDOW_IDLE_MS) {
        this.#renew()
      }
    }
  }

  #renew () {
    this.#beganActiveMs = this.#activeMs
    // An open port ends the profile, which run() reports.
    if (this.#isKept || (this.#own === null && loadInspector()?.url() !== undefined)) this.run('take')
    else this.#hold(() => this.#source.renew())
  }

  /** @param {V8Profile} own */
  #rest (own) {
    this.#switched(this.#hold(() => own.rest()))
    for (const name of CHANNELS) subscribe(name, this.#wake)
  }

  /** Called by channels, so an error would be thrown into the application. */
  #wake = () => {
    for (const name of CHANNELS) unsubscribe(name, this.#wake)
    this.#workedAtMs = Math.max(this.#workedAtMs, nowMs())
    this.#beganActiveMs = this.#activeMs
    if (this.#own?.isResting) this.#switched(this.#hold(() => this.#own?.wake()))
  }

  /** @param {number} tookMs */
  #switched (tookMs) {
    // The next rest begins later by this time.
    if (tookMs > LONG_SWITCH_MS) this.#workedAtMs = nowMs() + BUSY_MS
  }

  #stay () {
    this.#mayRest = false
    this.#wake()
    return null
  }

  /** Throws the last profiles away, unwritten. */
  stop () {
    this.#heap?.stop()
    clearTimeout(this.#owed)
    this.#owed = undefined
    for (const name of CHANNELS) unsubscribe(name, this.#wake)
    try {
      this.#source.stop()
    } catch {
      // Out of memory, for example.
    }
    return null
  }
}

/**
 * CPU time of a start per MB: V8's profiler walks the whole heap and lists each function. Fitted to heaps of 4 to 730
 * MB, of rows, of compiled functions, and of large packages at work, on the slowest of 20.20, 22.23, 24.21 and 26.10. A
 * start takes 5 to 15 ms less.
 */
const MS_PER_MB = { heap: 0.7, bytecode: 5, code: 10 }

/** Upper bound, ms. 1 MB of rows takes 0.5 to 0.7. @param {{ heap: number, bytecode: number, code: number }} bytes */
exports.startCostMs = ({ heap, bytecode, code }) =>
  (heap * MS_PER_MB.heap + bytecode * MS_PER_MB.bytecode + code * MS_PER_MB.code) / BYTES_PER_MB

const startCostNowMs = () => {
  const { bytecode_and_metadata_size: bytecode, code_and_metadata_size: code } = getHeapCodeStatistics()
  // A large object is one step of the walk, whatever its size: a string of 150 MB takes nothing.
  const walked = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.includes('large_object'))
  const heap = walked.reduce((sum, { space_used_size: used }) => sum + used, 0)
  return exports.startCostMs({ heap, bytecode, code })
}

exports.loadInspector = loadInspector
exports.HostProfiler = HostProfiler
exports.startCostNowMs = startCostNowMs
