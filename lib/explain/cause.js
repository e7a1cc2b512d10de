'use strict'

const { causeOfPart, excuseOf, OWN_PARTS, ownPartOf } = require('../tables/causes')
const { ENOUGH_SAMPLES } = require('../tables/limits')
const { roundMs } = require('../util/statistics')

/**
 * @import { Cause } from '../tables/causes'
 * @import { BlockParts, BlockRecord } from '../types'
 * @import { Evidence } from './parts'
 */

/** Share of waiting that is more than everyday jitter of the scheduler. */
const SOME = 0.2
/** The same for a block in progress, as the rest of every block is below the threshold at first. */
const MOST = 0.5

/** @param {BlockParts} parts */
const ownMsIn = (parts) => OWN_PARTS.reduce((ms, part) => ms + parts[part], 0)

/**
 * The cause that the largest part has. Parts in which the thread ran or slept count together: the largest of them says
 * what it did, not whose block it was. @param {Evidence} e @param {BlockParts} parts
 */
function largestIn ({ durationMs, ongoing, thresholdMs }, parts) {
  const { waiting, stopped } = parts
  const restMs = durationMs - waiting - stopped
  const isOnlyLate = restMs < thresholdMs && waiting + stopped >= (ongoing ? MOST : SOME) * durationMs
  const larger = waiting >= stopped ? 'waiting' : 'stopped'
  return causeOfPart[isOnlyLate || parts[larger] > restMs ? larger : ownPartOf(parts)]
}

/**
 * Causes that the parts of a block do not show. Printed in docs/causes/README.md.
 * @type {{ cause: Cause, when: string, test: (e: Evidence, parts: BlockParts) => boolean }[]}
 */
const table = [
  {
    cause: 'many',
    when: 'rule 3 would give `js` or `native`, samples show two or more requests, none has 60% of the time, and none ' +
      'was seen for as long as the threshold without another in between',
    // Each of two requests that block one after the other is a culprit.
    test: (e, parts) => e.requests >= 2 && e.topRequestShare < 0.6 && e.longestRunMs < e.thresholdMs &&
      ['js', 'native'].includes(largestIn(e, parts))
  }
]

/**
 * The cause of a block. `excused`: it is the machine's alone, as the application's part would have been no block.
 * @param {Evidence} e @param {BlockParts} parts @returns {{ cause: Cause, excused: boolean }}
 */
exports.verdictOf = (e, parts) => {
  const cause = table.find((row) => row.test(e, parts))?.cause ?? largestIn(e, parts)
  return { cause, excused: excuseOf(cause) !== undefined && Math.max(e.cpuMs ?? 0, ownMsIn(parts)) < e.thresholdMs }
}

/**
 * Cause and parts corrected by a CPU profile, which shows what ran if no interrupt was answered. A line that calls a
 * built-in may do so once or often: only interrupts can tell. If they were answered between native calls or just after
 * one, the calls have most of the time.
 * @param {Pick<BlockRecord, 'cause' | 'samples'> & { parts: BlockParts }} record
 * @param {{ builtin: boolean, isOpen: boolean, betweenShare: number }} profile builtin: it names a built-in;
 * betweenShare: of the samples between native calls, 0 if they are not most
 * @returns {{ cause: Cause, parts: BlockParts }}
 */
exports.causeByProfile = ({ cause, parts, samples }, { builtin, isOpen, betweenShare }) => {
  const share = builtin && samples < ENOUGH_SAMPLES ? 1 : betweenShare
  if (cause === 'js' && share > 0) return moved(parts, 'js', 'native', share)
  return cause !== 'unknown' || samples > 0 || isOpen
    ? { cause, parts }
    : moved(parts, 'unexplained', builtin ? 'native' : 'js', 1)
}

/**
 * @param {BlockParts} parts @param {'js' | 'unexplained'} from @param {'js' | 'native'} to
 * @param {number} share @returns {{ cause: Cause, parts: BlockParts }}
 */
function moved (parts, from, to, share) {
  const ms = roundMs(parts[from] * share)
  const all = { ...parts, [from]: roundMs(parts[from] - ms), [to]: roundMs(parts[to] + ms) }
  return { cause: causeOfPart[ownPartOf(all)], parts: all }
}

exports.table = table
