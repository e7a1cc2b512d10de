'use strict'

const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { openFile } = require('../util/files')

/** Most timelines of one process, and most bytes: the latest, of ten minutes of blocks without a pause. */
const FILES = 20
const BYTES = 16 * 1024 * 1024
/** blocks-<pid>-<time>.timeline-<id of a block>.json.gz, next to blocks-<pid>-<time>.ndjson. */
const NAME = /^(blocks-\d+-\d+)\.timeline-[\w.-]{1,64}\.json\.gz(?:\.part)?$/
/** Until it is whole, a file ends in this: a process may be killed while it is written. */
const PART = '.part'
/** The writer's next line should not wait for compression: this level takes 8 ms/MB, the default 25. */
const LEVEL = 1

/** The name of the records that a timeline belongs to, null if it is not a timeline. @param {string} name */
exports.ownerOf = (name) => NAME.exec(name)?.[1] ?? null

/**
 * Writes the timeline around a block, and deletes the oldest of this process beyond the bounds. Throws if it cannot.
 * @param {string} dir @param {string} owner the records' file @param {{ id: string, text: string }} timeline
 */
exports.writeTimeline = (dir, owner, { id, text }) => {
  const file = path.join(dir, `${owner}.timeline-${id}.json.gz`)
  const fd = openFile(`${file}${PART}`, 'w', 0o640)
  try {
    fs.writeFileSync(fd, zlib.gzipSync(text, { level: LEVEL }))
  } finally {
    fs.closeSync(fd)
  }
  fs.renameSync(`${file}${PART}`, file)
  let bytes = 0
  for (const [i, each] of exports.timelinesOf(dir, owner).entries()) {
    bytes += each.size
    if (i >= FILES || bytes > BYTES) exports.remove(each.file)
  }
}

/** The timelines of a file of records, the latest first. @param {string} dir @param {string} owner */
exports.timelinesOf = (dir, owner) => fs.readdirSync(dir)
  .filter((name) => name.startsWith(`${owner}.timeline-`) && /\.json\.gz(?:\.part)?$/.test(name))
  .flatMap((name) => exports.found(path.join(dir, name)))
  .sort((a, b) => b.mtimeMs - a.mtimeMs)

/** @param {string} dir @param {string} owner @param {number} untilMs Unix time of the last record that is gone */
exports.removeUntil = (dir, owner, untilMs) => {
  for (const { file, mtimeMs } of exports.timelinesOf(dir, owner)) if (mtimeMs <= untilMs) exports.remove(file)
}

/** @param {string} file */
exports.remove = (file) => {
  try { fs.unlinkSync(file) } catch { /* somebody else's, or deleted by another process just now */ }
}

/** @param {string} file @returns {{ file: string, size: number, mtimeMs: number }[]} none if it is gone */
exports.found = (file) => {
  try {
    const { size, mtimeMs } = fs.statSync(file)
    return [{ file, size, mtimeMs }]
  } catch {
    return []
  }
}
