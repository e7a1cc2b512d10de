'use strict'

const fs = require('node:fs')
const { codedErrorFrom } = require('../../tables/errors')
const { keyOf } = require('./offences')

/**
 * @import { LoopwatchError } from '../../tables/errors'
 * @import { Offence } from './offences'
 */

/** Factor and difference that a clearly longer block exceeds: less is noise of the machine. */
const LONGER = 1.5
const LONGER_MS = 20
/** Written lengths are rounded up, so that a second run does not change them. */
const ROUND_MS = 10
const CONFLICT = /^(<{7}|>{7}|\|{7}) |^={7}$/m

/**
 * @typedef {{ file: string, function: string, within?: string, longestMs: number }} RatchetBlock
 * @typedef {{ file: string, function: string, within?: string, call: string }} KnownCall a synchronous one
 * @typedef {Partial<Record<'file' | 'package' | 'function' | 'call' | 'reason', string>>} Allowed if all keys match
 * @typedef {{ allow: Allowed[], blocks: RatchetBlock[], calls?: KnownCall[] }} Ratchet
 */

/**
 * The known and allowed blocks; none without a file. @param {string} file @returns {Ratchet}
 * @throws {LoopwatchError} LOOPWATCH_ERR_RATCHET
 */
exports.readRatchet = (file) => {
  /** @type {any} */
  let read
  try {
    const text = fs.readFileSync(file, 'utf8')
    if (CONFLICT.test(text)) {
      throw refused(file, 'has a merge conflict: resolve it, or take either side and run with --update')
    }
    read = JSON.parse(text)
  } catch (error) {
    if (error.code === 'ENOENT') return { allow: [], blocks: [], calls: [] }
    if (error.code === 'LOOPWATCH_ERR_RATCHET') throw error
    throw refused(file, error instanceof SyntaxError
      ? `is not JSON: ${error.message}`
      : `cannot be read: ${error.message}`, error)
  }
  const fault = faultOf(read)
  if (fault !== null) throw refused(file, fault)
  return { allow: read.allow ?? [], blocks: read.blocks ?? [], calls: read.calls ?? [] }
}

/** @param {string} file @param {string} reason @param {Error} [cause] */
const refused = (file, reason, cause) => codedErrorFrom(cause, 'LOOPWATCH_ERR_RATCHET', file, reason)

const PARTS = ['file', 'package', 'function', 'call']

/** @param {any} each */
const isPlace = (each) => typeof each?.file === 'string' && typeof each.function === 'string' &&
  (each.within === undefined || typeof each.within === 'string')

/**
 * Lists of the file: the check of an entry, and what it takes.
 * @type {Record<string, [isValid: (each: any) => boolean, takes: string]>}
 */
const LISTS = {
  allow: [
    (each) => typeof each === 'object' && each !== null && PARTS.some((key) => key in each) &&
      Object.entries(each).every(([key, text]) => [...PARTS, 'reason'].includes(key) && typeof text === 'string'),
    'strings for "file", "package", "function" or "call", at least one of them, and "reason"'
  ],
  blocks: [
    (each) => isPlace(each) && each.longestMs >= 0, 'a "file", a "function" and a number of ms as "longestMs"'
  ],
  calls: [
    (each) => isPlace(each) && typeof each.call === 'string', 'a "file", a "function" and a "call"'
  ]
}

/** @param {any} value the file's content */
function faultOf (value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'must be an object with "allow", "blocks" and "calls"'
  }
  const stray = Object.keys(value).find((key) => !Object.hasOwn(LISTS, key))
  if (stray !== undefined) return `has an unknown key "${stray}": expected "allow", "blocks" and "calls"`
  if (!Object.values(value).every(Array.isArray)) return 'must have lists for "allow", "blocks" and "calls"'
  for (const [name, list] of Object.entries(value)) {
    const [isValid, takes] = LISTS[name]
    const bad = list.findIndex((/** @type {any} */ each) => !isValid(each))
    if (bad >= 0) return `${name}[${bad}] takes ${takes}`
  }
  return null
}

/**
 * Sets the state of each offence; returns known ones that are gone. Calls are gone only if the run looked for them.
 * @param {Offence[]} offences @param {Ratchet} ratchet @param {boolean} [isSync]
 */
exports.compare = (offences, { allow, blocks, calls = [] }, isSync = false) => {
  const all = /** @type {(RatchetBlock | KnownCall)[]} */ ([...blocks, ...(isSync ? calls : [])])
  const listed = new Map(all.map((each) => [keyOf(each), each]))
  const occurring = new Set(offences.map(keyOf))
  for (const offence of offences) {
    const before = listed.get(keyOf(offence))
    const allowed = allow.find((each) => matches(each, offence))
    offence.knownMs = before !== undefined && 'longestMs' in before ? before.longestMs : null
    offence.reason = allowed?.reason ?? null
    const isGrown = isLonger(offence.longestMs, offence.knownMs ?? 0) && offence.call === null
    if (allowed !== undefined) offence.state = 'allowed'
    else if (before === undefined) offence.state = 'new'
    else offence.state = isGrown ? 'longer' : 'known'
  }
  return { gone: all.filter((each) => !occurring.has(keyOf(each))) }
}

/** @param {number} ms @param {number} knownMs */
const isLonger = (ms, knownMs) => ms > LONGER * knownMs && ms > knownMs + LONGER_MS

/** @param {Allowed} allowed @param {Offence} offence */
const matches = (allowed, offence) =>
  (allowed.file === undefined || patternOf(allowed.file).test(offence.file)) &&
  (allowed.package === undefined || allowed.package === offence.package) &&
  (allowed.function === undefined || allowed.function === offence.function) &&
  (allowed.call === undefined || allowed.call === offence.call)

/** A pattern of files: ** matches any folders, * anything within a name, ? one character. @param {string} glob */
function patternOf (glob) {
  const source = glob.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*\*\/|\*\*|\*|\?/g, (wild) =>
    ({ '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' })[wild] ?? wild)
  return new RegExp(`^${source}$`)
}

/** @param {Pick<Offence, 'file' | 'function' | 'within'>} offence */
const placeOf = ({ file, function: name, within }) => ({ file, function: name, ...(within !== null && { within }) })

/**
 * New content of the file, sorted. A length that is about the same stays, so that a second run changes nothing.
 * @param {Ratchet} ratchet @param {Offence[]} offences compared
 * @param {boolean} [isSync] the run looked for synchronous calls @returns {Ratchet}
 */
exports.updated = ({ allow, calls = [] }, offences, isSync = false) => ({
  allow,
  blocks: offences
    .filter(({ state, call }) => state !== 'allowed' && call === null)
    .map(({ longestMs, knownMs, ...offence }) => ({
      ...placeOf(offence),
      longestMs:
        knownMs !== null && !isLonger(longestMs, knownMs) && !isLonger(knownMs, longestMs)
          ? knownMs
          : Math.ceil(longestMs / ROUND_MS) * ROUND_MS
    }))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
  calls: !isSync
    ? calls
    : offences
      .filter(({ state, call }) => state !== 'allowed' && call !== null)
      .map(({ call, ...offence }) => ({ ...placeOf(offence), call: /** @type {string} */ (call) }))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
})

/** @param {string} file @param {Ratchet} ratchet */
exports.writeRatchet = (file, { allow, blocks, calls = [] }) => {
  const lines = (/** @type {object[]} */ list) => list.length === 0
    ? '[]'
    : `[\n${list.map((each) => `    ${JSON.stringify(each)}`).join(',\n')}\n  ]`
  const ofCalls = calls.length === 0 ? '' : `,\n  "calls": ${lines(calls)}`
  const text = `{\n  "allow": ${lines(allow)},\n  "blocks": ${lines(blocks)}${ofCalls}\n}\n`
  try {
    fs.writeFileSync(file, text)
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_OUTPUT', '--update', file, error.message)
  }
}
