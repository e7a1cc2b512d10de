'use strict'

const v8 = require('node:v8')
const { nowMs } = require('../../util/clock')
const { isNativeBlock } = require('../../explain/parts')
const { isExcused } = require('../../tables/causes')
const { PROFILE } = require('../../bridge/messages')
const { isStartup } = require('../loop/detector')
const { CpuPrice } = require('../kernel/cpu-price')
const { HeapProfiling } = require('./heap-profiling')
const { LOCK_WAIT } = require('../../util/place-text')
const { MS_PER_MINUTE, MS_PER_S } = require('../../util/units')

/**
 * @import { Bridge } from '../../bridge/memory'
 * @import { Window } from '../../explain/profile/samples'
 * @import { BlockRecord, ProfilerAction as Action } from '../../types'
 * @import { Health, Say } from '../health'
 * @import { WorkerData } from '../watchdog'
 * @import { GcPauses } from '../loop/intervals'
 * @import { ProfileWindows } from './profile-windows'
 */

/** A block settles without its profile after this long. The profile comes when the host answers. */
const AWAIT_MS = 2000
/** If taking a profile keeps the application longer, it is the last. On a busy machine it takes a tenth of this. */
const LONG_TAKE_MS = 250
/** A profiler that refused, or a question without an answer, is tried again after this long. */
const RETRY_MS = 60000
/** A start that would have taken too long is tried again after this long, if a block needs the profile. */
const RETRY_DECLINED_MS = 10000
/** A start that met an open request is tried again after this long. */
const RETRY_SOON_MS = 100
/** A start that takes this many times its estimate shows that the machine is busier than it seemed. */
const UNEXPECTED = 2
const RETRY_UNEXPECTED_MS = 10 * MS_PER_MINUTE
/** V8 takes at least ten samples in this time. */
const TICKS_MS = 1000
/** The reason for no profile next to one of Node.js itself: see isProfiledByNode() in lib/host/runtime.js. */
const PROFILES_ITSELF = 'Node.js itself profiles this process (--cpu-prof) or counts its coverage (NODE_V8_COVERAGE)'

/** Starting needs a moment in which its pause is short and nobody waits, or the operator's consent. */
const TOO_LONG = 'starting one would pause the application for longer than the threshold, or during requests; ' +
  "profile: 'on' starts it with the process"
/** V8's sampling thread can spin at 100% of a CPU (a bug of V8). The profile is then stopped and not started again. */
const WITHOUT_TICKS = 'V8 delivers no samples, and may use a whole CPU'
/** A signal ends a sleep of SQLite early, and SQLite counts it in full: 2 s became 0.7 s on 24.21, 0.3 s on 26.10. */
const WAKES_SQLITE = 'signals of the profiler end the busy timeout of SQLite early, and the application waits for a ' +
  "lock; profile: 'on' keeps the profile anyway"

/**
 * The CPU profile of the host: decides when it starts, and passes on what the host takes. The host reads what is asked
 * when its loop turns.
 */
class Profiling {
  /** @type {number | null} when a start was asked for that has no answer yet */
  #askedAtMs = null
  /** @type {number | null} since when it has been on, by the host */
  #onSinceMs = null
  /** @type {number | null} when the last block ended that has no profile yet */
  #owedMs = null
  /** Blocks that ended by this time have no profile, as the profiler rested. */
  #missedMs = -Infinity
  #retryAtMs = -Infinity
  #isGivenUp = false
  /** The profile has yet to start, or to be declined, for the first time. */
  #isFirst
  #isWanted = false
  /** The time since which a start has been waiting for its moment. */
  #triedAtMs = Infinity
  /** @type {number | null} since when blocks need it */
  #neededAtMs = null
  #parts

  /**
   * @param {object} parts @param {'off' | 'auto' | 'on'} parts.mode @param {string | null} parts.refusal why not
   * @param {(action: Action, mostMs?: number) => void} parts.ask mostMs: CPU time that a start may take
   * @param {number} parts.thresholdMs @param {CpuPrice['read']} parts.price
   * @param {() => number} parts.underWay requests and pieces of work
   * @param {() => boolean} parts.isStarting the application, whose loop has hardly waited for anything
   * @param {ProfileWindows['keep']} parts.keep @param {Say} parts.say
   * @param {(failure: { message: string } | null) => void} parts.onState
   */
  constructor (parts) {
    this.#parts = parts
    this.#isFirst = parts.mode === 'auto' && parts.refusal === null
    if (parts.mode !== 'off' && parts.refusal !== null) this.#refuse(parts.refusal)
  }

  get isOn () {
    return this.#onSinceMs !== null
  }

  get isBusy () {
    return this.#isFirst || this.#askedAtMs !== null || this.#owedMs !== null
  }

  /** Reported if asked for: else the doubt about lines shows it. @param {string} message @param {number} [untilMs] */
  #refuse (message, untilMs = Infinity) {
    this.#retryAtMs = Math.max(this.#retryAtMs, untilMs)
    if (this.#parts.mode === 'on' || this.#isGivenUp) this.#parts.onState({ message })
  }

  /** @param {number} now @param {boolean} isBlocked */
  poll (now, isBlocked) {
    const { mode } = this.#parts
    if (mode === 'off' || this.isOn || now < this.#retryAtMs) return
    if (this.#askedAtMs !== null && (isBlocked || now - this.#askedAtMs < RETRY_MS)) return
    if (mode === 'on') {
      if (!isBlocked) this.#askStart(now)
      return
    }
    const { price, thresholdMs, underWay, isStarting, onState } = this.#parts
    if (this.#isFirst ? !this.#isWanted && isStarting() : this.#neededAtMs === null) return
    // A start must be likely to take less than a block, while nobody waits.
    const msPerCpuMs = price(now)
    this.#triedAtMs = Math.min(this.#triedAtMs, now)
    if (this.#neededAtMs !== null && now - this.#triedAtMs >= RETRY_MS) onState({ message: TOO_LONG })
    if (msPerCpuMs !== null && !isBlocked && underWay() === 0) this.#askStart(now, thresholdMs / msPerCpuMs)
  }

  /** @param {number} now @param {number} [mostMs] */
  #askStart (now, mostMs) {
    this.#askedAtMs = now
    this.#parts.ask('start', mostMs)
  }

  /** Asks for the profile in progress, which is dropped without a block. Starts one if there is none. */
  want () {
    this.#isWanted = true
    if (this.isOn) this.#parts.ask('keep')
  }

  /** Takes a message of the host. @param {any} message */
  receive (message) {
    const now = nowMs()
    const { action, isOn, tookMs, failure, taken, atMs = now } = message
    this.#askedAtMs = null
    const window = taken === null ? null : this.#parts.keep(taken)
    if (action === 'missed') {
      // Blocks that ended by then were not sampled.
      this.#missedMs = message.endMs
      if (this.#owedMs !== null && this.#owedMs <= message.endMs) this.#owedMs = null
    }
    if (taken !== null && this.#owedMs !== null && taken.endMs >= this.#owedMs) this.#owedMs = null
    if (action === 'start') this.#started(message, now)
    this.#switch(message, atMs)
    if (failure !== null) this.#refuse(failure, now + RETRY_MS)
    else if (isOn && action === 'take' && tookMs > LONG_TAKE_MS) {
      this.#giveUp(`reading the profile paused the application for ${Math.round(tookMs)} ms`)
    } else if (isOn && window !== null && isWithoutTicks(window)) this.#giveUp(WITHOUT_TICKS)
    else if (isOn && !this.#isGivenUp) this.#parts.onState(null)
  }

  /** @param {{ isOn: boolean, isBusy?: boolean, tookMs: number, estimateMs?: number }} answer @param {number} now */
  #started ({ isOn, isBusy, ...start }, now) {
    this.#isFirst &&= isBusy === true
    if (isUnexpected(start)) this.#retryAtMs = now + RETRY_UNEXPECTED_MS
    else if (!isOn) this.#retryAtMs = now + (isBusy ? RETRY_SOON_MS : RETRY_DECLINED_MS)
    if (isBusy) return
    this.#triedAtMs = Infinity
    if (!isOn && this.#neededAtMs !== null) this.#parts.onState({ message: TOO_LONG })
  }

  /** @param {string} reason */
  #giveUp (reason) {
    this.#isGivenUp = true
    this.#refuse(reason)
    this.#parts.ask('stop')
  }

  /** @param {{ isOn: boolean, tookMs: number, estimateMs?: number }} message @param {number} atMs */
  #switch ({ isOn, tookMs, estimateMs = tookMs }, atMs) {
    if (isOn === this.isOn) return
    const { mode, thresholdMs, say } = this.#parts
    const ms = Math.round(tookMs)
    if (isOn) {
      this.#onSinceMs = atMs
      const more = !isUnexpected({ tookMs, estimateMs })
        ? ''
        : ` instead of ${Math.round(estimateMs)} ms; the profiler does not start again within ` +
          `${RETRY_UNEXPECTED_MS / MS_PER_MINUTE} minutes`
      // A start that nobody asked for or notices is not news.
      say(mode === 'auto' && tookMs < thresholdMs ? 'debug' : 'info', { event: 'profile_on', tookMs: ms },
        `CPU profiler started, so that native calls have their lines (option profile: '${mode}'); the start ` +
          `paused the application for ${ms} ms${more}`)
    } else {
      const seconds = Math.round((atMs - /** @type {number} */ (this.#onSinceMs)) / MS_PER_S)
      this.#onSinceMs = null
      this.#owedMs = null
      say('info', { event: 'profile_off', seconds, tookMs: ms }, `CPU profiler stopped after ${seconds} s`)
    }
  }

  /** A block has ended: before the profile began, if it did so just after it. @param {number} endMs */
  ended (endMs) {
    if (endMs > Math.max(this.#onSinceMs ?? Infinity, this.#missedMs)) this.#owedMs = endMs
  }

  /** Whether the profile of a block may still come. @param {number} endMs of the block @param {number} now */
  isAwaited (endMs, now) {
    return this.#owedMs !== null && endMs <= this.#owedMs && now - endMs < AWAIT_MS
  }

  /** @param {BlockRecord} record @param {number} [endMs] of its block */
  settled (record, endMs = Infinity) {
    const isLocked = record.evidence.sleptIn?.text.startsWith(LOCK_WAIT)
    if (isLocked && this.#parts.mode === 'auto' && !this.#isGivenUp) this.#giveUp(WAKES_SQLITE)
    if (!isProfileNeeded(record)) return
    this.#neededAtMs ??= nowMs()
    // The application blocks out of idle time without a request. The lines of such blocks are worth the wake-ups.
    if (this.isOn && endMs <= this.#missedMs) this.#parts.ask('stay')
  }
}

/**
 * Profiles of the CPU and of the heap.
 * @param {object} parts @param {WorkerData} parts.data @param {Pick<Bridge, 'beat' | 'counters'>} parts.bridge
 * @param {GcPauses} parts.gcPauses
 * @param {ConstructorParameters<typeof CpuPrice>[0]} parts.times of the main thread
 * @param {ProfileWindows} parts.windows @param {Health} parts.health
 * @param {(message: object) => void} parts.post to the host
 */
exports.startProfiling = ({ data, bridge: { beat, counters }, gcPauses, times, windows, health, post }) => {
  const { options, inspectorRefusal, ownProfile, profilesItself } = data
  const prices = new CpuPrice(times)
  const refusal = inspectorRefusal ?? (profilesItself ? PROFILES_ITSELF : null)
  const profiling = new Profiling({
    mode: options.profile,
    refusal: ownProfile ? null : refusal,
    ask: (action, mostMs) => post({ code: PROFILE, action, mostMs }),
    thresholdMs: options.threshold,
    price: (now) => prices.read(now),
    underWay: () => counters.openWork,
    isStarting: () => isStartup(beat.beats, beat.read()),
    keep: windows.keep,
    say: health.say,
    onState: health.listener('profile')
  })
  const isPossible = options.profile !== 'off' && 'startHeapProfile' in v8
  const { table } = windows.code
  const heapProfiling = new HeapProfiling({ isPossible, counters, gcPauses, table, post, say: health.say })
  return { profiling, heapProfiling }
}

/** @param {{ tookMs: number, estimateMs?: number }} start */
const isUnexpected = ({ tookMs, estimateMs = tookMs }) => tookMs >= UNEXPECTED * estimateMs

/**
 * Whether V8 sampled nothing for a second, idle or not. Even then a profile has a first stack, which counts as no hit;
 * pprof-nodejs knows the bug by this sign. @param {Window} window
 */
const isWithoutTicks = ({ startMs, endMs, profile: { nodes } }) =>
  endMs - startMs >= TICKS_MS && nodes.every(({ hitCount }) => hitCount === 0)

/** Whether a profile would show more: no stacks, or only ones from after a native call. @param {BlockRecord} record */
function isProfileNeeded (record) {
  const { frame, startup } = record
  if (isExcused(record) || startup) return false
  return frame === null || !frame.exact || isNativeBlock(record)
}

exports.AWAIT_MS = AWAIT_MS
exports.Profiling = Profiling
exports.isProfileNeeded = isProfileNeeded
