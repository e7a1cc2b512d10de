'use strict'

const { ScriptTimeouts } = require('./kernel/script-timeouts')
const { AgentHolds } = require('./loop/agent-holds')
const { AllowedTime } = require('./loop/allowed-time')
const { BlockMemory } = require('./loop/block-memory')
const { GcPauses } = require('./loop/gc-pauses')
const { askHost, NOT_ALLOWED } = require('./loop/inspector')
const { LoopMonitor } = require('./loop/monitor')
const { RestWatch } = require('./loop/rest-watch')
const { Waits } = require('./loop/waits')
const { Origins } = require('./origin/origin-matcher')
const { startAllocations } = require('./profile/allocations')
const { ProfileWindows } = require('./profile/profile-windows')
const { startProfiling } = require('./profile/profiling')
const { SourceReader } = require('./source/source-reader')
const { ALLOCATIONS, PROFILE, SOURCE_MAP } = require('../bridge/messages')

/**
 * @typedef {object} Seen what all monitors are made of
 * @property {import('./watchdog').WorkerData} data @property {import('../bridge/memory').Bridge} bridge
 * @property {ReturnType<typeof import('./kernel/thread-stats').openStats>} stats
 * @property {import('./loop/poll-scheduler').PollScheduler} scheduler @property {import('./health').Health} health
 * @property {() => string} nextId @property {(message: object) => void} post to the host
 */

/** Monitors the main thread's event loop, with all that is known of it: sources, origins, CPU profile, GC pauses. */
class MainLoop {
  #sources
  #allowed
  #holds

  /** @param {Seen} parts */
  constructor ({ data, bridge, health, stats, scheduler: { lateness }, nextId, post }) {
    const { options, mayInspect, ownProfile, profilesItself, stripsTypes, compilesAll } = data
    const { say } = health
    const mayWork = /** @returns {boolean} */ () => !this.monitor.isAboutToReport
    const sources = this.#sources = new SourceReader({ post, say, stripsTypes, compilesAll, mayWork })
    const { frames } = sources
    const gcPauses = new GcPauses(bridge.gcPauses)
    const allowed = this.#allowed = new AllowedTime(bridge)
    const holds = this.#holds = new AgentHolds(bridge.counters)
    const origins = makeOrigins({ options, frames, post, health })
    const scripts = new ScriptTimeouts(() => bridge.beat.read().atMs, data.begunAtMs)
    const windows = new ProfileWindows(sources)
    const profiler = { mayInspect, scripts, ownProfile, profilesItself, post, bridge, keep: windows.keep, health }
    const profiling = startProfiling(options.profile, { ...profiler, queuedMs: stats.host.queuedMs })
    const waits = new Waits(() => stats.calls.read())
    const memory = () => new BlockMemory(bridge.heap, stats.memory)
    const allocations = this.allocations = startAllocations(options.profile, { mayInspect, scripts, windows, post })
    this.frames = frames
    this.frameIn = windows.frameIn
    this.gcPauses = gcPauses
    this.origins = origins
    this.profiling = profiling
    this.monitor = new LoopMonitor({
      thread: 'main',
      threadId: 0,
      bridge,
      options,
      rest: new RestWatch({ sight: stats.sight, counters: bridge.counters, thresholdMs: options.threshold }),
      ask: askInspector(mayInspect, scripts, health),
      stats: stats.host,
      waits,
      adjust: (seen) => holds.adjust(seen),
      isAwaited: (endMs, now) => profiling.isAwaited(endMs, now) || allocations.isAwaited(endMs, now),
      surroundings: surroundingsOf({
        windows, gcPauses, lateness, allowed, origins, waits, allocations, memory, holds
      }),
      frames,
      nextId
    })
  }

  /** Returns when to poll again at the latest, null if a whole poll is needed. @param {number} now */
  quickCheck (now) {
    this.#allowed.drain()
    this.#sources.workOff()
    const isBusy = this.profiling.isBusy || this.allocations.isBusy
    return isBusy || !this.#holds.isCalm(now) ? null : this.monitor.quickCheck(now)
  }

  /** @param {number} now @param {boolean} selfLate @param {import('./sinks').Phases} sinks */
  poll (now, selfLate, sinks) {
    const { monitor } = this
    this.#allowed.drain()
    this.#sources.beginPoll()
    const polled = monitor.poll(now, selfLate, sinks)
    this.origins.poll(now, monitor.beat)
    const isBlocked = monitor.blockedMs > 0
    this.profiling.poll(now, isBlocked)
    this.allocations.poll(now, isBlocked)
    this.#sources.workOff()
    return polled
  }

  /** Stops; a block in progress is reported so far. @param {number} now @param {import('./sinks').Phases} sinks */
  stop (now, sinks) {
    this.#sources.finish()
    this.monitor.stop(now, sinks)
  }

  /** The lines of a source, null if they cannot be read. @param {string} file */
  linesOf (file) {
    return this.#sources.linesOf(file)
  }

  /** Takes a message of the host. @param {any} message */
  receive (message) {
    if (message.code === PROFILE) this.profiling.receive(message)
    else if (message.code === ALLOCATIONS) this.allocations.receive(message)
    else if (message.code === SOURCE_MAP) this.#sources.receive(message)
    else this.origins.receive(message)
  }
}

/**
 * @param {{ frames: SourceReader['frames'], options: Seen['data']['options'] } & Pick<Seen, 'health' | 'post'>} parts
 */
const makeOrigins = ({ options, frames, post, health }) =>
  new Origins({ isAuto: options.origin === 'auto', frames, post, say: health.say, onState: health.listener('origin') })

/**
 * @param {object} parts @param {ProfileWindows} parts.windows @param {GcPauses} parts.gcPauses
 * @param {import('./loop/poll-scheduler').PollScheduler['lateness']} parts.lateness @param {AllowedTime} parts.allowed
 * @param {Origins} parts.origins @param {Waits} parts.waits
 * @param {import('./profile/allocations').Allocations} parts.allocations @param {AgentHolds} parts.holds
 * @param {() => BlockMemory} parts.memory @returns {import('./loop/monitor').Parts['surroundings']}
 */
function surroundingsOf ({ windows, gcPauses, lateness, allowed, origins, waits, allocations, memory, holds }) {
  return {
    layProfile: (record, startMs, endMs) => allocations.lay(windows.lay(record, startMs, endMs), startMs, endMs),
    gcWithin: (startMs, endMs) => gcPauses.within(startMs, endMs),
    isMajorGcWithin: (startMs, endMs) => gcPauses.isMajorWithin(startMs, endMs),
    watchdogGapWithin: (startMs, endMs) => lateness.within(startMs, endMs),
    heldMicros: (nowMs) => holds.heldMicros(nowMs),
    allowedWithin: (startMs, endMs) => allowed.reasonWithin(startMs, endMs),
    originWithin: (startMs, endMs) => origins.within(startMs, endMs),
    waitWithin: (startMs, endMs) => waits.within(startMs, endMs),
    memory
  }
}

/** @param {boolean} mayInspect @param {ScriptTimeouts} scripts @param {import('./health').Health} health */
function askInspector (mayInspect, scripts, health) {
  return (/** @type {boolean} */ isAgain) => {
    if (mayInspect && scripts.mayEnd) return false
    const failure = mayInspect ? askHost(isAgain) : NOT_ALLOWED
    health.set('inspector', failure === null ? null : { message: failure })
    return failure === null
  }
}

exports.MainLoop = MainLoop
