'use strict'

const { environment, nodeFlags } = require('../options/environment')
const { createMemory, openBridge } = require('../bridge/memory')
const { LEAD } = require('../bridge/messages')
const { startClusterRole } = require('./cluster-role')
const { OriginTracker } = require('./origin/tracker')
const { compilesAll, isProfiledByNode, mayInspect, ownsProfile, stripsTypes } = require('./runtime')
const { AllowedCalls } = require('./sense/allowed-calls')
const { startGcObserver } = require('./sense/gc')
const { startHeartbeat } = require('./sense/heartbeat')
const { measureLoad } = require('./sense/load-report')
const { createProbe } = require('./sense/probe')
const { HostProfiler, loadInspector } = require('./sense/profile/profiler')
const { startWorkLater } = require('./work/lazy-work-tracking')
const { startThreads } = require('./threads')
const { isStarting } = require('./watchdog-thread')

/** @typedef {import('../options/table').ResolvedOptions} ResolvedOptions */
/** @typedef {import('../bridge/memory').Bridge} Bridge */
/** @typedef {(message: object) => void} Post to the watchdog, if there is one */

/**
 * Starts all that senses on the application's thread.
 * @param {ResolvedOptions} options
 * @param {Post} post
 * @param {boolean} isPreload
 * @param {(file: string) => void} see called with the files of stacks
 */
exports.startSenses = (options, post, isPreload, see) => {
  /** @type {Part[]} */
  const started = []
  try {
    return startAll(options, post, isPreload, started, see)
  } catch (error) {
    stopAll(started)
    throw error
  }
}

/** @typedef {{ stop: () => void }} Part */

/** @param {Part[]} parts */
function stopAll (parts) {
  parts.forEach((part) => part.stop())
}

/**
 * @param {ResolvedOptions} options
 * @param {Bridge} bridge
 * @param {Post} post
 * @param {boolean} isPreload
 * @param {Part[]} started what has to be stopped, one by one as it is started
 */
function startParts (options, bridge, post, isPreload, started) {
  /** @template {Part} P @param {P} part @returns {P} */
  const keep = (part) => {
    started.push(part)
    return part
  }
  const { load, delays, report } = measureLoad(options, bridge)
  const { works, isUnsafe, escalates } = startWorkLater(options, bridge, post)
  keep(works)
  const { profiler, ownProfile, profilesItself } = startProfiler(options, bridge, post, isPreload)
  keep(profiler)
  const threads = keep(startThreads(options, post, isStarting))
  const onLate = lateTo(works, profiler)
  const heartbeat = keep(startHeartbeat(bridge, { ...options, onLate }, { load, delays, profiler, works }))
  // Counted with the other time in which the agent itself keeps the thread.
  const onHeld = (/** @type {number} */ ms) => bridge.counters.addHeldMs('agentMicros', ms, options.threshold)
  const origins = keep(new OriginTracker(options, post, onHeld))
  const cluster = keep(startClusterRole(() => post({ code: LEAD })))
  if (options.gc === 'on') keep(startGcObserver(bridge))
  return {
    works, isUnsafe, escalates, profiler, ownProfile, profilesItself, threads, load, report, heartbeat, origins, cluster
  }
}

/**
 * @param {ResolvedOptions} options
 * @param {Post} post
 * @param {boolean} isPreload
 * @param {Part[]} started
 * @param {(file: string) => void} see
 */
function startAll (options, post, isPreload, started, see) {
  const memory = createMemory()
  const bridge = openBridge(memory)
  const parts = startParts(options, bridge, post, isPreload, started)
  const { works, isUnsafe, escalates, profiler, threads, load, report, heartbeat, origins } = parts
  return {
    works,
    escalates,
    profiler,
    heartbeat,
    probe: createProbe(bridge, works.current, see),
    gauge: { load, counters: bridge.counters },
    report,
    allowed: new AllowedCalls(bridge),
    thresholdMs: options.threshold,
    keep: options.keep,
    origins,
    /** What each start of the watchdog is given. */
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
      threads: threads.known()
    }),
    stop: () => stopAll(started)
  }
}

/**
 * Who is told of a beat after a gap that can hide a block.
 * @param {import('./work/lazy-work-tracking').WorkLater} works
 * @param {HostProfiler} profiler
 */
function lateTo (works, profiler) {
  return (/** @type {number} */ atMs, /** @type {number} */ idleMs) => {
    works.late(atMs, idleMs)
    profiler.late(atMs)
  }
}

/**
 * The profile is started here and not by the watchdog: before the application is compiled, V8 has the least to list. It
 * takes 8 ms in a bare process on 20.20 and 20 on later lines, which every command of a shell would pay under
 * NODE_OPTIONS.
 * @param {ResolvedOptions} options
 * @param {Bridge} bridge
 * @param {Post} post
 * @param {boolean} isPreload
 */
function startProfiler (options, bridge, post, isPreload) {
  const isOwn = options.profile !== 'off' && ownsProfile()
  const profiler = new HostProfiler(bridge, { thresholdMs: options.threshold, isOwn, mayRest: mayInspect() }, post)
  const profilesItself = isProfiledByNode(nodeFlags(), environment())
  const isWanted = options.profile === 'on' || (options.profile === 'auto' && !isPreload)
  if (isWanted && (isOwn || (mayInspect() && !profilesItself))) {
    profiler.run(loadInspector(), options.profile === 'on' ? 'start' : 'startIfSmall')
  }
  return { profiler, ownProfile: isOwn, profilesItself }
}
