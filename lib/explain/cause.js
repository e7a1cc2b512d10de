'use strict'

const { ENOUGH_SAMPLES } = require('../tables/samples')

/**
 * @import { Cause } from '../tables/causes'
 * @import { BlockRecord } from '../types'
 */

/**
 * @typedef {object} Evidence what is known about one block; null where this machine cannot measure it
 * @property {number} durationMs so far, if ongoing
 * @property {boolean} ongoing
 * @property {number} thresholdMs
 * @property {number} busyMs time since the beat before the block in which the loop was not waiting for events
 * @property {number | null} cpuMs of the host thread
 * @property {number | null} runQueueMs the host thread was runnable but had no CPU
 * @property {number | null} throttledMs the cgroup had used up its CPU quota
 * @property {number | null} stolenMs a hypervisor ran others; neither of the two above includes it
 * @property {number} gcMs pauses of the garbage collector
 * @property {number} watchdogGapMs the watchdog did not run, and nothing shows that the process did
 * @property {number} samples answered
 * @property {number} nativeMs covered by late answers, by no answer yet, or by Node's own code around a native call,
 * without waiting in the run queue before the answer
 * @property {number} runningMs covered by timely answers from JavaScript code, which a sleeping thread cannot give
 * @property {number | null} [machineIdleMs] idle time of all CPUs of the machine; read only if runQueueMs is null
 * @property {number | null} [preemptions] how often a thread of the process lost its CPU; read only if runQueueMs is
 * null
 * @property {number} requests distinct ones seen
 * @property {number} topRequestShare of the time seen, 0 to 1
 * @property {number} longestRunMs longest time that one request was seen without another in between
 * @property {boolean} debugged
 */

const HALF = 0.5
/** Waiting below this share is everyday jitter of the scheduler. */
const SOME = 0.2
/** With a smaller share of the time on a CPU, the thread did not run at all, apart from measuring errors. */
const HARDLY = 0.3
/** From this share on, waiting for a CPU outweighs what the code did in the rest of the time. */
const MOSTLY = 0.8
/** Waiting does not outweigh a rest of this many thresholds. */
const LONG = 10

/**
 * A thread that competes for a CPU loses it every 3 to 15 ms (load of 2 to 6 on a CPU). If the process lost one this
 * often on average, and more than a few times, the time in which it did not run was not sleep.
 */
const PREEMPTED_MS = 25
const FEW_PREEMPTIONS = 3
/** Under the heaviest competition, a thread still loses its CPU this often (load of 14 on 2). */
const HARDLY_RUN_MS = 100

/** Windows counts CPU time in ticks of 15.6 ms: a block may have used one tick more than was counted. */
const TICK_MS = 16

/**
 * @typedef {'durationMs' | 'cpuMs' | 'runQueueMs' | 'throttledMs' | 'stolenMs'} Times
 * @typedef {Pick<Evidence, Times | 'watchdogGapMs' | 'machineIdleMs' | 'preemptions'> & { runningMs?: number }} Waiting
 */

/** Only used where the kernel does not report waiting. @param {Waiting} e @param {number} everyMs */
function isPreempted ({ durationMs, cpuMs, runQueueMs, preemptions }, everyMs) {
  const count = preemptions ?? 0
  return runQueueMs === null && count > FEW_PREEMPTIONS && durationMs - (cpuMs ?? 0) <= count * everyMs
}

/**
 * How long a thread waited for a CPU if the kernel does not report it: samples saw JavaScript running while the thread
 * had no CPU. Many short sleeps look the same, but then CPUs are idle. A stopped process looks the same, but then its
 * watchdog was stopped too.
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

/** A throttled thread may also count as in the run queue, so the longer one counts. @param {Waiting} e */
function waitMs (e) {
  const knownMs = Math.max(e.runQueueMs ?? 0, e.throttledMs ?? 0) + (e.stolenMs ?? 0)
  return Math.min(e.durationMs, e.runQueueMs === null ? Math.max(knownMs, unrunMs(e)) : knownMs)
}

/**
 * Whether native calls took at least half of the time in which the thread did not wait for a CPU. A waiting thread
 * answers late as well. Once it has answered, `nativeMs` excludes its time in the run queue. Other waiting is
 * subtracted here.
 * @param {Waiting & Pick<Evidence, 'nativeMs'> & { ongoing?: boolean, gcMs?: number }} e
 */
function isNative (e) {
  const waitedMs = waitMs(e)
  const withinMs = e.ongoing ? waitedMs : waitedMs - Math.min(waitedMs, e.runQueueMs ?? 0)
  // A pause of the garbage collector delays an answer, whatever runs.
  const gcMs = Math.min(e.gcMs ?? 0, e.nativeMs)
  return e.nativeMs - withinMs - gcMs >= HALF * (e.durationMs - waitedMs - gcMs)
}

/**
 * The same for the record of a block.
 * @param {Pick<BlockRecord, 'evidence' | 'durationMs'>} record
 */
const isNativeBlock = ({ evidence, durationMs }) => isNative({ ...evidence, durationMs })

/**
 * Whether a thread answered interrupts but hardly ran, though it had a CPU: a debugger of another session holds it, or
 * it sleeps for a few milliseconds again and again. @param {Waiting & Pick<Evidence, 'gcMs'>} e
 */
function isHeld (e) {
  const { cpuMs, runQueueMs, runningMs = 0, durationMs } = e
  if (cpuMs === null || runQueueMs === null) return false
  return runningMs >= MOSTLY * durationMs && cpuMs + waitMs(e) + e.gcMs < HARDLY * durationMs
}

/** Printed in docs/causes/README.md. @type {{ cause: Cause, when: string, test: (e: Evidence) => boolean }[]} */
const table = [
  {
    cause: 'unknown',
    when: 'a debugger is attached',
    test: (e) => e.debugged
  },
  {
    cause: 'suspended',
    when: 'the watchdog too did not run for at least half of it, though it waited for no CPU and no thread of the ' +
      'process ran meanwhile, and neither CPU time nor waiting for a CPU explains 30% of it; if the kernel does not tell ' +
      'of waiting, other processes were not seen taking the CPU',
    test: (e) => {
      const hardlyMs = HARDLY * e.durationMs
      // A stopped process loses no CPU to others, except before it was stopped.
      if (isPreempted(e, HARDLY_RUN_MS)) return false
      return e.watchdogGapMs >= HALF * e.durationMs && (e.cpuMs ?? 0) < hardlyMs && waitMs(e) < hardlyMs
    }
  },
  {
    cause: 'gc',
    when: 'pauses of the garbage collector are at least half of it, and waiting for a CPU is less than 80% of it',
    // On a small machine, V8's own helper threads keep the thread they help off the CPUs.
    test: (e) => e.gcMs >= HALF * e.durationMs && waitMs(e) < MOSTLY * e.durationMs
  },
  {
    cause: 'starved',
    when: 'waiting for a CPU (run queue, cgroup throttling, stolen time; if the kernel does not tell, what running ' +
      'JavaScript had not of it while no CPU idled, or what it did not run while others took the CPU often) is at least 20% of it, half of it while it lasts, and the rest ' +
      'below the threshold, or it is 80% of it and the rest below ten thresholds',
    test: (e) => {
      const waitedMs = waitMs(e)
      const restMs = e.durationMs - waitedMs
      if (waitedMs >= MOSTLY * e.durationMs && restMs < LONG * e.thresholdMs) return true
      // At first the rest of every block is below the threshold, so a block in progress needs more.
      return waitedMs >= (e.ongoing ? HALF : SOME) * e.durationMs && restMs < e.thresholdMs
    }
  },
  {
    cause: 'unknown',
    when: 'the loop was waiting for events and was woken late',
    test: (e) => e.busyMs < e.thresholdMs
  },
  {
    cause: 'sync-io',
    when: 'the thread was off the CPU, asleep, for more than half of the rest without pauses of the garbage ' +
      'collector and for longer than it waited for a CPU, and samples did not find it running for half of it; if the kernel does not tell how long it ' +
      'waited for a CPU, there has to be one',
    test: (e) => {
      if (e.cpuMs === null || (e.runQueueMs === null && e.samples === 0)) return false
      // During a pause the thread sleeps while V8's helper threads collect, and they may take long to get a CPU.
      const waitedMs = waitMs(e)
      const restMs = e.durationMs - waitedMs - e.gcMs
      // Short sleeps on a busy machine are V8's: it waits for a helper thread that has no CPU either.
      return e.cpuMs < Math.min(HALF * restMs, restMs - waitedMs) && e.runningMs < HALF * e.durationMs
    }
  },
  {
    cause: 'unknown',
    when: 'interrupts were answered in time for 80% of it, and CPU time, waiting for a CPU and pauses of the garbage ' +
      'collector do not explain 30% of it: a debugger of another session held it, or it slept shortly and often',
    test: isHeld
  },
  {
    cause: 'many',
    when: 'samples show two or more requests, none has 60% of the time, and none was seen for as long as the ' +
      'threshold without another in between',
    // Two requests that block one after the other are two culprits.
    test: (e) => e.requests >= 2 && e.topRequestShare < 0.6 && e.longestRunMs < e.thresholdMs
  },
  {
    cause: 'native',
    when: 'on the CPU, and for at least half of what it did not wait for one inside native calls (interrupts ' +
      'unanswered until they returned, or Node\'s own wrapper of one innermost)',
    test: (e) => e.cpuMs !== null && isNative(e)
  },
  {
    cause: 'js',
    when: 'interrupts were answered in time',
    test: (e) => e.samples > 0 && !isNative(e)
  },
  {
    cause: 'unknown',
    when: 'nothing of the above',
    test: () => true
  }
]

/** Why the loop was blocked. @param {Evidence} evidence */
exports.causeOf = (evidence) => /** @type {Cause} */ (table.find((row) => row.test(evidence))?.cause)

/**
 * The cause when a CPU profile has told more. Without an answered interrupt, the profile shows what ran. A line that
 * calls a built-in may do so once or often: only interrupts can tell. If they were answered between native calls or
 * just after one, the calls have most of the time.
 * @param {Pick<BlockRecord, 'cause' | 'samples' | 'evidence'>} record
 * @param {{ call: string | null, isOpen: boolean, isBetweenCalls: boolean }} seen @returns {Cause}
 */
exports.causeByProfile = ({ cause, samples, evidence }, { call, isOpen, isBetweenCalls }) => {
  if (cause === 'js') return isBetweenCalls || (call !== null && samples < ENOUGH_SAMPLES) ? 'native' : 'js'
  if (cause !== 'unknown' || samples > 0 || evidence.debugger || isOpen) return cause
  return call === null ? 'js' : 'native'
}

exports.table = table
exports.isHeld = isHeld
exports.isNativeBlock = isNativeBlock
