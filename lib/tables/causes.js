'use strict'

/** @import { BlockParts, BlockRecord } from '../types' */

/**
 * @typedef {object} CauseRow
 * @property {string} meaning
 * @property {string} phrase the same for people who do not know the names of causes
 * @property {(keyof BlockParts)[]} [parts] of its blocks that count as this cause and not as `causeOfPart` says
 * @property {string} [remedy] in a few words, on dashboards and in tables; docs/causes says more
 * @property {string} [excuse] what happened, if no line of code is to blame
 * @property {'flame' | 'heapprofiler' | null} tool of clinic that shows more
 * @property {boolean} [isOnCpu] the thread computed, so a sampler sees it
 * @property {boolean} [isScript] JavaScript computed, and interrupts find the line that ran
 * @property {boolean} [isAsleep] the thread slept, so CPU time does not measure it
 * @property {boolean} [isCall] one call, which answers nothing before it returns
 * @property {boolean} [answersLate] V8 answers an interrupt only after what blocked has ended
 * @property {boolean} [blamesAllocation] the line that allocates is to blame, not the one that was interrupted
 * @property {boolean} [hasCallback] one callback took the time
 * @property {boolean} [isExcusedInTests] the machine or the collector is to blame, and no code
 * @property {{ light: string, dark: string, grafana: string }} color in panels: warm if code is to blame, else grey
 */

/** Every cause of a block. lib/explain/cause.js decides which one it was. @type {Record<Cause, CauseRow>} */
exports.causes = {
  js: {
    meaning: 'application JavaScript kept the CPU busy',
    phrase: 'JavaScript',
    remedy: 'optimize or split the function',
    isOnCpu: true,
    isScript: true,
    hasCallback: true,
    tool: 'flame',
    color: { light: '#c2591d', dark: '#f0883e', grafana: 'red' }
  },
  native: {
    meaning: 'a native call (JSON.parse, pbkdf2Sync, gzipSync, sort) kept the CPU busy until it returned',
    phrase: 'native call',
    remedy: 'use the asynchronous call or a worker thread',
    isOnCpu: true,
    hasCallback: true,
    isCall: true,
    answersLate: true,
    tool: 'flame',
    color: { light: '#8250df', dark: '#bc8cff', grafana: 'orange' }
  },
  gc: {
    meaning: 'the garbage collector paused the thread for most of the block',
    phrase: 'garbage collection',
    remedy: 'allocate less',
    isOnCpu: true,
    answersLate: true,
    blamesAllocation: true,
    isExcusedInTests: true,
    tool: 'heapprofiler',
    color: { light: '#1a7f37', dark: '#57c26f', grafana: 'purple' }
  },
  'sync-io': {
    meaning: 'the thread slept in a synchronous call: execSync, a slow disk, Atomics.wait',
    phrase: 'asleep in a call',
    remedy: 'avoid *Sync calls',
    isAsleep: true,
    hasCallback: true,
    isCall: true,
    answersLate: true,
    tool: 'flame',
    color: { light: '#0969da', dark: '#6cb0ff', grafana: 'blue' }
  },
  many: {
    meaning: 'one long turn of many small callbacks of different requests: too much load, no single culprit',
    phrase: 'many small callbacks',
    parts: ['js', 'native'],
    remedy: 'more processes',
    isOnCpu: true,
    tool: 'flame',
    color: { light: '#9a6700', dark: '#e3b341', grafana: 'yellow' }
  },
  starved: {
    meaning: 'the thread was ready to run but had to wait for a CPU: contention, cgroup throttling, CPU steal by the ' +
      'hypervisor',
    phrase: 'waiting for a CPU',
    remedy: 'give it more CPU',
    excuse: 'the process was kept waiting for a CPU',
    isExcusedInTests: true,
    tool: null,
    color: { light: '#8c959f', dark: '#7d8590', grafana: '#8e8e8e' }
  },
  suspended: {
    meaning: 'the whole process was stopped: SIGSTOP, a paused virtual machine',
    phrase: 'stopped',
    remedy: 'find what paused it',
    excuse: 'the whole process was stopped',
    isExcusedInTests: true,
    tool: null,
    color: { light: '#57606a', dark: '#9aa5b1', grafana: '#bdbdbd' }
  },
  unknown: {
    meaning: 'not enough evidence',
    phrase: 'unexplained',
    hasCallback: true,
    tool: 'flame',
    color: { light: '#afb8c1', dark: '#545d68', grafana: '#5a5a5a' }
  }
}

/** @typedef {'js' | 'native' | 'gc' | 'sync-io' | 'many' | 'starved' | 'suspended' | 'unknown'} Cause */

/** A record of another version may have a cause that is unknown here. @param {string} cause @returns {CauseRow} */
exports.causeRow = (cause) =>
  exports.causes[Object.hasOwn(exports.causes, cause) ? /** @type {Cause} */ (cause) : 'unknown']

/** The excuse of a cause, if no line of code is to blame. @param {string} cause */
exports.excuseOf = (cause) => exports.causeRow(cause).excuse

/**
 * The cause that each part of a block counts as, in the order in which parts are shown.
 * @type {Record<keyof BlockParts, Cause>}
 */
exports.causeOfPart = {
  js: 'js',
  native: 'native',
  gc: 'gc',
  asleep: 'sync-io',
  waiting: 'starved',
  stopped: 'suspended',
  unexplained: 'unknown'
}

/** @typedef {{ cause: Cause, excused?: boolean, durationMs: number, parts?: BlockParts }} Timed */

/** Parts for which the application's own code answers. @type {(keyof BlockParts)[]} */
exports.OWN_PARTS = ['js', 'native', 'asleep', 'gc']

/** The largest own part, or `unexplained`. @param {BlockParts} parts */
exports.ownPartOf = (parts) =>
  exports.OWN_PARTS.reduce((most, part) => parts[part] > 0 && parts[part] >= parts[most] ? part : most,
    /** @type {keyof BlockParts} */ ('unexplained'))

/**
 * Whether no code is to blame: without waiting or being stopped, the time would have been below the threshold. Records
 * of 0.1.0 have only a cause. @param {Pick<Timed, 'cause' | 'excused'>} record
 */
exports.isExcused = ({ cause, excused = exports.excuseOf(cause) !== undefined }) => excused

/** The application's own cause, even if the machine took longer. @param {Timed} record */
exports.ownCauseOf = (record) => {
  const { cause, parts } = record
  return !parts || exports.isExcused(record) || exports.excuseOf(cause) === undefined
    ? cause
    : exports.causeOfPart[exports.ownPartOf(parts)]
}

/**
 * The time of a block by cause, ms. Records of 0.1.0 have no parts: their cause gets all.
 * @param {Timed} record @returns {[cause: Cause, ms: number][]}
 */
exports.timesOf = ({ cause, durationMs, parts }) => {
  if (!parts) return [[cause, durationMs]]
  const { parts: own = [] } = exports.causeRow(cause)
  return Object.entries(exports.causeOfPart).map(([name, other]) => {
    const part = /** @type {keyof BlockParts} */ (name)
    return [own.includes(part) ? cause : other, parts[part]]
  })
}

/** The times of a block for which its culprit does not answer. @param {Timed} record */
exports.othersIn = (record) => {
  const own = exports.ownCauseOf(record)
  return exports.timesOf(record).filter(([cause, ms]) => {
    const { isOnCpu, isAsleep } = exports.causeRow(cause)
    return ms > 0 && cause !== own && !isOnCpu && !isAsleep
  })
}

/** The time for which the culprit of a block answers. @param {Timed} record */
exports.ownMsOf = (record) => exports.othersIn(record).reduce((ms, [, each]) => ms - each, record.durationMs)

/** Share of a block below which a sentence says how much of it the culprit took. */
const MOST = 2 / 3

/** The largest time for which the culprit does not answer, null if the culprit took most. @param {Timed} record */
exports.largestOther = (record) => exports.ownMsOf(record) >= MOST * record.durationMs
  ? null
  : exports.othersIn(record).reduce((a, b) => b[1] > a[1] ? b : a)

/**
 * The level of a settled block in the log and in OTLP. Worker threads exist to compute.
 * @param {Pick<BlockRecord, 'cause' | 'excused' | 'durationMs' | 'evidence' | 'startup' | 'threadId'>} record
 * @returns {'info' | 'warn' | 'error'}
 */
exports.severityOf = (record) => {
  if (exports.isOwnBlock(record)) return 'error'
  return exports.isExcused(record) || record.startup || record.threadId !== 0 ? 'info' : 'warn'
}

/**
 * Whether loopwatch itself took most of a block, and was not merely interrupted in its code by the machine.
 * @param {{ cause: Cause, excused?: boolean, durationMs: number, evidence: { ownMs?: number } }} record
 */
exports.isOwnBlock = (record) =>
  !exports.isExcused(record) && (record.evidence.ownMs ?? 0) * 2 > record.durationMs
