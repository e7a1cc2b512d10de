'use strict'

const { Activity } = require('../../util/activity')
const { nowMs } = require('../../util/clock')
const { isNativeBlock } = require('../../explain/parts')
const { causes } = require('../../tables/causes')
const { PROFILE } = require('../../bridge/messages')
const { isStartup } = require('../loop/detector')
const { NOT_ALLOWED } = require('../loop/inspector')
const { MS_PER_S } = require('../../util/units')

/**
 * @import { Bridge } from '../../bridge/memory'
 * @import { Window } from '../../explain/profile/cpu-profile'
 * @import { BlockRecord, ProfilerAction as Action } from '../../types'
 * @import { Health, Say } from '../health'
 * @import { ProfileWindows } from './profile-windows'
 */

/** The profile starts after this long without work: in a large application a start takes longer than a block. */
const QUIET_MS = 1000
/** A block settles without its profile after this long. The profile comes when the host answers. */
const AWAIT_MS = 2000
/** If a step keeps the application longer, it is the last. Even on a busy machine, steps take a tenth of this. */
const LONG_MS = { start: 1000, startIfSmall: 1000, take: 250, stay: Infinity, missed: Infinity, stop: Infinity }
/** A profiler that refused, or a question without an answer, is tried again after this long. */
const RETRY_MS = 60000
/** Why there is no profile next to one of Node.js itself: see isProfiledByNode() in lib/host/runtime.js. */
const PROFILES_ITSELF = 'Node.js itself profiles this process (--cpu-prof) or counts its coverage (NODE_V8_COVERAGE)'

/** The pause needs a moment in which nobody waits, or the operator's consent. */
const NEVER_QUIET = "starting it would pause the application, which had no quiet second in a minute; profile: 'on' starts it at start-up"
/** A bug of V8: its thread, which hands the samples over, spins at 100% of a CPU for as long as it profiles. */
const WITHOUT_TICKS = 'V8 delivers no samples, and its thread may use a whole CPU'

/**
 * The CPU profile of the host: decides when it starts, and passes on what the host takes. The host reads what is asked
 * when its loop turns.
 */
class Profiling {
  /** @type {{ action: Action, atMs: number } | null} */
  #asked = null
  /** @type {number | null} since when it has been on, by the host */
  #onSinceMs = null
  #activity = new Activity(QUIET_MS)
  /** @type {number | null} when the last block ended that has no profile yet */
  #owedMs = null
  /** Nothing that ended by this time has a profile, as the profiler rested. */
  #missedMs = -Infinity
  #retryAtMs = -Infinity
  #isGivenUp = false
  /** Whether the application is still to be asked whether it is small. */
  #isAsking
  /** @type {number | null} since when blocks need it */
  #neededAtMs = null
  #parts

  /**
   * @param {object} parts @param {'off' | 'auto' | 'on'} parts.mode @param {string | null} parts.refusal why not
   * @param {(action: Action) => void} parts.ask @param {() => number} parts.activeMs of the loop so far
   * @param {(nowMs: number) => number} parts.queuedMs how long the thread has waited for a CPU so far
   * @param {() => number} parts.underWay requests and pieces of work
   * @param {() => boolean} parts.isStarting the application, whose loop has hardly waited for anything
   * @param {ProfileWindows['keep']} parts.keep @param {Say} parts.say
   * @param {(failure: { message: string } | null) => void} parts.onState
   */
  constructor (parts) {
    this.#parts = parts
    this.#isAsking = parts.mode === 'auto' && parts.refusal === null
    if (parts.mode !== 'off' && parts.refusal !== null) this.#refuse(parts.refusal)
  }

  get isOn () {
    return this.#onSinceMs !== null
  }

  get isBusy () {
    return this.#isAsking || this.#asked !== null || this.#owedMs !== null
  }

  /** Reported if asked for: else the doubt about lines shows it. @param {string} message @param {number} [untilMs] */
  #refuse (message, untilMs = Infinity) {
    this.#retryAtMs = untilMs
    if (this.#parts.mode === 'on' || this.#isGivenUp) this.#parts.onState({ message })
  }

  /** @param {number} now @param {boolean} isBlocked */
  poll (now, isBlocked) {
    const { mode } = this.#parts
    if (mode === 'off' || this.isOn || now < this.#retryAtMs) return
    if (this.#asked !== null && (isBlocked || now - this.#asked.atMs < RETRY_MS)) return
    if (mode === 'on' || this.#neededAtMs !== null) {
      if (!isBlocked && (mode === 'on' || this.#isQuiet(now, this.#neededAtMs))) this.#ask('start', now)
    } else if (this.#isAsking && (!this.#parts.isStarting() || this.#parts.underWay() > 0)) {
      this.#askIfSmall(now)
    }
  }

  /** @param {number} now */
  #askIfSmall (now) {
    this.#isAsking = false
    this.#ask('startIfSmall', now)
  }

  /**
   * Whether the loop has hardly worked for a second, and nobody waits for it.
   * @param {number} now @param {number | null} neededAtMs
   */
  #isQuiet (now, neededAtMs) {
    const isWork = this.#activity.count(now, this.#ranMs(now))
    if (isWork === null) return false
    if (!isWork && this.#parts.underWay() === 0) return true
    if (now - (neededAtMs ?? now) >= RETRY_MS) this.#parts.onState({ message: NEVER_QUIET })
    return false
  }

  /** The loop's active time without waits for a CPU. @param {number} now */
  #ranMs (now) {
    return this.#parts.activeMs() - this.#parts.queuedMs(now)
  }

  /** @param {Action} action @param {number} now */
  #ask (action, now) {
    this.#asked = { action, atMs: now }
    this.#parts.ask(action)
  }

  /** Gets what was sampled until now: the host takes it only after a block. Starts it in a loop that never waited. */
  want () {
    if (this.#asked !== null) return
    if (this.isOn) this.#ask('take', nowMs())
    else if (this.#isAsking) this.#askIfSmall(nowMs())
  }

  /** Takes a message of the host. @param {any} message */
  receive (message) {
    const now = nowMs()
    const { action, isOn, tookMs, failure, taken, atMs = now } = message
    this.#asked = null
    const window = taken === null ? null : this.#parts.keep(taken)
    if (action === 'missed') this.#miss(message.endMs)
    if (action !== 'stop') this.#activity.begin(now, this.#ranMs(now))
    if (taken !== null && this.#owedMs !== null && taken.endMs >= this.#owedMs) this.#owedMs = null
    this.#switch(isOn, tookMs, action, atMs)
    if (failure !== null) this.#refuse(failure, now + RETRY_MS)
    else if (isOn && tookMs > LONG_MS[/** @type {Action} */ (action)]) this.#giveUp(`it paused the application for ${Math.round(tookMs)} ms (${action})`)
    else if (isOn && window !== null && isWithoutTicks(window)) this.#giveUp(WITHOUT_TICKS)
    else if (isOn && !this.#isGivenUp) this.#parts.onState(null)
  }

  /** @param {string} reason */
  #giveUp (reason) {
    this.#isGivenUp = true
    this.#refuse(reason)
    this.#parts.ask('stop')
  }

  /** @param {boolean} isOn @param {number} tookMs @param {Action} action @param {number} atMs */
  #switch (isOn, tookMs, action, atMs) {
    if (isOn === this.isOn) return
    const ms = Math.round(tookMs)
    if (isOn) {
      this.#onSinceMs = atMs
      // In a small application this is not news.
      const level = action === 'startIfSmall' ? 'debug' : 'info'
      this.#parts.say(level, { event: 'profile_on', tookMs: ms }, `CPU profiler started, so that native calls have their lines (option profile: '${this.#parts.mode}'); starting it paused the application for ${ms} ms`)
    } else {
      const seconds = Math.round((atMs - /** @type {number} */ (this.#onSinceMs)) / MS_PER_S)
      this.#onSinceMs = null
      this.#owedMs = null
      this.#parts.say('info', { event: 'profile_off', seconds, tookMs: ms }, `CPU profiler stopped after ${seconds} s`)
    }
  }

  /** What ended by then was not sampled. @param {number} endMs */
  #miss (endMs) {
    this.#missedMs = endMs
    if (this.#owedMs !== null && this.#owedMs <= endMs) this.#owedMs = null
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
    if (!isProfileNeeded(record)) return
    this.#neededAtMs ??= nowMs()
    // This application blocks out of idle time without a request: the lines of such blocks are worth the wake-ups.
    if (this.isOn && endMs <= this.#missedMs) this.#parts.ask('stay')
  }
}

/**
 * @param {'off' | 'auto' | 'on'} mode @param {{ mayInspect: boolean, ownProfile: boolean, profilesItself: boolean,
 * post: (message: object) => void, health: Health,
 * bridge: Pick<Bridge, 'beat' | 'counters'> } & Pick<ConstructorParameters<typeof
 * Profiling>[0], 'keep' | 'queuedMs'>} parts
 */
exports.startProfiling = (mode, { mayInspect, ownProfile, profilesItself, post, health, ...parts }) => {
  const { bridge } = parts
  const refusal = !mayInspect ? NOT_ALLOWED : profilesItself ? PROFILES_ITSELF : null
  return new Profiling({
    ...parts,
    mode,
    say: health.say,
    onState: health.listener('profile'),
    refusal: ownProfile ? null : refusal,
    ask: (action) => post({ code: PROFILE, action }),
    activeMs: () => bridge.beat.read().activeMs,
    underWay: () => bridge.counters.get('inFlight') + bridge.counters.get('workInFlight'),
    isStarting: () => isStartup(bridge.beat.beats, bridge.beat.read())
  })
}

/**
 * Whether V8 sampled nothing in a second, in which it takes ten samples at least, idle or not. A profile has a first
 * stack all the same, which counts as no hit: pprof-nodejs knows the bug by this sign.
 * @param {Window} window
 */
const isWithoutTicks = ({ startMs, endMs, profile: { nodes } }) =>
  endMs - startMs >= QUIET_MS && nodes.every(({ hitCount }) => hitCount === 0)

/** Whether a profile would show more: no stacks, or only ones from after a native call. @param {BlockRecord} record */
function isProfileNeeded (record) {
  const { cause, frame, startup } = record
  if (causes[cause].excuse !== undefined || startup) return false
  return frame === null || !frame.exact || isNativeBlock(record)
}

exports.AWAIT_MS = AWAIT_MS
exports.Profiling = Profiling
exports.isProfileNeeded = isProfileNeeded
