'use strict'

const process = require('../../util/process')
const { threadId } = require('node:worker_threads')
const { nowMs, fromTimelineMs } = require('../../util/clock')
const { createMemory, openBridge } = require('../../bridge/memory')
const { findExitLock } = require('../../bridge/worker-exit-lock')
const { startHeartbeat } = require('../sense/heartbeat')
const { createProbe } = require('../sense/probe')
const { NoopAgent } = require('../noop-agent')
const { nameOf, nativeId, script, tell } = require('./hello')
const { WorkerTracker } = require('./tracker')

const kAgent = Symbol.for('loopwatch.agent.1')

/** Requests are followed on the main thread alone. */
const noRequest = () => ({ context: undefined, isCertain: true })

const registry = /** @type {Record<symbol, NoopAgent | undefined>} */ (/** @type {unknown} */ (globalThis))

/**
 * What runs in a worker thread of the application so that the watchdog can watch it. Loaded by the
 * watchdog, through the inspector: nothing here may throw, print or keep the thread alive. Pauses of the
 * garbage collector are not observed: where the loop does not turn for hours (pools that wait in
 * Atomics.wait), Node.js would pile up their entries for as long.
 * @param {object} parts
 * @param {string} parts.name of the worker, may be empty
 * @param {boolean} parts.isInterrupt called on top of running code rather than by the loop
 * @param {{ threshold: number, resolution: number, calmPeriod: number }} parts.options ms
 */
exports.install = ({ name, isInterrupt, options }) => {
  const known = registry[kAgent]
  const agent = known ?? new NoopAgent()
  const isOurs = known === undefined
  // As by lib/util/define-hidden.js, which would be one more file to load at an interrupt.
  const property = { __proto__: null, value: agent, configurable: true, enumerable: false, writable: true }
  if (isOurs) Object.defineProperty(globalThis, kAgent, /** @type {any} */ (property))
  // Released by a watchdog that has ended, it may not have beaten since.
  if (agent.announce === undefined || agent.isReleased?.()) {
    agent.announce = watchThisThread(agent, isOurs, nameOf(name, script()), isInterrupt, options)
  }
  agent.announce()
}

/**
 * @param {NoopAgent} agent
 * @param {boolean} isOurs it was made for this, not by the application
 * @param {string} name
 * @param {boolean} isInterrupt
 * @param {{ threshold: number, resolution: number, calmPeriod: number }} options
 * @returns {() => void} tells the watchdog of this thread
 */
function watchThisThread (agent, isOurs, name, isInterrupt, options) {
  const memory = createMemory()
  const bridge = openBridge(memory)
  const { counters } = bridge
  const exitLock = findExitLock()
  const workers = new WorkerTracker((message) => tell({ ...message, by: threadId }), exitLock)
  const onExit = () => {
    counters.add('ended', 1)
    exitLock?.end(nowMs())
  }
  const isReleased = () => counters.get('released') !== 0
  agent.isReleased = isReleased
  startHeartbeat(bridge, {
    ...options,
    startMs: isInterrupt ? blockedSinceMs() : null,
    isWanted: () => {
      if (!isReleased()) return true
      process.off('exit', onExit)
      workers.stop()
      // Unless the thread has been told to a later watchdog meanwhile.
      if (agent.isReleased === isReleased) {
        agent.announce = agent.probe = agent.isReleased = undefined
        if (isOurs && registry[kAgent] === agent) delete registry[kAgent]
      }
      return false
    }
  })
  process.once('exit', onExit)
  agent.probe = createProbe(bridge, noRequest)
  agent.getBuiltinModule = process.getBuiltinModule
  const tid = nativeId()
  return () => tell({ memory, threadId, name, tid })
}

/** A loop that never waited has been in its entry file since the thread was ready. */
function blockedSinceMs () {
  if (performance.eventLoopUtilization().idle > 0) return nowMs()
  return fromTimelineMs(performance.nodeTiming.bootstrapComplete)
}
