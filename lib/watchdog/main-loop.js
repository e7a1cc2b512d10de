'use strict'

const fs = require('node:fs')
const { ScriptTimeouts } = require('./kernel/script-timeouts')
const { AgentHolds, AllowedTime, GcPauses, Waits } = require('./loop/intervals')
const { BlockMemory } = require('./loop/block-memory')
const { DebuggerPauses } = require('./loop/debugger-pauses')
const { askHost, NOT_ALLOWED } = require('./loop/inspector')
const { LoopMonitor } = require('./loop/monitor')
const { RestWatch } = require('./loop/rest-watch')
const { Origins } = require('./origin/origin-matcher')
const { ProfileWindows } = require('./profile/profile-windows')
const { startProfiling } = require('./profile/profiling')
const { SourceReader } = require('./source/source-reader')
const { PROFILE, SOURCE_MAP } = require('../bridge/messages')
const { nowMs } = require('../util/clock')
const { Recently } = require('../util/recently')

/**
 * @import { Bridge } from '../bridge/memory'
 * @import { Health } from './health'
 * @import { Parts } from './loop/monitor'
 * @import { PollScheduler } from './loop/poll-scheduler'
 * @import { Phases } from './sinks'
 * @import { WorkerData } from './watchdog'
 */

/**
 * @typedef {object} LoopParts what all monitors are made of
 * @property {WorkerData} data @property {Bridge} bridge
 * @property {ReturnType<typeof import('./kernel/thread-stats').openStats>} stats
 * @property {PollScheduler} scheduler @property {Health} health
 * @property {() => string} nextId @property {(message: object) => void} post to the host
 */

/** After this long without a failure, blocks count as explained again. */
const TRUST_MS = 60000

/** Monitors the main thread's event loop, with all that is known of it: sources, origins, CPU profile, GC pauses. */
class MainLoop {
  sources
  #allowed
  #holds

  /** @param {LoopParts} parts */
  constructor ({ data, bridge, health, stats, scheduler: { lateness }, nextId, post }) {
    const { options, mayInspect, ownProfile, profilesItself, stripsTypes, compilesAll } = data
    const { say } = health
    const mayWork = /** @returns {boolean} */ () => !this.monitor.isAboutToReport
    const { frames } = this.sources = new SourceReader({ post, say, stripsTypes, compilesAll, mayWork })
    const gcPauses = this.gcPauses = new GcPauses(bridge.gcPauses)
    const allowed = this.#allowed = new AllowedTime(bridge)
    const holds = this.#holds = new AgentHolds(bridge.counters)
    const pauses = new DebuggerPauses({ callName: () => stats.calls.name(), onState: health.listener('debugger') })
    const origins = this.origins = makeOrigins({ options, frames, post, health })
    const scripts = new ScriptTimeouts(() => bridge.beat.read().atMs, data.begunAtMs)
    const windows = new ProfileWindows(this.sources)
    const { threshold: thresholdMs } = options
    const profiler = { mayInspect, ownProfile, profilesItself, post, bridge, keep: windows.keep, health, thresholdMs }
    const times = () => stats.host.times()
    const profiling = this.profiling = startProfiling(options.profile, { ...profiler, times })
    const waits = new Waits(() => stats.calls.read())
    const memory = () => new BlockMemory(bridge.heap, stats.memory)
    this.code = this.sources.code
    this.frameIn = windows.frameIn
    this.onThrow = (/** @type {Error} */ error) => health.threw('explain', error)
    this.onExplained = explainedIn(health)
    this.monitor = new LoopMonitor({
      thread: 'main',
      threadId: 0,
      bridge,
      question: data.question,
      options,
      rest: new RestWatch({ sight: stats.sight, counters: bridge.counters, thresholdMs }),
      ask: askInspector(mayInspect, scripts, health),
      stats: stats.host,
      waits,
      adjust: (pollReading, calm) => pauses.adjust(holds.adjust(pollReading), calm),
      onFacts: factsIn(options.facts, health),
      onThrow: this.onThrow,
      onExplained: this.onExplained,
      isAwaited: (endMs, now) => profiling.isAwaited(endMs, now),
      surroundings: surroundingsOf({ windows, gcPauses, lateness, allowed, origins, waits, memory, holds }),
      code: { ...this.code, sources: () => windows.sources },
      nextId
    })
  }

  /** Returns when to poll again at the latest, null if a whole poll is needed. @param {number} now */
  quickCheck (now) {
    this.#allowed.drain()
    this.sources.workOff()
    return this.profiling.isBusy || !this.#holds.isCalm(now) ? null : this.monitor.quickCheck(now)
  }

  /** @param {number} now @param {boolean} selfLate @param {Phases} sinks */
  poll (now, selfLate, sinks) {
    const { monitor } = this
    this.#allowed.drain()
    this.sources.beginPoll()
    const polled = monitor.poll(now, selfLate, sinks)
    if (monitor.isAboutToReport) return polled
    this.origins.poll(now, monitor.beat)
    this.profiling.poll(now, monitor.blockedMs > 0)
    this.sources.workOff()
    return polled
  }

  /** Loads what the first block needs while there is time: in a block it takes 20 ms, in which nothing is asked. */
  loadRest () {
    require('../explain/record')
    this.sources.load()
  }

  /** Stops; a block in progress is reported so far. @param {number} now @param {Phases} sinks */
  stop (now, sinks) {
    this.sources.finish()
    this.monitor.stop(now, sinks)
  }

  /** The lines of a source, null if they cannot be read. @param {string} file */
  linesOf (file) {
    return this.sources.linesOf(file)
  }

  /** Takes a message of the host. @param {any} message */
  receive (message) {
    if (message.code === PROFILE) this.profiling.receive(message)
    else if (message.code === SOURCE_MAP) this.sources.receive(message)
    else this.origins.receive(message)
  }
}

/**
 * @param {{ frames: SourceReader['frames'], options: LoopParts['data']['options'] } &
 * Pick<LoopParts, 'health' | 'post'>} parts
 */
const makeOrigins = ({ options, frames, post, health }) =>
  new Origins({ isAuto: options.origin === 'auto', frames, post, say: health.say, onState: health.listener('origin') })

/**
 * @param {object} parts @param {ProfileWindows} parts.windows @param {GcPauses} parts.gcPauses
 * @param {PollScheduler['lateness']} parts.lateness @param {AllowedTime} parts.allowed
 * @param {Origins} parts.origins @param {Waits} parts.waits @param {AgentHolds} parts.holds
 * @param {() => BlockMemory} parts.memory @returns {Parts['surroundings']}
 */
function surroundingsOf ({ windows, gcPauses, lateness, allowed, origins, waits, memory, holds }) {
  return {
    profileWithin: (startMs, endMs) => windows.within(startMs, endMs),
    gcWithin: (startMs, endMs) => gcPauses.within(startMs, endMs),
    isMajorGcWithin: (startMs, endMs) => gcPauses.isMajorWithin(startMs, endMs),
    gcPausesWithin: (startMs, endMs) => gcPauses.listWithin(startMs, endMs),
    watchdogGapWithin: (startMs, endMs) => lateness.within(startMs, endMs),
    heldMicros: (nowMs) => holds.heldMicros(nowMs),
    allowedWithin: (startMs, endMs) => allowed.reasonWithin(startMs, endMs),
    originWithin: (startMs, endMs) => origins.within(startMs, endMs),
    waitWithin: (startMs, endMs) => waits.within(startMs, endMs),
    memory
  }
}

/** @param {string | undefined} file that gets them @param {Health} health */
function factsIn (file, health) {
  if (file === undefined) return undefined
  return (/** @type {object} */ facts) => {
    try {
      fs.appendFileSync(file, `${JSON.stringify(facts)}\n`, { mode: 0o640 })
    } catch (error) {
      health.threw('facts', /** @type {Error} */ (error))
    }
  }
}

/** Reports that blocks cannot be explained until none has failed for a minute. @param {Health} health */
function explainedIn (health) {
  const failures = new Recently({ withinMs: TRUST_MS })
  return (/** @type {Error | null} */ failure) => {
    const now = nowMs()
    if (failure !== null) failures.add(now)
    if (failure !== null || !failures.isOn(now)) health.set('explain', failure)
  }
}

/** @param {boolean} mayInspect @param {ScriptTimeouts} scripts @param {Health} health */
function askInspector (mayInspect, scripts, health) {
  return (/** @type {boolean} */ isAgain) => {
    if (mayInspect && scripts.mayEnd) return false
    const failure = mayInspect ? askHost(isAgain) : NOT_ALLOWED
    health.set('inspector', failure === null ? null : { message: failure })
    return failure === null
  }
}

exports.MainLoop = MainLoop
