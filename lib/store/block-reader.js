'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { recordIn } = require('./record')
const { BYTES_PER_MB } = require('../util/units')

/** @import { BlockRecord } from '../types' */

/** Size of files up to which their records are kept: one process has at most two of 64 MB. 90 MB took 68 MB of heap. */
const KEPT_BYTES = 128 * BYTES_PER_MB

/** Largest file that is read. A file of records ends with the line that takes it to 64 MB. */
const FILE_BYTES = 72 * BYTES_PER_MB

/**
 * @typedef {object} ReadFile a file as far as it has been read
 * @property {number} inode @property {number} size @property {number} mtimeMs
 * @property {number} readBytes up to the end of the last whole line
 * @property {Map<string, BlockRecord>} records of whole lines, by id
 * @property {number} broken whole lines that are not records
 * @property {string} rest what follows the last whole line
 */

/** Reads only what was appended to files. Rotation gives them another name or inode. */
class BlockReader {
  #source
  #keptBytes
  /** @type {Map<string, ReadFile>} */
  #files = new Map()

  /** @param {string} source folder or file @param {number} [keptBytes] files beyond this are read each time */
  constructor (source, keptBytes = KEPT_BYTES) {
    this.#source = source
    this.#keptBytes = keptBytes
  }

  /** All blocks, oldest first, by the last line of each. Skips lines cut short by a crash and files it cannot read. */
  read () {
    /** @type {Map<string, BlockRecord>} */
    const records = new Map()
    /** @type {{ file: string, reason: string }[]} */
    const unread = []
    /** @type {Map<string, ReadFile>} */
    const kept = new Map()
    let [broken, bytes] = [0, 0]
    for (const file of filesOf(this.#source)) {
      const owner = file.replace(/(\.old|\.unended)?\.ndjson$/, '')
      try {
        const current = readOn(file, this.#files.get(file))
        if (bytes + current.size <= this.#keptBytes) {
          bytes += current.size
          kept.set(file, current)
        }
        for (const [id, record] of current.records) records.set(`${owner} ${id}`, record)
        // A line without an end may be half written, or whole if the disk had room for all but its end.
        const last = recordIn(current.rest)
        if (last !== null) records.set(`${owner} ${last.id}`, last)
        broken += current.broken + (current.rest !== '' && last === null ? 1 : 0)
      } catch (error) {
        unread.push({ file: path.basename(file), reason: error.message })
      }
    }
    this.#files = kept
    return { records: [...records.values()].sort((a, b) => a.startedAt < b.startedAt ? -1 : 1), broken, unread }
  }
}

/** @param {string} source folder or file @throws if it is not there */
function filesOf (source) {
  if (!fs.statSync(source).isDirectory()) return [source]
  // In reverse order of names, the older generation of a file (.old.ndjson) comes before the newer one.
  const plain = (/** @type {string} */ name) => name.replace('.unended.', '.')
  const names = fs.readdirSync(source).filter((name) => name.endsWith('.ndjson'))
  names.sort((a, b) => plain(a) < plain(b) ? 1 : -1)
  return names.map((name) => path.join(source, name))
}

/** @param {string} file @param {ReadFile} [previous] @returns {ReadFile} @throws if it cannot be read */
function readOn (file, previous) {
  const stat = fs.statSync(file)
  // A link may lead to a device, and any file may have been put into a folder.
  if (!stat.isFile()) throw new Error('it is not a regular file')
  if (stat.size > FILE_BYTES) throw new Error(`it is larger than ${FILE_BYTES / BYTES_PER_MB} MB`)
  const { ino: inode, size, mtimeMs } = stat
  const isSame = previous !== undefined && previous.inode === inode && previous.size <= size
  if (isSame && previous.size === size && previous.mtimeMs === mtimeMs) return previous
  // A file that was overwritten in place may have the same size, but has another time.
  const hasGrown = isSame && previous.size < size
  const from = hasGrown ? previous.readBytes : 0
  const bytes = readFrom(file, from)
  const end = bytes.lastIndexOf('\n') + 1
  const current = {
    inode,
    size,
    mtimeMs,
    readBytes: from + end,
    records: hasGrown ? previous.records : new Map(),
    broken: hasGrown ? previous.broken : 0,
    rest: bytes.toString('utf8', end)
  }
  for (const line of bytes.toString('utf8', 0, end).split('\n')) {
    if (line === '') continue
    const record = recordIn(line)
    if (record === null) current.broken++
    else current.records.set(record.id, record)
  }
  return current
}

/** @param {string} file @param {number} from byte */
function readFrom (file, from) {
  if (from === 0) return fs.readFileSync(file)
  const fd = fs.openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(fs.fstatSync(fd).size - from)
    return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, from))
  } finally {
    fs.closeSync(fd)
  }
}

exports.BlockReader = BlockReader
exports.filesOf = filesOf
