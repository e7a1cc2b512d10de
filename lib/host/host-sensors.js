'use strict'

const { executionAsyncResource } = require('node:async_hooks')
const { nextTick } = require('node:process')
const { environment, nodeFlags } = require('../options/environment')
const { createMemory, openBridge } = require('../bridge/memory')
const { LEAD } = require('../bridge/messages')
const { startClusterRole } = require('./cluster-role')
const { OriginTracker } = require('./origin/tracker')
const { compilesAll, inspectorRefusal, isProfiledByNode, ownsProfile, stripsTypes } = require('./runtime')
const { AllowedCalls } = require('./sense/allowed-calls')
const { startGcObserver } = require('./sense/heap')
const { startHeartbeat } = require('./sense/heartbeat')
const { measureLoad } = require('./sense/load-report')
const { createProbe, restoreError } = require('./sense/probe')
const { HostProfiler } = require('./sense/profile/profiler')
const { startWorkLater } = require('./work/lazy-work-tracking')
const { startThreads } = require('./threads/outside-watch')
const { isStarting } = require('./watchdog-thread')

/**
 * @import { Bridge } from '../bridge/memory'
 * @import { ResolvedOptions } from '../options/table'
 */

/**
 * One object of nextTick(), kept alive. If two full collections find no such object, V8 forgets their shape, and
 * nextTick() takes 0.3 to 0.8 us instead of 0.05 until the process ends (20.20 to 26.10). A loop at rest has none, and
 * the agent's small garbage brings its collections forward.
 * @type {object[]}
 */
const ticks = []

/** @typedef {(message: object) => void} Post to the watchdog, if there is one */

/** @typedef {{ stop: () => void }} Sensor */
/** @typedef {<T>(step: () => T) => T} Hold runs a step of the agent itself, which is not a block of the application */

/**
 * @param {ResolvedOptions} options @param {Post} post
 * @param {(file: string) => void} onFile called with the files of stacks
 */
exports.startSenses = (options, post, onFile) => {
  /** @type {Sensor[]} */
  const started = []
  try {
    return startAll(options, post, started, onFile)
  } catch (error) {
    stopAll(started)
    throw error
  }
}

/** @param {Sensor[]} sensors */
function stopAll (sensors) {
  for (const sensor of sensors) {
    try {
      sensor.stop()
    } catch {
      // The application may have frozen what one of them would undo.
    }
  }
}

/**
 * @param {ResolvedOptions} options @param {Post} post
 * @param {Sensor[]} started each sensor is added as soon as it has to be stopped @param {(file: string) => void} onFile
 */
function startAll (options, post, started, onFile) {
  /** @template {Sensor} S @param {S} sensor @returns {S} */
  const keep = (sensor) => {
    started.push(sensor)
    return sensor
  }
  if (ticks.length === 0) nextTick(() => ticks.push(executionAsyncResource()))
  const memory = createMemory()
  const bridge = openBridge(memory)
  const { counters } = bridge
  const { threshold } = options
  /** @type {Hold} */
  const hold = (step) => counters.hold('agentMicros', threshold, step)
  const { load, delays, report } = measureLoad(options, bridge)
  const { works, isUnsafe, escalates } = startWorkLater(options, bridge, post, hold)
  keep(works)
  const { profiler, ownProfile, profilesItself } = startProfiler(options, bridge, post)
  keep(profiler)
  const threads = keep(startThreads(options, post, isStarting))
  const onLate = (/** @type {number} */ atMs, /** @type {number} */ idleMs) => {
    restoreError()
    works.late(atMs, idleMs)
    profiler.late(atMs)
  }
  const heartbeat = keep(startHeartbeat(bridge, { ...options, onLate }, { load, delays, profiler, works }))
  const origins = keep(new OriginTracker(options, post, (ms) => counters.addHeldMs('agentMicros', ms, threshold)))
  const cluster = keep(startClusterRole(() => post({ code: LEAD })))
  if (options.gc === 'on') keep(startGcObserver(bridge))
  return {
    works,
    escalates,
    profiler,
    threads,
    heartbeat,
    probe: createProbe(bridge, works.current, onFile),
    gauge: { load, counters },
    report,
    allowed: new AllowedCalls(bridge),
    thresholdMs: threshold,
    keep: options.keep,
    origins,
    hold,
    workerData: () => ({
      memory,
      options: { ...options, route: undefined },
      inspectorRefusal: inspectorRefusal(),
      ownProfile,
      profilesItself,
      namesRequests: !isUnsafe,
      escalates,
      stripsTypes: stripsTypes(),
      compilesAll: compilesAll(),
      role: cluster.role(),
      threads: threads.hellos()
    }),
    stop: () => stopAll(started)
  }
}

/**
 * With `on` the profile starts here: before the application is compiled, V8 has the least to list (8 ms on 20.20, 20 on
 * later lines). With `auto` the watchdog asks for it later, as V8 reports each function that it compiles while a
 * profile runs: most of what the agent added to the start of a large application.
 * @param {ResolvedOptions} options @param {Bridge} bridge @param {Post} post
 */
function startProfiler (options, bridge, post) {
  const isOwn = options.profile !== 'off' && ownsProfile()
  const mayInspect = inspectorRefusal() === null
  const profiler = new HostProfiler(bridge, { thresholdMs: options.threshold, isOwn, mayRest: mayInspect }, post)
  const profilesItself = isProfiledByNode(nodeFlags(), environment())
  if (options.profile === 'on' && (isOwn || (mayInspect && !profilesItself))) profiler.run('start')
  return { profiler, ownProfile: isOwn, profilesItself }
}

exports.stopAll = stopAll
