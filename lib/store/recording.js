'use strict'

const fs = require('node:fs')
const zlib = require('node:zlib')
const { codedError, codedErrorFrom } = require('../tables/errors')
const { isRecord } = require('./record')
const { BYTES_AT_ONCE, gzip } = require('../util/gzip')
const { BYTES_PER_MB } = require('../util/units')

/** @import { BlockRecord } from '../types' */

const FORMAT = 'loopwatch recording'
/** Number that goes up if a part changes its meaning. Earlier versions ignore added parts. */
const VERSION = 1
/** Largest file that is read. 2000 blocks with their stacks and a full timeline take 5 MB. */
const FILE_BYTES = 64 * BYTES_PER_MB
/** Largest size after unpacking. A file of zeros would unpack to a thousand times its size. */
const UNPACKED_BYTES = 128 * BYTES_PER_MB
/** @type {Record<string, string>} */
const REASONS = { ENOENT: 'there is no such file', EISDIR: 'it is a folder, not a file' }
const GZIP = Buffer.from([0x1f, 0x8b])

/**
 * @typedef {object} Recording an incident in one file
 * @property {string} format @property {number} formatVersion @property {string} recordedAt wall time
 * @property {Record<string, string>} versions of loopwatch and Node.js @property {{ pid: number }} process
 * @property {Record<string, unknown>} settings see lib/options/shown.js
 * @property {{ hello: any, state: any }} page messages to the live page
 * @property {BlockRecord[]} blocks newest first, with all their stacks
 * @property {Record<string, { source: any, advice: any[], waits: any }>} details of blocks, by id
 * @property {object} profile of all blocks, as V8 writes it @property {object} timeline in the Trace Event format
 * @property {string} metrics as Prometheus text
 * @property {string[]} [findings] of `loopwatch doctor`
 */

/** Whether a file looks like a recording, by its first bytes. False if it cannot be read. @param {string} file */
exports.isRecording = (file) => {
  /** @type {number | undefined} */
  let fd
  try {
    if (!fs.statSync(file).isFile()) return false
    fd = fs.openSync(file, 'r')
    const begin = Buffer.alloc(GZIP.length)
    return fs.readSync(fd, begin, 0, begin.length, 0) === GZIP.length && begin.equals(GZIP)
  } catch {
    return false
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

/** @param {string} file @returns {Recording} @throws LOOPWATCH_ERR_SOURCE, LOOPWATCH_ERR_RECORDING */
exports.readRecording = (file) => {
  /** @type {Buffer} */
  let bytes
  try {
    const { size } = fs.statSync(file)
    if (size > FILE_BYTES) {
      throw codedError('LOOPWATCH_ERR_RECORDING', file, `it is larger than ${FILE_BYTES / BYTES_PER_MB} MB`)
    }
    bytes = fs.readFileSync(file)
  } catch (error) {
    if (error.code === 'LOOPWATCH_ERR_RECORDING') throw error
    const reason = REASONS[error.code] ?? error.message
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_SOURCE', file, reason)
  }
  return exports.parseRecording(bytes, file)
}

/** @param {Buffer} bytes @param {string} name for errors @returns {Recording} @throws LOOPWATCH_ERR_RECORDING */
exports.parseRecording = (bytes, name, unpackedBytes = UNPACKED_BYTES) => {
  if (!bytes.subarray(0, GZIP.length).equals(GZIP)) {
    throw codedError('LOOPWATCH_ERR_RECORDING', name, 'it was not written by loopwatch')
  }
  const read = parse(unpack(bytes, name, unpackedBytes), name)
  if (read?.format !== FORMAT || !Number.isSafeInteger(read.formatVersion)) {
    throw codedError('LOOPWATCH_ERR_RECORDING', name, 'it is another kind of compressed file')
  }
  if (read.formatVersion > VERSION) {
    const by = typeof read.versions?.loopwatch === 'string' ? ` (${read.versions.loopwatch})` : ''
    throw codedError('LOOPWATCH_ERR_RECORDING', name,
      `it was written by a newer version of loopwatch${by}: update loopwatch`)
  }
  if (!isWhole(read)) {
    throw codedError('LOOPWATCH_ERR_RECORDING', name, 'parts of it are missing or damaged: record again')
  }
  return { ...read, blocks: read.blocks.filter(isRecord) }
}

/** @param {Buffer} bytes @param {string} name @param {number} most */
function unpack (bytes, name, most) {
  try {
    return zlib.gunzipSync(bytes, { maxOutputLength: most }).toString()
  } catch (error) {
    const reason = error.code === 'ERR_BUFFER_TOO_LARGE' ? `it unpacks to more than ${most / BYTES_PER_MB} MB` : CUT
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_RECORDING', name, reason)
  }
}

const CUT = 'it is cut short or damaged: copy it again, or record again'

/** @param {string} text @param {string} name @returns {any} */
function parse (text, name) {
  try {
    return JSON.parse(text)
  } catch (error) {
    // A file that was cut between two parts unpacks without an error.
    const reason = text.startsWith(`{"format":"${FORMAT}"`) ? CUT : 'it is another kind of compressed file'
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_RECORDING', name, reason)
  }
}

/** @param {unknown} value */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether everything is there that is read. @param {any} read */
function isWhole ({ recordedAt, versions, settings, process: of, page, blocks, details, profile, timeline, metrics }) {
  const { hello, state } = page ?? {}
  return Number.isFinite(Date.parse(recordedAt)) && typeof metrics === 'string' && Number.isSafeInteger(of?.pid) &&
    [versions, settings, hello, state, details, profile, timeline].every(isObject) &&
    Array.isArray(blocks) && [hello.blocks, hello.seconds, hello.waits, state.ongoing].every(Array.isArray) &&
    isObject(hello.labels)
}

/** A text that is JSON already, without secrets. */
class Json {
  /** @param {string} text */
  constructor (text) {
    this.text = text
  }
}

/** JSON, one element a piece. @param {unknown} value @param {(key: string, value: unknown) => unknown} replace */
function * piecesOf (value, replace) {
  if (value instanceof Json) {
    yield value.text
  } else if (Array.isArray(value)) {
    for (const [i, each] of value.entries()) yield `${i === 0 ? '[' : ','}${JSON.stringify(each, replace)}`
    yield value.length === 0 ? '[]' : ']'
  } else {
    yield JSON.stringify(value, replace)
  }
}

/**
 * Packs the parts of a recording in steps between which the watchdog polls the loop.
 * @param {Record<string, () => unknown>} parts may be promises @param {(text: string) => string} hide secrets
 */
exports.packRecording = async (parts, hide) => {
  /** @type {Buffer[]} members of one gzip file */
  const packed = []
  let waiting = ''
  const replace = (/** @type {string} */ _, /** @type {unknown} */ value) =>
    typeof value === 'string' ? hide(value) : value
  const pack = async (/** @type {string} */ text) => { packed.push(await gzip(Buffer.from(text))) }
  const add = async (/** @type {string} */ text) => {
    waiting += text
    if (waiting.length < BYTES_AT_ONCE) return
    const full = waiting
    waiting = ''
    await pack(full)
  }
  await add(`{"format":"${FORMAT}","formatVersion":${VERSION}`)
  for (const [name, make] of Object.entries(parts)) {
    await add(`,${JSON.stringify(name)}:`)
    for (const piece of piecesOf(await make(), replace)) await add(piece)
  }
  await pack(`${waiting}}\n`)
  return Buffer.concat(packed)
}

exports.Json = Json
exports.FILE_BYTES = FILE_BYTES
