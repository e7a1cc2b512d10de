'use strict'

const { roundMs } = require('../util/statistics')

/** @import { BlockParts, BlockRecord } from '../types' */

/**
 * @typedef {object} Evidence of one block; null where this machine cannot measure it
 * @property {number} durationMs so far, if ongoing @property {boolean} ongoing @property {number} thresholdMs
 * @property {number} busyMs time since the beat before the block in which the loop was not waiting for events
 * @property {number | null} cpuMs of the host thread
 * @property {number | null} runQueueMs the host thread was runnable but had no CPU
 * @property {number | null} throttledMs the cgroup had used up its CPU quota
 * @property {number | null} stolenMs a hypervisor ran others; neither of the two above includes it
 * @property {number} gcMs pauses of the garbage collector @property {number | null} [gcCpuMs] CPU time in them
 * @property {number | null} [gcHeldMs] the part of them in which the thread waited for a CPU or the process was stopped
 * @property {number} watchdogGapMs the watchdog did not run, and nothing shows that the process did
 * @property {number} samples answered
 * @property {number} nativeMs covered by late answers, by no answer yet, or by Node's own code around a native call,
 * without waiting in the run queue before the answer
 * @property {number | null} [nativeCpuMs] CPU time in the same, without collections
 * @property {number} runningMs covered by timely answers from JavaScript code, which a sleeping thread cannot give
 * @property {number | null} [machineIdleMs] idle time of all CPUs of the machine; read only if runQueueMs is null
 * @property {number | null} [preemptions] times a thread of the process lost its CPU; read only if runQueueMs is null
 * @property {number} requests distinct ones in samples @property {number} topRequestShare of their time, 0 to 1
 * @property {number} longestRunMs longest time of one request in samples without another in between
 */

/** Share of a block in which a thread must have run, or it may have slept in the rest. */
const SOME = 0.2

/**
 * A thread that competes for a CPU loses it every 3 to 15 ms (load of 2 to 6 on a CPU). If this happens so often, and
 * more than a few times, the thread did not sleep when it did not run.
 */
const PREEMPTED_MS = 25
const FEW_PREEMPTIONS = 3
/** A thread loses its CPU at least this often under the heaviest competition (load of 14 on 2). */
const HARDLY_RUN_MS = 100

/** Windows counts CPU time in ticks of 15.6 ms: a block may have used one tick more than was counted. */
const TICK_MS = 16

/**
 * @typedef {'durationMs' | 'cpuMs' | 'runQueueMs' | 'throttledMs' | 'stolenMs'} Times
 * @typedef {Pick<Evidence, Times | 'watchdogGapMs' | 'machineIdleMs' | 'preemptions'> & { runningMs?: number }} Waiting
 */

/**
 * Whether the thread competed for a CPU, if the kernel does not report waiting.
 * @param {Waiting} e @param {number} everyMs
 */
function isPreempted ({ durationMs, cpuMs, runQueueMs, preemptions }, everyMs) {
  const count = preemptions ?? 0
  return runQueueMs === null && count > FEW_PREEMPTIONS && durationMs - (cpuMs ?? 0) <= count * everyMs
}

/**
 * The wait for a CPU if the kernel does not report it: samples show JavaScript while the thread had no CPU. Many short
 * sleeps look the same, but then CPUs are idle. So does a stopped process, but then its watchdog was stopped too.
 * @param {Waiting} e
 */
function unrunMs (e) {
  const { durationMs, cpuMs, runningMs = 0, watchdogGapMs, machineIdleMs = null } = e
  if (cpuMs === null) return 0
  // The watchdog itself may have lost the CPUs while the thread slept.
  if (runningMs >= SOME * durationMs && isPreempted(e, PREEMPTED_MS)) return Math.max(0, durationMs - cpuMs)
  if (machineIdleMs === null) return 0
  return Math.max(0, runningMs - cpuMs - machineIdleMs - watchdogGapMs - TICK_MS)
}

/**
 * The wait for a CPU. In schedstat, a throttled thread is in the run queue. The throttled time of a control group is
 * summed over CPUs, and passes while the thread sleeps, too. @param {Waiting} e
 */
function waitMs (e) {
  const { durationMs, cpuMs, runQueueMs, throttledMs, stolenMs } = e
  const queuedMs = runQueueMs ?? Math.max(throttledMs ?? 0, unrunMs(e))
  return Math.min(Math.max(0, durationMs - (cpuMs ?? 0)), queuedMs + (stolenMs ?? 0))
}

/**
 * The time in which calls held up answers. A waiting thread answers late as well. Once it has answered, `nativeMs`
 * excludes its time in the run queue; other waiting is subtracted here. A pause of the collector delays an answer, too.
 * @param {Waiting & Pick<Evidence, 'nativeMs'> & { ongoing?: boolean, gcMs?: number }} e @param {number} waitedMs
 */
function heldUpMs ({ ongoing, nativeMs, runQueueMs, gcMs = 0 }, waitedMs) {
  const withinMs = ongoing ? waitedMs : waitedMs - Math.min(waitedMs, runQueueMs ?? 0)
  return Math.max(0, nativeMs - withinMs - Math.min(gcMs, nativeMs))
}

/**
 * Whether calls held up answers for at least half of the time in which the thread did not wait for a CPU.
 * @param {Pick<BlockRecord, 'evidence' | 'durationMs'>} record
 */
exports.isNativeBlock = ({ evidence, durationMs }) => {
  const waitedMs = waitMs({ ...evidence, durationMs })
  const gcMs = Math.min(evidence.gcMs, evidence.nativeMs)
  return heldUpMs({ ...evidence, durationMs }, waitedMs) >= (durationMs - waitedMs - gcMs) / 2
}

/**
 * The parts of a block, which add up to all of it. The evidence overlaps: pauses of the collector last longer while the
 * thread waits for a CPU, and a thread that sleeps or is stopped answers as late as a native call.
 * @param {Evidence} e @returns {BlockParts}
 */
exports.partsOf = (e) => {
  const { durationMs, cpuMs, gcMs, busyMs, thresholdMs } = e
  const waiting = waitMs(e)
  // The watchdog is stopped with its process. One that lost its CPU to other processes was not.
  const offMs = Math.max(0, durationMs - waiting - (cpuMs ?? 0))
  const stopped = isPreempted(e, HARDLY_RUN_MS) ? 0 : Math.min(e.watchdogGapMs, offMs)
  const heldMs = waiting + stopped
  const restMs = durationMs - heldMs
  const gc = Math.min(restMs, Math.max(0, gcMs - (e.gcHeldMs ?? heldMs * Math.min(1, gcMs / durationMs))))
  // A thread that waited for events and was woken late is unexplained.
  const code = busyMs < thresholdMs ? {} : codeIn(e, restMs - gc, heldUpMs(e, waiting) - stopped, heldMs)
  return addedUp({ js: 0, native: 0, gc, asleep: 0, waiting, stopped, ...code, unexplained: 0 }, durationMs)
}

/**
 * Parts of the time in which code ran or slept in calls. A collection that sleeps waits for its helper threads.
 * @param {Evidence} e @param {number} codeMs @param {number} lateMs for which calls held up answers
 * @param {number} heldMs waiting for a CPU, or stopped
 */
function codeIn ({ cpuMs, gcCpuMs, nativeCpuMs, runQueueMs, runningMs, samples }, codeMs, lateMs, heldMs) {
  // Without CPU time, a call that did not answer may have slept or computed.
  if (cpuMs === null) return { js: samples > 0 ? Math.max(0, codeMs - Math.max(0, lateMs)) : 0 }
  const ranMs = Math.min(codeMs, Math.max(0, cpuMs - (gcCpuMs ?? 0)))
  const offMs = codeMs - ranMs <= TICK_MS ? 0 : codeMs - ranMs
  // A thread that answered in time was held, or slept shortly and often.
  const isMeasured = samples > 0 || runQueueMs !== null
  const asleep = isMeasured ? Math.min(offMs, Math.max(0, codeMs - Math.max(0, runningMs - heldMs))) : 0
  const native = Math.min(codeMs - offMs, nativeCpuMs ?? Math.max(0, lateMs - asleep))
  return { asleep, native, js: samples > 0 ? codeMs - offMs - native : 0 }
}

/**
 * The parts with the rest, which is unexplained from a millisecond on: less is rounding.
 * @param {BlockParts} parts @param {number} durationMs @returns {BlockParts}
 */
function addedUp (parts, durationMs) {
  const names = /** @type {(keyof BlockParts)[]} */ (Object.keys(parts))
  const rounded = { ...parts }
  for (const name of names) rounded[name] = roundMs(parts[name])
  const sum = () => names.reduce((ms, name) => ms + rounded[name], 0)
  const leftMs = durationMs - sum()
  rounded.unexplained = leftMs < 1 ? 0 : roundMs(leftMs)
  const largest = names.reduce((a, b) => rounded[b] > rounded[a] ? b : a)
  rounded[largest] = roundMs(rounded[largest] + roundMs(durationMs) - sum())
  return rounded
}
