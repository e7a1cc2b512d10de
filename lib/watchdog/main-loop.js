'use strict'

const fs = require('node:fs')
const { setTimeout: sleep } = require('node:timers/promises')
const { ScriptTimeouts } = require('./kernel/script-timeouts')
const { AgentHolds, AllowedTime, GcPauses, Queries, SleptCalls } = require('./loop/intervals')
const { DebuggerPauses } = require('./loop/debugger-pauses')
const { Explainer } = require('./loop/explainer')
const { askHost } = require('./loop/inspector')
const { LoopMonitor } = require('./loop/monitor')
const { RestWatch } = require('./loop/rest-watch')
const { Sampler } = require('./loop/sampler')
const { Origins } = require('./origin/origin-matcher')
const { ProfileWindows } = require('./profile/profile-windows')
const { startProfiling } = require('./profile/profiling')
const { SourceReader } = require('./source/source-reader')
const { HEAP_PROFILE, PROFILE, QUERY, SOURCE_MAP } = require('../bridge/messages')
const { nowMs } = require('../util/clock')

/**
 * @import { Bridge } from '../bridge/memory'
 * @import { Health } from './health'
 * @import { Stats } from './kernel/thread-stats'
 * @import { SelfLateness } from './loop/self-lateness'
 * @import { Phases } from './sinks'
 * @import { WorkerData } from './watchdog'
 */

/**
 * @typedef {object} LoopParts
 * @property {WorkerData} data @property {Bridge} bridge @property {Stats} stats
 * @property {SelfLateness} lateness @property {Health} health
 * @property {() => string} nextId @property {(message: object) => void} post to the host
 */

/** Time between two looks of settle(). */
const LOOK_MS = 5

/** Monitors the main thread's event loop, with all that is known of it: sources, origins, CPU profile, GC pauses. */
class MainLoop {
  #allowed
  #holds

  /** @param {LoopParts} parts */
  constructor ({ data, bridge, health, stats, lateness, nextId, post }) {
    const { options, question, inspectorRefusal, stripsTypes, compilesAll, begunAtMs } = data
    const { heap, beat, counters, answer } = bridge
    // The history of the application reads its package.json before there is a monitor.
    const mayWork = /** @returns {boolean} */ () => !this.monitor?.isAboutToReport
    const sources = this.sources = new SourceReader({ post, say: health.say, stripsTypes, compilesAll, mayWork })
    const gcPauses = this.gcPauses = new GcPauses(bridge.gcPauses)
    const windows = this.windows = new ProfileWindows(sources)
    const { frames } = sources
    const isAuto = options.origin === 'auto'
    const origins = this.origins = new Origins({
      isAuto, frames, post, say: health.say, onState: health.listener('origin')
    })
    const queries = options.statements === 'on' ? new Queries((file) => sources.sourceRows(file), post) : null
    this.queries = queries
    const times = () => stats.host.times()
    const { profiling, heapProfiling } = startProfiling({ data, bridge, gcPauses, times, windows, health, post })
    this.profiling = profiling
    this.heapProfiling = heapProfiling
    this.explainer = new Explainer(health, data, sources.code.packageIn)
    const allowed = this.#allowed = new AllowedTime(bridge)
    const holds = this.#holds = new AgentHolds(counters)
    const pauses = new DebuggerPauses({ callName: () => stats.calls.name(), onState: health.listener('debugger') })
    const waits = new SleptCalls(() => stats.calls.read(), () => stats.sight.isAsleep)
    const scripts = new ScriptTimeouts(() => beat.read().atMs, begunAtMs)
    this.monitor = new LoopMonitor({
      owner: { thread: 'main', threadId: 0 },
      bridge,
      options,
      rest: new RestWatch({ sight: stats.sight, counters, thresholdMs: options.threshold }),
      sampler: new Sampler({ channel: answer, ask: askInspector(inspectorRefusal, scripts, health), question }),
      stats: stats.host,
      adjust: (pollReading, calm) => pauses.adjust(holds.adjust(pollReading), calm),
      onFacts: factsIn(options.facts, health),
      explainer: this.explainer,
      isAwaited: (endMs, now) => profiling.isAwaited(endMs, now),
      surroundings: {
        gcPauses,
        lateness,
        windows,
        holds,
        origins,
        queries,
        allowed,
        waits,
        memory: { heap, system: stats.memory, profile: () => heapProfiling.latest }
      },
      code: windows.code,
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
    const isBlocked = monitor.blockedMs > 0
    this.profiling.poll(now, isBlocked)
    this.heapProfiling.poll(now, isBlocked)
    this.sources.workOff()
    return polled
  }

  /** Loads what the first block needs while there is time: in a block it takes 20 ms, in which nothing is asked. */
  loadRest () {
    require('../explain/record')
    this.sources.load()
  }

  /** SleptCalls for the final records of blocks that have ended. @param {number} mostMs */
  async settle (mostMs) {
    const untilMs = nowMs() + mostMs
    while (!this.monitor.isSettled && nowMs() < untilMs) await sleep(LOOK_MS)
  }

  /** Stops; a block in progress is reported so far. @param {number} now @param {Phases} sinks */
  stop (now, sinks) {
    this.sources.finish()
    this.monitor.stop(now, sinks)
  }

  /** Takes a message of the host. @param {any} message */
  receive (message) {
    if (message.code === PROFILE) this.profiling.receive(message)
    else if (message.code === HEAP_PROFILE) this.heapProfiling.receive(message)
    else if (message.code === QUERY) this.queries?.receive(message)
    else if (message.code === SOURCE_MAP) this.sources.receive(message)
    else this.origins.receive(message)
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

/** @param {string | null} refusal @param {ScriptTimeouts} scripts @param {Health} health */
function askInspector (refusal, scripts, health) {
  return (/** @type {boolean} */ isAgain) => {
    if (refusal === null && scripts.mayEnd) return false
    const failure = refusal ?? askHost(isAgain)
    health.set('inspector', failure === null ? null : { message: failure })
    return failure === null
  }
}

exports.MainLoop = MainLoop
