'use strict'

/**
 * Every cause a block can have: what it means, and, where no line of code is to blame, what happened
 * instead. lib/explain/cause.js decides which one it was.
 * @type {Record<Cause, { meaning: string, excuse?: string }>}
 */
exports.causes = {
  js: { meaning: 'JavaScript of the application kept the CPU' },
  native: { meaning: 'a native call kept the CPU and does not let go before it returns: JSON.parse, pbkdf2Sync, gzipSync, sort' },
  gc: { meaning: 'the garbage collector paused the thread for most of it' },
  'sync-io': { meaning: 'the thread slept in a synchronous call: execSync, a slow disk, Atomics.wait' },
  many: { meaning: 'one long turn of many small callbacks of different requests: too much load, no single culprit' },
  starved: { meaning: 'the thread could have run and was kept waiting for a CPU: contention, cgroup throttling, a hypervisor that ran others', excuse: 'the process was kept waiting for a CPU' },
  suspended: { meaning: 'the whole process was stopped: SIGSTOP, a paused virtual machine', excuse: 'the whole process was stopped' },
  unknown: { meaning: 'not enough evidence' }
}

/** @typedef {'js' | 'native' | 'gc' | 'sync-io' | 'many' | 'starved' | 'suspended' | 'unknown'} Cause */

/**
 * What happened instead, if no line of code is to blame. A record of another version may have a cause that is
 * not known here.
 * @param {string} cause
 */
exports.excuseOf = (cause) =>
  Object.hasOwn(exports.causes, cause) ? exports.causes[/** @type {Cause} */ (cause)].excuse : undefined

/**
 * Whether a block was mostly loopwatch's own.
 * @param {{ durationMs: number, evidence: { ownMs?: number } }} record
 */
exports.isOwnBlock = ({ durationMs, evidence }) => (evidence.ownMs ?? 0) * 2 > durationMs
