'use strict'

const { originOf, ownerOf, packageFolderOf } = require('../util/code-owner')
const { ENOUGH_SAMPLES } = require('../tables/limits')

/**
 * @import { Frame, ProfileRecord } from '../types'
 * @import { Stack } from './fold'
 */

/** Calls that process what the application passed: the package is not to blame for how long they take. */
const OF_THE_VALUE = ['JSON.parse', 'JSON.stringify']

/**
 * The package whose code ran innermost in at least half of the time. If several share the time, the outermost one that
 * the application called in half of it. Code of Node.js, V8 and loopwatch counts for its caller.
 * @param {{ weight: number, frames: Frame[] }[]} stacks @param {number} total weight; these stacks are the known part
 */
function folderOf (stacks, total) {
  const chains = stacks.map(({ weight, frames }) => ({ weight, folders: chainOf(frames) }))
  const isHalf = (/** @type {string} */ folder, depth = Infinity) => {
    const within = chains.filter(({ folders }) => folders.slice(0, depth).includes(folder))
    const weight = within.reduce((sum, each) => sum + each.weight, 0)
    // A package with less only called others.
    return weight > 0 && weight * 2 >= total
  }
  return chains.flatMap(({ folders }) => folders.slice(0, 1)).find((folder) => isHalf(folder, 1)) ??
    chains.flatMap(({ folders }) => folders.findLast((folder) => isHalf(folder)) ?? [])[0] ?? null
}

/**
 * The packages that ran, innermost first, up to the application. If it is not there, a framework may be outermost.
 * Generated code belongs to the file that made it. A profile does not know that file: the caller then counts.
 * @param {Frame[]} frames innermost first
 */
function chainOf (frames) {
  const ofOthers = frames.map(({ file }) => ({ file: file && originOf(file) }))
    .filter((frame) => !['node', 'own', 'generated'].includes(ownerOf(frame)))
  const called = ofOthers.findIndex((frame) => ownerOf(frame) === 'application')
  const [innermost, ...callers] = ofOthers.slice(0, called === -1 ? 1 : called)
    .map(({ file }) => packageFolderOf(`${file}`))
  return innermost == null ? [] : [innermost, ...callers.flatMap((folder) => folder ?? [])]
}

/**
 * Timely stacks include functions that V8 has inlined. Late ones come after a native call, and a package that answers
 * no interrupt is in none: then a CPU profile is more reliable.
 * @param {Pick<Stack, 'count' | 'weightMs' | 'lateMs' | 'frames'>[]} stacks all of the block
 * @param {ProfileRecord | null | undefined} profile
 * @param {{ count: number, frames: Frame[] }[]} [profiled] all stacks of the profile, heaviest first
 */
exports.folderAtFault = (stacks, profile, profiled = []) => {
  const sumOf = (/** @type {'count' | 'weightMs' | 'lateMs'} */ key) =>
    stacks.reduce((total, stack) => total + stack[key], 0)
  const isTimely = sumOf('count') >= ENOUGH_SAMPLES && sumOf('lateMs') * 2 < sumOf('weightMs')
  const isProfiled = profile && profile.samples >= ENOUGH_SAMPLES
  const isGiven = isProfiled && profiled[0]?.frames.some((frame) => ownerOf(frame) === 'application')
  if (isGiven && OF_THE_VALUE.includes(profile.call ?? '')) return null
  const byStacks = folderOf(stacks.map(({ weightMs, frames }) => ({ weight: weightMs, frames })), sumOf('weightMs'))
  if (!isProfiled || (isTimely && byStacks !== null)) return byStacks
  return folderOf(profiled.map(({ count, frames }) => ({ weight: count, frames })), profile.samples)
}
