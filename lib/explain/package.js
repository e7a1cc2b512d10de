'use strict'

const { isOf, weightOf } = require('./frame')
const { originOf, ownerOf, packageFolderOf } = require('../util/code-owner')
const { ENOUGH_SAMPLES } = require('../tables/limits')
const { sumOf } = require('../util/statistics')

/**
 * @import { Frame, ProfileRecord } from '../types'
 * @import { Stack } from './fold'
 */

/** Calls whose time depends on the value that the application passed: the package is not to blame. */
const OF_THE_VALUE = ['JSON.parse', 'JSON.stringify']

/** @typedef {{ stacks: { weightMs: number, frames: Frame[] }[], total: number }} Sampled `total` is their weight */

/**
 * The package whose code ran innermost in at least half of the time. If several share the time, the outermost one that
 * the application called in half of it. Code of Node.js, V8 and loopwatch counts for its caller.
 * @param {Sampled} sampled
 */
function folderOf ({ stacks, total }) {
  const chains = stacks.map(({ weightMs, frames }) => ({ weightMs, folders: chainOf(frames) }))
    .filter(({ weightMs, folders }) => weightMs > 0 && folders.length > 0)
  const isHalf = (/** @type {string} */ folder, depth = Infinity) =>
    weightOf(chains.filter(({ folders }) => folders.slice(0, depth).includes(folder))) * 2 >= total
  // A package with less only called others.
  return chains.map(({ folders }) => folders[0]).find((folder) => isHalf(folder, 1)) ??
    chains.map(({ folders }) => folders.findLast((folder) => isHalf(folder))).find(Boolean) ?? null
}

/**
 * The packages that ran, innermost first, up to the application. Without it, a framework may be outermost. Generated
 * code belongs to the file that made it, which a profile does not know: the caller then counts.
 * @param {Frame[]} frames innermost first
 */
function chainOf (frames) {
  const files = frames.map(({ file }) => originOf(file ?? 'node:'))
  const owners = files.map((file) => ownerOf({ file }))
  const application = owners.indexOf('application')
  const folders = files.slice(0, application === -1 ? owners.indexOf('package') + 1 : application)
    .filter((_, i) => owners[i] === 'package').map(packageFolderOf)
  return folders[0] ? folders.filter((folder) => folder !== null) : []
}

/**
 * The folder of the package to blame. Timely stacks include functions that V8 has inlined. Late ones come after a
 * native call, and a package that answers no interrupt is in none: then a CPU profile is more reliable.
 * @param {Pick<Stack, 'count' | 'weightMs' | 'lateMs' | 'frames'>[]} stacks all of the block
 * @param {ProfileRecord | null | undefined} profile
 * @param {{ count: number, frames: Frame[] }[]} [profiled] all stacks of the profile, heaviest first
 * @returns {Sampled[]} the more reliable first; none if no package is to blame
 */
exports.samplesOf = (stacks, profile, profiled = []) => {
  const answers = { stacks, total: weightOf(stacks) }
  if (!profile || profile.samples < ENOUGH_SAMPLES) return [answers]
  const isOfApplication = profiled[0]?.frames.some(isOf('application'))
  if (isOfApplication && OF_THE_VALUE.includes(`${profile.call}`)) return []
  const samples = {
    stacks: profiled.map(({ count, frames }) => ({ weightMs: count, frames })),
    total: profile.samples
  }
  const isTimely = sumOf(stacks, 'count') >= ENOUGH_SAMPLES && sumOf(stacks, 'lateMs') * 2 < answers.total
  return isTimely ? [answers, samples] : [samples]
}

/** @param {Parameters<typeof exports.samplesOf>} evidence */
exports.folderAtFault = (...evidence) =>
  exports.samplesOf(...evidence).map(folderOf).find((folder) => folder !== null) ?? null
