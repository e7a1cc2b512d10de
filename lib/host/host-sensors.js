'use strict'

const { executionAsyncResource } = require('node:async_hooks')
const { nextTick } = require('node:process')
const { environment, nodeFlags } = require('../options/environment')
const { createMemory, openBridge } = require('../bridge/memory')
const { LEAD } = require('../bridge/messages')
const { startClusterRole } = require('./cluster-role')
const { OriginTracker } = require('./origin/tracker')
const { compilesAll, isProfiledByNode, mayInspect, ownsProfile, stripsTypes } = require('./runtime')
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
 * @import { WorkLater } from './work/lazy-work-tracking'
 */

/**
 * An object that nextTick() makes. V8 forgets the shape of these objects if two full collections find none of them, and
 * nextTick() then takes 0.3 to 0.8 us instead of 0.05 until the process ends (20.20 to 26.10). A loop at rest has
 * none, and an agent's small garbage brings its collections forward.
 * @type {object[]}
 */
const ticks = []

/** @typedef {(message: object) => void} Post to the watchdog, if there is one */

/**
 * @param {ResolvedOptions} options @param {Post} post
 * @param {(file: string) => void} see called with the files of stacks
 */
exports.startSenses = (options, post, see) => {
  /** @type {Part[]} */
  const started = []
  try {
    return startAll(options, post, started, see)
  } catch (error) {
    stopAll(started)
    throw error
  }
}

/** @typedef {{ stop: () => void }} Part */
/** @typedef {<T>(step: () => T) => T} Hold runs a step of the agent itself, which is not a block of the application */

/** @param {Part[]} parts */
function stopAll (parts) {
  for (const part of parts) {
    try {
      part.stop()
    } catch {
      // The application may have frozen what one of them would undo.
    }
  }
}

/**
 * @param {ResolvedOptions} options @param {Bridge} bridge @param {Post} post
 * @param {Part[]} started each part is added as soon as it is started, and has to be stopped @param {Hold} hold
 */
function startParts (options, bridge, post, started, hold) {
  /** @template {Part} P @param {P} part @returns {P} */
  const keep = (part) => {
    started.push(part)
    return part
  }
  const { load, delays, report } = measureLoad(options, bridge)
  const { works, isUnsafe, escalates } = startWorkLater(options, bridge, post, hold)
  keep(works)
  const { profiler, ownProfile, profilesItself } = startProfiler(options, bridge, post)
  keep(profiler)
  const threads = keep(startThreads(options, post, isStarting))
  const onLate = lateTo(works, profiler)
  const heartbeat = keep(startHeartbeat(bridge, { ...options, onLate }, { load, delays, profiler, works }))
  const onHeld = (/** @type {number} */ ms) => bridge.counters.addHeldMs('agentMicros', ms, options.threshold)
  const origins = keep(new OriginTracker(options, post, onHeld))
  const cluster = keep(startClusterRole(() => post({ code: LEAD })))
  if (options.gc === 'on') keep(startGcObserver(bridge))
  return {
    works, isUnsafe, escalates, profiler, ownProfile, profilesItself, threads, load, report, heartbeat, origins, cluster
  }
}

/**
 * @param {ResolvedOptions} options @param {Post} post @param {Part[]} started @param {(file: string) => void} see
 */
function startAll (options, post, started, see) {
  if (ticks.length === 0) nextTick(() => ticks.push(executionAsyncResource()))
  const memory = createMemory()
  const bridge = openBridge(memory)
  /** @type {Hold} */
  const hold = (step) => bridge.counters.hold('agentMicros', options.threshold, step)
  const parts = startParts(options, bridge, post, started, hold)
  const { works, isUnsafe, escalates, profiler, threads, load, report, heartbeat, origins } = parts
  return {
    works,
    escalates,
    profiler,
    threads,
    heartbeat,
    probe: createProbe(bridge, works.current, see),
    gauge: { load, counters: bridge.counters },
    report,
    allowed: new AllowedCalls(bridge),
    thresholdMs: options.threshold,
    keep: options.keep,
    origins,
    hold,
    workerData: () => ({
      memory,
      options: { ...options, route: undefined },
      mayInspect: mayInspect(),
      ownProfile: parts.ownProfile,
      profilesItself: parts.profilesItself,
      namesRequests: !isUnsafe,
      escalates,
      stripsTypes: stripsTypes(),
      compilesAll: compilesAll(),
      role: parts.cluster.role(),
      threads: threads.hellos()
    }),
    stop: () => stopAll(started)
  }
}

/** @param {WorkLater} works @param {HostProfiler} profiler */
function lateTo (works, profiler) {
  return (/** @type {number} */ atMs, /** @type {number} */ idleMs) => {
    restoreError()
    works.late(atMs, idleMs)
    profiler.late(atMs)
  }
}

/**
 * With `on` the profile starts here: V8 has the least to list before the application is compiled, 8 ms on 20.20 and 20
 * on later lines. With `auto` the watchdog asks for it later: from then on V8 reports each function that it compiles,
 * which was most of what the agent added to the start of a large application.
 * @param {ResolvedOptions} options @param {Bridge} bridge @param {Post} post
 */
function startProfiler (options, bridge, post) {
  const isOwn = options.profile !== 'off' && ownsProfile()
  const profiler = new HostProfiler(bridge, { thresholdMs: options.threshold, isOwn, mayRest: mayInspect() }, post)
  const profilesItself = isProfiledByNode(nodeFlags(), environment())
  if (options.profile === 'on' && (isOwn || (mayInspect() && !profilesItself))) profiler.run('start')
  return { profiler, ownProfile: isOwn, profilesItself }
}

exports.stopAll = stopAll
