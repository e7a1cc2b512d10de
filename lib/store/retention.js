'use strict'

const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { writeTo } = require('../util/files')
const { isAlive } = require('../util/processes')
const { BYTES_PER_MB, MS_PER_MINUTE } = require('../util/units')

/** Most files that ended processes may leave in a folder: a day of restarts every half hour. */
const FILES = 50
/** Most bytes of such files: two processes with full files. */
const BYTES = 256 * BYTES_PER_MB
/** Interval at which a living process marks its file. */
const TOUCH_MS = MS_PER_MINUTE
/** A process without a mark in its file for this long has ended, unless it was stopped. */
const LIVING_MS = 2.5 * TOUCH_MS
/** Names of our files: blocks-<pid>-<time>.ndjson, .old.ndjson, .unended.ndjson (predecessors.js) */
const NAME = /^blocks-(\d+)-\d+(?:\.(?:old|unended))?\.ndjson$/

/**
 * Deletes the oldest block files of ended processes, with their timelines, beyond the bounds. The next process retries.
 * Recently touched files stay: their processes may run in other containers, where they cannot be seen.
 * @param {string} dir @param {{ own: string, files?: number, bytes?: number }} bounds own: the file being written
 */
exports.prune = (dir, { own, files = FILES, bytes = BYTES }) => {
  const names = fs.readdirSync(dir)
  const ended = names
    .filter((name) => name !== own && isEnded(Number(NAME.exec(name)?.[1] ?? NaN)))
    .flatMap((name) => statOf(path.join(dir, name)))
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
  const isTouched = (/** @type {{ touchedMs: number }} */ { touchedMs }) => Date.now() - touchedMs <= LIVING_MS
  const living = new Set(ended.filter(isTouched).map(({ file }) => nameOf(file)))
  let total = 0
  for (const [i, { file, size }] of ended.entries()) {
    const timelines = file.endsWith('.old.ndjson') ? [] : timelinesOf(dir, nameOf(file))
    total += timelines.reduce((sum, each) => sum + each.size, size)
    if ((i < files && total <= bytes) || living.has(nameOf(file))) continue
    remove(file)
    for (const each of timelines) remove(each.file)
  }
  removeOrphans(dir, names)
}

/** Deletes timelines whose records somebody has deleted. @param {string} dir @param {string[]} names */
function removeOrphans (dir, names) {
  for (const name of names) {
    const owner = ownerOf(name)
    if (owner === null || ['', '.old', '.unended'].some((kind) => names.includes(`${owner}${kind}.ndjson`))) continue
    if (isEnded(Number(/^blocks-(\d+)-/.exec(owner)?.[1]))) remove(path.join(dir, name))
  }
}

/** @param {number} pid NaN if the file is not ours; this process's pid is then that of an earlier one */
function isEnded (pid) {
  return pid === process.pid || (!Number.isNaN(pid) && !isAlive(pid))
}

/** Most timelines of one process, and most bytes: the latest, of ten minutes of blocks without a pause. */
const TIMELINES = 20
const TIMELINE_BYTES = 16 * BYTES_PER_MB
/** blocks-<pid>-<time>.timeline-<id of a block>.json.gz, next to blocks-<pid>-<time>.ndjson. */
const TIMELINE = /^(blocks-\d+-\d+)\.timeline-[\w.-]{1,64}\.json\.gz(?:\.part)?$/
/** End of the name of an incomplete file, as a process may be killed while it writes. */
const PART = '.part'

/** The name of the records that a timeline belongs to, null if it is not a timeline. @param {string} name */
const ownerOf = (name) => TIMELINE.exec(name)?.[1] ?? null

/**
 * Writes the timeline around a block, and deletes the oldest of this process beyond the bounds. Throws if it cannot.
 * @param {string} dir @param {string} owner the records' file @param {{ id: string, text: string }} timeline
 */
exports.writeTimeline = (dir, owner, { id, text }) => {
  const file = path.join(dir, `${owner}.timeline-${id}.json.gz`)
  // The writer's next line should not wait for compression: this level takes 8 ms/MB, the default 25.
  writeTo(`${file}${PART}`, 'w', zlib.gzipSync(text, { level: 1 }))
  fs.renameSync(`${file}${PART}`, file)
  let bytes = 0
  for (const [i, each] of timelinesOf(dir, owner).entries()) {
    bytes += each.size
    if (i >= TIMELINES || bytes > TIMELINE_BYTES) remove(each.file)
  }
}

/** The timelines of a file of records, the latest first. @param {string} dir @param {string} owner */
const timelinesOf = (dir, owner) => fs.readdirSync(dir)
  .filter((name) => name.startsWith(`${owner}.timeline-`) && /\.json\.gz(?:\.part)?$/.test(name))
  .flatMap((name) => statOf(path.join(dir, name)))
  .sort((a, b) => b.mtimeMs - a.mtimeMs)

/** @param {string} dir @param {string} owner @param {number} untilMs Unix time of the last record that is gone */
exports.removeUntil = (dir, owner, untilMs) => {
  for (const { file, mtimeMs } of timelinesOf(dir, owner)) if (mtimeMs <= untilMs) remove(file)
}

/** @param {string} file */
const remove = (file) => {
  try { fs.unlinkSync(file) } catch { /* somebody else's, or deleted by another process just now */ }
}

/** The common part of the names of a process's files. @param {string} file */
const nameOf = (file) => path.basename(file).replace(/(?:\.old|\.unended)?\.ndjson$/, '')

/**
 * None if it is gone. @param {string} file
 * @returns {{ file: string, size: number, mtimeMs: number, touchedMs: number }[]}
 */
const statOf = (file) => {
  try {
    const { size, mtimeMs, atimeMs } = fs.statSync(file)
    return [{ file, size, mtimeMs, touchedMs: Math.max(mtimeMs, atimeMs) }]
  } catch {
    return []
  }
}

exports.LIVING_MS = LIVING_MS
exports.statOf = statOf
exports.TOUCH_MS = TOUCH_MS
