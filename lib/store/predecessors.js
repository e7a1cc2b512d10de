'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { hasFullHeap } = require('../util/memory-text')
const { startedAtMs, isAlive } = require('../util/processes')
const { recordIn } = require('./record')
const { LIVING_MS, statOf } = require('./retention')

/** @import { BlockRecord } from '../types' */

/** blocks-<pid>-<time>.ndjson, the time at which the file got its name. */
const NAME = /^blocks-(\d+)-(\d+)\.ndjson$/
/** Shortest block that is reported if its process ends in it: a tool may end its process within a callback. */
const LONG_MS = 1000
/** No living process leaves its file alone for this long in a block, which is written each second. */
const QUIET_MS = 2500
/** A process that ended longer ago is not the one before this one. */
const RECENT_MS = 24 * 60 * 60 * 1000
/** Size of the end of a file that is read. Lines have at most 50 KB. */
const TAIL_BYTES = 256 * 1024
/** Number of files that are read at a start, the latest. */
const FILES = 20

/**
 * @typedef {{ file: string, pid: number, namedAtMs: number, mtimeMs: number, touchedMs: number }} RecordFile
 */

/**
 * The blocks in which earlier processes ended, or after which they ended with a full heap, oldest first. A file is
 * renamed, so that only one process reports it. Recent files stay: they may belong to processes in other containers,
 * which share the folder but cannot be seen.
 * @param {string} dir @param {number} [nowMs] wall time @returns {BlockRecord[]}
 */
exports.takeUnended = (dir, nowMs = Date.now()) => {
  const old = filesOf(dir).filter((each) => nowMs - each.mtimeMs > QUIET_MS && nowMs - each.mtimeMs < RECENT_MS)
  return old.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(0, FILES).reverse().flatMap((each) => {
    try {
      if (!hasEnded(each)) return []
      const record = lastBlockIn(tailOf(each.file), nowMs - each.touchedMs > LIVING_MS)
      // Only one of several processes that start at once can rename it.
      if (record !== null) fs.renameSync(each.file, each.file.replace(/\.ndjson$/, '.unended.ndjson'))
      return record ?? []
    } catch {
      // Another process has pruned or renamed the file, or this one may not read or rename it.
      return []
    }
  })
}

/** @param {string} dir @returns {RecordFile[]} */
function filesOf (dir) {
  try {
    return fs.readdirSync(dir).flatMap((name) => {
      const parts = NAME.exec(name)
      if (parts === null) return []
      return statOf(path.join(dir, name))
        .map((stat) => ({ ...stat, pid: Number(parts[1]), namedAtMs: Number(parts[2]) }))
    })
  } catch {
    // The reason is logged when a record cannot be written.
    return []
  }
}

/** Whether the process of a file is gone, though another one may have its pid by now. @param {RecordFile} file */
function hasEnded ({ pid, namedAtMs }) {
  return !isAlive(pid) || (startedAtMs(pid) ?? -Infinity) > namedAtMs
}

/**
 * The main thread's last block, if no line has its end and it was long; else one of the last two, if it found the heap
 * full: V8 ends such a process within a second, often between two blocks.
 * @param {string} tail of a file, from any byte on @param {boolean} [isSilent] the process has not marked its file for
 * long: between two blocks, a living one that cannot be seen leaves it alone as well
 */
function lastBlockIn (tail, isSilent = false) {
  const records = tail.split('\n').flatMap((line) => recordIn(line) ?? []).filter(({ threadId }) => threadId === 0)
  // Blocks before it may settle after it has begun.
  const blocks = [...new Map(records.map((record) => [record.id, record])).values()]
    .sort((a, b) => a.startedAt < b.startedAt ? -1 : 1)
  const last = blocks.at(-1)
  if (last?.ongoing && last.durationMs >= LONG_MS) return last
  if (!last?.ongoing && !isSilent) return null
  // The heap is measured at the end of a block.
  return blocks.slice(-2).findLast(hasFullHeap) ?? null
}

/** @param {string} file */
function tailOf (file) {
  const fd = fs.openSync(file, 'r')
  try {
    const { size } = fs.fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES))
    return bytes.toString('utf8', 0, fs.readSync(fd, bytes, 0, bytes.length, size - bytes.length))
  } finally {
    fs.closeSync(fd)
  }
}

exports.QUIET_MS = QUIET_MS
exports.lastBlockIn = lastBlockIn
