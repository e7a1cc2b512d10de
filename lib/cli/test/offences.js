'use strict'

const { relative } = require('./verdict')

/**
 * Blocks of one function that broke the limit, or its calls of one synchronous function (--sync).
 * @typedef {object} Offence
 * @property {string | null} call the synchronous function that is called; null of blocks
 * @property {string | null} twin what does the same without blocking; null of blocks
 * @property {string} function
 * @property {string} file from the working directory, with slashes; '' where none is known
 * @property {number | null} line of the longest
 * @property {number | null} column
 * @property {boolean} isExact whether the line is certain
 * @property {string | null} package in whose code most of it was
 * @property {number} longestMs CPU time of the application's own code in the longest
 * @property {number} count
 * @property {import('../../tables/causes').Cause} cause of the longest
 * @property {{ file: string | null, name: string | null, others: number }[]} tests in which it blocked, that of the
 * longest first
 * @property {import('./verdict').Judged['record'][]} records the longest first
 * @property {'new' | 'longer' | 'known' | 'allowed' | 'unconfirmed'} state
 * @property {number | null} knownMs the longest so far, where it is known
 * @property {string | null} reason why it is allowed
 */

/** @param {{ function: string, file: string, call?: string | null }} place */
exports.keyOf = ({ function: name, file, call = null }) => call === null ? `${file}\n${name}` : `${file}\n${name}\n${call}`

/**
 * Blocks that count, by function and file, the longest first.
 * @param {import('./verdict').Judged[]} judged
 * @param {string} cwd
 * @returns {Offence[]}
 */
exports.offencesOf = (judged, cwd) => {
  /** @type {Map<string, Offence>} */
  const offences = new Map()
  const counting = judged.filter(({ excuse }) => excuse === null).sort((a, b) => b.ownMs - a.ownMs)
  for (const { record, ownMs, test } of counting) {
    const place = placeOf(record, cwd)
    const known = offences.get(exports.keyOf(place))
    if (known === undefined) {
      offences.set(exports.keyOf(place), {
        ...place, call: null, twin: null, longestMs: ownMs, count: 1, cause: causeOf(record), tests: [test], records: [record], state: 'new', knownMs: null, reason: null
      })
      continue
    }
    known.count++
    known.records.push(record)
    if (!known.tests.some(({ file, name }) => file === test.file && name === test.name)) known.tests.push(test)
  }
  return [...offences.values()]
}

/**
 * A block that broke the limit by its CPU time may have waited for a CPU for longer still; what it did there counts.
 * @param {import('../../store/record').BlockRecord} record
 */
function causeOf ({ cause, durationMs, evidence: { nativeMs } }) {
  if (!['starved', 'suspended', 'gc'].includes(cause)) return cause
  return nativeMs * 2 > durationMs ? 'native' : 'js'
}

/** @param {import('../../store/record').BlockRecord} record @param {string} cwd */
function placeOf ({ frame, package: found }, cwd) {
  return {
    function: frame?.function ?? '(anonymous)',
    file: frame?.file ? relative(frame.file, cwd) : '',
    line: frame?.line ?? null,
    column: frame?.column ?? null,
    isExact: frame?.exact ?? false,
    package: found?.name ?? null
  }
}

/** Whether an offence fails the run. @param {Offence} offence */
exports.isFailing = ({ state }) => state === 'new' || state === 'longer'
