'use strict'

const { ByPlace } = require('../../explain/source/frame-table')
const { functionAt, nameAt } = require('../../explain/source/function-names')
const { toPath } = require('../../explain/source/source-map')
const { causeRow } = require('../../tables/causes')
const { withSharedNames } = require('../../export/culprits')
const { readSource } = require('../../util/files')
const { isBesideTest } = require('./code-ownership')
const { relative } = require('./verdict')

/**
 * @import { Cause } from '../../tables/causes'
 * @import { BlockRecord } from '../../types'
 * @import { Judged } from './verdict'
 */

/** Number of functions around one that are named to distinguish it from others. */
const AROUND = 5
/** Largest file that is searched for names: a larger one is a bundle. */
const NAMED_BYTES = 512 * 1024

/**
 * Blocks of one function that broke the limit, or its calls of one synchronous function (--sync).
 * @typedef {object} Offence
 * @property {string | null} call the synchronous function that is called; null for blocks
 * @property {string | null} twin what does the same without blocking; null for blocks
 * @property {string} function
 * @property {string | null} within distinguishes a function without a name of its own from others in its file
 * @property {string} file from the working directory, with slashes; '' if unknown
 * @property {number | null} line of the longest @property {number | null} column
 * @property {boolean} isExact whether the line is certain
 * @property {string | null} package in whose code most of it was
 * @property {number} longestMs CPU time of the application's own code in the longest @property {number} count
 * @property {Cause} cause of the longest
 * @property {{ file: string | null, name: string | null, others: number }[]} tests in which it blocked, longest first
 * @property {Judged['record'][]} records the longest first
 * @property {'new' | 'longer' | 'known' | 'allowed' | 'unconfirmed'} state
 * @property {number | null} knownMs the longest so far, if known @property {string | null} reason why it is allowed
 */

/** @param {{ function: string, file: string, within?: string | null, call?: string | null }} place */
exports.keyOf = ({ function: name, file, within = null, call = null }) =>
  [file, name, ...(within === null ? [] : [`within ${within}`]), ...(call === null ? [] : [call])].join('\n')

/** Whether a function has its own name, not one made from its use. @param {string | null} name */
const isOwnName = (name) => name !== null && !/^callback of |^immediately invoked /.test(name)

/**
 * Tells functions of one name apart: by the functions around, up to one with a name, and a number. Null if needless.
 * @param {string} text of its file @param {number} offset of a place in it
 */
function whereAt (text, offset) {
  const own = functionAt(text, offset)
  if (!own) return null
  const around = []
  let outer = functionAt(text, own.start - 1)
  while (outer && around.length < AROUND) {
    around.push(outer.name ?? '(anonymous)')
    if (isOwnName(outer.name)) break
    outer = functionAt(text, outer.start - 1)
  }
  const callee = /^callback of ([^(]+)/.exec(own.name ?? '')?.[1]
  const before = text.slice(outer?.start ?? 0, own.start)
  const which = callee === undefined ? 1 : before.split(`${callee.replace(/^Promise\./, '.')}(`).length - 1
  return [...around, ...(which > 1 ? [`#${which}`] : [])].join(' ') || null
}

/** A function's name, and what distinguishes it from others, by its source. */
const named = new ByPlace((file) => readSource(file, NAMED_BYTES), (text, offset) =>
  ({ name: nameAt(text, offset), within: whereAt(text, offset) }))

/**
 * `within` distinguishes functions without a name: by the functions around them, since line numbers change, or by the
 * test if the source says nothing.
 * @param {{ function: string | null, file?: string | null, line?: number | null, column?: number | null }} frame
 * @param {{ name: string | null }} test
 */
exports.nameOf = ({ function: ownName, file = null, line = null, column = null }, test) => {
  if (ownName !== null && isOwnName(ownName)) return { function: ownName, within: null }
  const inSource = file === null || line === null || column === null
    ? null
    : named.get(toPath(file) ?? '', line, column)
  const name = ownName ?? inSource?.name ?? null
  return {
    function: name ?? '(anonymous)',
    within: inSource?.within ?? (inSource === null || name === null ? test.name : null)
  }
}

/** A block in a test whose function is unknown. */
const UNKNOWN = 'unknown function'

/** @typedef {Pick<Offence, 'function' | 'within' | 'file' | 'line' | 'column' | 'isExact' | 'package'>} Place */

/** Offences by place. */
class Offences {
  /** @type {Map<string, Offence>} */
  #byPlace = new Map()

  /**
   * @param {Place} place @param {Offence['tests'][number]} test
   * @param {Pick<Offence, 'call' | 'twin' | 'cause' | 'longestMs' | 'count' | 'records'>} event
   */
  add (place, test, event) {
    const key = exports.keyOf({ ...place, call: event.call })
    const offence = this.#byPlace.get(key)
    if (offence === undefined) {
      this.#byPlace.set(key, { ...place, ...event, tests: [test], state: 'new', knownMs: null, reason: null })
      return
    }
    offence.count += event.count
    offence.records.push(...event.records)
    if (!offence.tests.some(({ file, name }) => file === test.file && name === test.name)) offence.tests.push(test)
  }

  get all () {
    return [...this.#byPlace.values()]
  }
}

/** Blocks by function and file, the longest first. @param {Judged[]} judged @param {string} cwd */
exports.offencesOf = (judged, cwd) => {
  const offences = new Offences()
  const counting = judged.filter(({ excuse }) => excuse === null).sort((a, b) => b.ownMs - a.ownMs)
  const records = withSharedNames(counting.map(({ record }) => record))
  for (const [i, { ownMs, test }] of counting.entries()) {
    const record = records[i]
    const cause = causeOf(record)
    offences.add(placeOf(record, cwd, test), test,
      { call: null, twin: null, cause, longestMs: ownMs, count: 1, records: [record] })
  }
  return offences.all
}

/**
 * A block may have waited for a CPU even longer than it ran. Its cause is what it did on the CPU.
 * @param {BlockRecord} record
 */
function causeOf ({ cause, parts }) {
  if (!causeRow(cause).isExcusedInTests) return cause
  return parts !== undefined && parts.native > parts.js ? 'native' : 'js'
}

/** @param {BlockRecord} record @param {string} cwd @param {{ file: string | null, name: string | null }} test */
function placeOf ({ frame, package: owner }, cwd, test) {
  if (frame === null || isBesideTest(frame)) {
    return {
      function: UNKNOWN,
      within: test.name,
      file: test.file ?? '',
      line: null,
      column: null,
      isExact: false,
      package: null
    }
  }
  return {
    // Code that was compiled in memory has other lines than the file.
    ...exports.nameOf(frame.compiled ? { function: frame.function } : frame, test),
    file: frame.file ? relative(frame.file, cwd) : '',
    line: frame.line,
    column: frame.column,
    isExact: frame.exact ?? false,
    package: owner?.name ?? null
  }
}

/** Whether the run fails. @param {Offence} offence */
exports.isFailing = ({ state }) => state === 'new' || state === 'longer'

exports.Offences = Offences
exports.UNKNOWN = UNKNOWN
exports.whereAt = whereAt
