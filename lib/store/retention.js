'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { isAlive } = require('../util/processes')
const { QUIET_MS } = require('./predecessors')
const { found, ownerOf, remove, timelinesOf } = require('./timelines')

/** Most files that ended processes may leave in a folder: a day of restarts every half hour. */
const FILES = 50
/** Most bytes of such files: two processes with full files. */
const BYTES = 256 * 1024 * 1024
/** Names of our files: blocks-<pid>-<time>.ndjson, .old.ndjson, .unended.ndjson (predecessors.js) */
const NAME = /^blocks-(\d+)-\d+(?:\.(?:old|unended))?\.ndjson$/

/**
 * Deletes the oldest block files of ended processes, with their timelines, beyond the bounds. The next process retries.
 * Files written just now stay: their processes may run in other containers, where they cannot be seen.
 * @param {string} dir @param {{ own: string, files?: number, bytes?: number }} bounds own: the file being written
 */
exports.prune = (dir, { own, files = FILES, bytes = BYTES }) => {
  const names = fs.readdirSync(dir)
  const ended = names
    .filter((name) => name !== own && isEnded(Number(NAME.exec(name)?.[1] ?? NaN)))
    .flatMap((name) => found(path.join(dir, name)))
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
  let total = 0
  for (const [i, { file, size, mtimeMs }] of ended.entries()) {
    const timelines = file.endsWith('.old.ndjson') ? [] : timelinesOf(dir, path.basename(file, '.ndjson').replace(/\.unended$/, ''))
    total += timelines.reduce((sum, each) => sum + each.size, size)
    if ((i < files && total <= bytes) || Date.now() - mtimeMs <= QUIET_MS) continue
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
  if (Number.isNaN(pid)) return false
  if (pid === process.pid) return true
  return !isAlive(pid)
}
