'use strict'

const { causeOfPart } = require('../tables/causes')
const { ENOUGH_SAMPLES } = require('../tables/limits')
const { roundMs } = require('../util/statistics')

/**
 * @import { Cause } from '../tables/causes'
 * @import { BlockParts, BlockRecord } from '../types'
 * @import { Evidence } from './parts'
 */

/** Waiting below this share is everyday jitter of the scheduler. */
const SOME = 0.2
/** From this share on, others keep the thread off the CPUs: V8's own helper threads do so for less. */
const MOSTLY = 0.8

/**
 * The cause of the largest part. What the thread did on a CPU would have been a block without the wait if it reaches
 * the threshold. A stop is the cause if it is longer than all that ran and than the wait.
 * @param {Pick<Evidence, 'thresholdMs' | 'cpuMs'>} e @param {BlockParts} parts
 */
function largestIn ({ thresholdMs, cpuMs }, parts) {
  const ranMs = Math.max(cpuMs ?? 0, parts.js + parts.native + parts.gc)
  const waiting = ranMs >= thresholdMs ? 0 : parts.waiting
  const stopped = Math.max(ranMs, parts.waiting) > parts.stopped ? 0 : parts.stopped
  const counting = { ...parts, waiting, stopped }
  const [part] = Object.entries(counting).reduce((a, b) => b[1] >= a[1] ? b : a)
  return causeOfPart[/** @type {keyof BlockParts} */ (part)]
}

/**
 * What the parts of a block do not tell. Printed in docs/causes/README.md.
 * @type {{ cause: Cause, when: string, test: (e: Evidence, parts: BlockParts) => boolean }[]}
 */
const table = [
  {
    cause: 'gc',
    when: 'pauses of the garbage collector are at least half of it, and waiting for a CPU is less than 80% of it',
    // On a small machine, V8's own helper threads keep the thread they help off the CPUs.
    test: ({ gcMs, durationMs }, { waiting }) => gcMs >= durationMs / 2 && waiting < MOSTLY * durationMs
  },
  {
    cause: 'starved',
    when: 'waiting for a CPU is at least 20% of it, half of it while it lasts, and the rest is below the threshold',
    // At first the rest of every block is below the threshold, so a block in progress needs more.
    test: ({ durationMs, ongoing, thresholdMs }, { waiting }) =>
      waiting >= (ongoing ? durationMs / 2 : SOME * durationMs) && durationMs - waiting < thresholdMs
  },
  {
    cause: 'many',
    when: 'its largest part is JavaScript or native calls, samples show two or more requests, none has 60% of the ' +
      'time, and none was seen for as long as the threshold without another in between',
    // Two requests that block one after the other are two culprits.
    test: (e, parts) => e.requests >= 2 && e.topRequestShare < 0.6 && e.longestRunMs < e.thresholdMs &&
      ['js', 'native'].includes(largestIn(e, parts))
  }
]

/** Why the loop was blocked. @param {Evidence} e @param {BlockParts} parts @returns {Cause} */
exports.causeOf = (e, parts) => table.find((row) => row.test(e, parts))?.cause ?? largestIn(e, parts)

/**
 * Cause and parts when a CPU profile has told more. Without an answered interrupt, the profile shows what ran. A line
 * that calls a built-in may do so once or often: only interrupts can tell. If they were answered between native calls
 * or just after one, the calls have most of the time.
 * @param {Pick<BlockRecord, 'cause' | 'samples' | 'parts'>} record
 * @param {{ call: string | null, isOpen: boolean, betweenShare: number }} seen betweenShare: of the samples between
 * native calls, 0 if they are not most
 * @returns {Pick<BlockRecord, 'cause' | 'parts'>}
 */
exports.causeByProfile = ({ cause, parts, samples }, { call, isOpen, betweenShare }) => {
  const share = call !== null && samples < ENOUGH_SAMPLES ? 1 : betweenShare
  if (cause === 'js' && share > 0) return moved(parts, 'js', 'native', share)
  if (cause !== 'unknown' || samples > 0 || isOpen) return { cause, parts }
  return moved(parts, 'unexplained', call === null ? 'js' : 'native')
}

/**
 * @param {BlockRecord['parts']} parts @param {'js' | 'unexplained'} from @param {'js' | 'native'} to
 * @param {number} [share] @returns {Pick<BlockRecord, 'cause' | 'parts'>}
 */
function moved (parts, from, to, share = 1) {
  // Records of earlier versions have none.
  if (!parts) return { cause: to, parts }
  const ms = roundMs(parts[from] * share)
  return { cause: to, parts: { ...parts, [from]: roundMs(parts[from] - ms), [to]: roundMs(parts[to] + ms) } }
}

exports.table = table
