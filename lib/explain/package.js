'use strict'

const { STACKS_IN_RECORD } = require('./profile/profiled')
const { ownerOf } = require('./frame')

/** Least share of the time of a package at fault: one with less was only passed through. */
const HALF = 0.5
/** Least samples that are believed. Fewer may have fallen anywhere. */
const ENOUGH_SAMPLES = 2
/** Calls in which a package works through what the application gave it: how long they take is not the package's. */
const OF_THE_VALUE = ['JSON.parse', 'JSON.stringify']

/** The innermost folder of a package in a path: after the last `node_modules`, with the scope that a name may have. */
const FOLDER = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?([^\\/]+))[\\/]/s

/** @typedef {import('../types').Frame} Frame */

/**
 * The folder of the package that a file belongs to, null if it belongs to none. Folders with a dot (`.pnpm`, `.vite`)
 * belong to tools: below pnpm's there is a `node_modules` of each package.
 * @param {string} file
 */
function packageFolder (file) {
  const [, folder, name] = FOLDER.exec(file) ?? []
  return folder === undefined || /^[.@]/.test(name) ? null : folder
}

/**
 * The folder of the package whose code ran innermost in at least half of the time, null if there is no such package.
 * Code of Node.js, of V8 and of loopwatch itself counts for its caller.
 * @param {{ weight: number, frames: Frame[] }[]} stacks
 * @param {number} total weight; these stacks are the known part of it
 * @returns {string | null}
 */
function folderOf (stacks, total) {
  /** @type {Map<string, number>} */
  const weights = new Map()
  for (const { weight, frames } of stacks) {
    const innermost = frames.find((frame) => !['node', 'own'].includes(ownerOf(frame)))
    const folder = innermost?.file ? packageFolder(innermost.file) : null
    if (folder !== null) weights.set(folder, (weights.get(folder) ?? 0) + weight)
  }
  const [heaviest] = [...weights].sort(([, a], [, b]) => b - a)
  return heaviest !== undefined && heaviest[1] > 0 && heaviest[1] >= HALF * total ? heaviest[0] : null
}

/**
 * The folder of the package at fault for a block. Stacks that were taken in time have the functions that V8 has built
 * into others. Where they came late, when a native call had returned, a CPU profile is believed before them.
 * @param {Pick<import('./fold').Stack, 'count' | 'weightMs' | 'lateMs' | 'frames'>[]} stacks all of the block
 * @param {import('../types').ProfileRecord | null | undefined} profile
 */
exports.folderAtFault = (stacks, profile) => {
  const sumOf = (/** @type {'count' | 'weightMs' | 'lateMs'} */ key) =>
    stacks.reduce((total, stack) => total + stack[key], 0)
  const isTimely = sumOf('count') >= ENOUGH_SAMPLES && sumOf('lateMs') * 2 < sumOf('weightMs')
  const isProfiled = profile && profile.samples >= ENOUGH_SAMPLES
  const isGiven = isProfiled && profile.stacks[0]?.frames.some((frame) => ownerOf(frame) === 'application')
  if (isGiven && OF_THE_VALUE.includes(profile.call ?? '')) return null
  if (!isTimely && isProfiled) {
    const told = profile.stacks.map(({ count, frames }) => ({ weight: count, frames }))
    // A parser's stacks are many, and the heaviest that a record has may be a third of all: they stand for the others.
    const isCut = told.length === STACKS_IN_RECORD
    return folderOf(told, isCut ? told.reduce((total, { weight }) => total + weight, 0) : profile.samples)
  }
  return folderOf(stacks.map(({ weightMs, frames }) => ({ weight: weightMs, frames })), sumOf('weightMs'))
}

exports.packageFolder = packageFolder
