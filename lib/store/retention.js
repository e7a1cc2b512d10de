'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { isAlive } = require('../util/is-alive')

/** Most files that ended processes may leave in a folder: a day of restarts every half hour. */
const FILES = 50
/** Most bytes of such files: two processes with full files. */
const BYTES = 256 * 1024 * 1024
/** Names of our files: blocks-<pid>-<time>.ndjson, .old.ndjson, .unended.ndjson (predecessors.js) */
const NAME = /^blocks-(\d+)-\d+(?:\.(?:old|unended))?\.ndjson$/

/**
 * Deletes the oldest block files of ended processes beyond a number and a size. A file that cannot be deleted stays:
 * the next process that begins a file tries again.
 * @param {string} dir @param {{ own: string, files?: number, bytes?: number }} bounds own: the file being written
 */
exports.prune = (dir, { own, files = FILES, bytes = BYTES }) => {
  const ended = fs.readdirSync(dir)
    .filter((name) => name !== own && isEnded(Number(NAME.exec(name)?.[1] ?? NaN)))
    .flatMap((name) => found(path.join(dir, name)))
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
  let total = 0
  for (const [i, { file, size }] of ended.entries()) {
    total += size
    if (i < files && total <= bytes) continue
    try { fs.unlinkSync(file) } catch { /* somebody else's, or deleted by another process just now */ }
  }
}

/** @param {number} pid NaN if the file is not ours; this process's pid is then that of an earlier one */
function isEnded (pid) {
  if (Number.isNaN(pid)) return false
  if (pid === process.pid) return true
  return !isAlive(pid)
}

/** @param {string} file */
function found (file) {
  try {
    const { size, mtimeMs } = fs.statSync(file)
    return [{ file, size, mtimeMs }]
  } catch {
    return []
  }
}
