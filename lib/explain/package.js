'use strict'

const { originOf } = require('./frame')

/** A package that has less of the time than this was only passed through. */
const HALF = 0.5
/** A profile of fewer samples may have fallen anywhere: the stacks of the block are asked then. */
const ENOUGH_SAMPLES = 2

/** The innermost folder of a package in a path: after the last `node_modules`, with the scope that a name may have. */
const FOLDER = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?([^\\/]+))[\\/]/s

/** @typedef {import('../types').Frame} Frame */

/**
 * The folder of the package that a file belongs to, null where it is of none. Folders with a dot (`.pnpm`, `.vite`)
 * are tools' own: below pnpm's there is a `node_modules` of each package.
 * @param {string} file
 */
function packageFolder (file) {
  const [, folder, name] = FOLDER.exec(file) ?? []
  return folder === undefined || /^[.@]/.test(name) ? null : folder
}

/**
 * The folder of the package whose code ran innermost in at least half of the time, null where no single one's did.
 * Code of Node.js, of V8 and of loopwatch itself counts for whoever called it.
 * @param {{ weight: number, frames: Frame[] }[]} stacks
 * @param {number} total of which these are the known part
 * @returns {string | null}
 */
function folderOf (stacks, total) {
  /** @type {Map<string, number>} */
  const weights = new Map()
  for (const { weight, frames } of stacks) {
    const innermost = frames.find((frame) => !['node', 'own'].includes(originOf(frame)))
    const folder = innermost?.file ? packageFolder(innermost.file) : null
    if (folder !== null) weights.set(folder, (weights.get(folder) ?? 0) + weight)
  }
  const [heaviest] = [...weights].sort(([, a], [, b]) => b - a)
  return heaviest !== undefined && heaviest[1] > 0 && heaviest[1] >= HALF * total ? heaviest[0] : null
}

/**
 * The folder of the package at fault for a block. A CPU profile is believed before the stacks: its samples fall
 * into native calls as well, after which a stack may already be of somebody else.
 * @param {{ weightMs: number, frames: Frame[] }[]} stacks all of the block
 * @param {import('../types').ProfileRecord | null | undefined} profile
 */
exports.folderAtFault = (stacks, profile) => profile && profile.samples >= ENOUGH_SAMPLES
  ? folderOf(profile.stacks.map(({ count, frames }) => ({ weight: count, frames })), profile.samples)
  : folderOf(stacks.map(({ weightMs, frames }) => ({ weight: weightMs, frames })), stacks.reduce((total, { weightMs }) => total + weightMs, 0))

exports.packageFolder = packageFolder
