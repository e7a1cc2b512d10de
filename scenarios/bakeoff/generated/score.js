'use strict'

/**
 * @typedef {import('../../../lib/types').BlockRecord} BlockRecord
 * @typedef {{ startMs: number, endMs: number }} Interval of a block, in ms since the epoch, by the program itself
 * @typedef {object} Truth
 * @property {string} file @property {string} folder @property {number[]} lines @property {[number, number][]} functions
 * @property {string[]} cause @property {number} share of the marked line; the others are JavaScript
 * @property {string | null} owner the package to name
 * @property {import('./program').Design['place']} place
 * @typedef {'right' | 'doubted' | 'wrong in doubt' | 'wrong' | 'none'} Judgement doubted: right, in doubt
 * @typedef {object} Verdict of one block
 * @property {boolean} isFound
 * @property {boolean} isExcused the machine took the CPU away: nothing else is judged
 * @property {Judgement} line @property {Judgement} function @property {Judgement} work
 * @property {boolean} isCause @property {boolean} isPackage
 * @property {number | null} durationOff share of the true one
 * @property {BlockRecord | null} record
 */

/** With less, the JavaScript beside a native call may be the cause. */
const MOST = 0.75
/** Waiting for a CPU for a larger share of a block makes it the machine's. */
const EXCUSED_SHARE = 0.25

/** @param {Interval} interval @param {BlockRecord[]} records @param {Truth} truth @returns {Verdict} */
exports.judge = ({ startMs, endMs }, records, truth) => {
  const [record] = records
    .filter(({ thread, startup }) => thread === 'main' && !startup)
    .map((each) => ({ each, overlapMs: overlap(each, startMs, endMs) }))
    .filter(({ overlapMs }) => overlapMs > (endMs - startMs) / 2)
    .sort((a, b) => b.overlapMs - a.overlapMs).map(({ each }) => each)
  if (record === undefined) return { isFound: false, isExcused: false, line: 'none', function: 'none', work: 'none', isCause: false, isPackage: false, durationOff: null, record: null }
  const { frame, cause, durationMs, evidence } = record
  const waitedMs = (evidence.runQueueMs ?? 0) + (evidence.stolenMs ?? 0)
  const isExcused = cause === 'starved' || cause === 'suspended' || waitedMs > EXCUSED_SHARE * durationMs
  const isHere = frame?.file === truth.file
  const isIn = (/** @type {boolean} */ isRight) => judgement(frame === null ? null : frame.exact, isRight)
  return {
    isFound: true,
    isExcused,
    line: isIn(isHere && truth.lines.includes(Number(frame?.line))),
    function: isIn(isHere && truth.functions.some(([from, to]) => Number(frame?.line) >= from && Number(frame?.line) <= to)),
    work: workOf(record, truth.place),
    isCause: [...truth.cause, ...(truth.share < MOST ? ['js'] : []), 'unknown'].includes(cause),
    isPackage: (record.package?.name ?? null) === truth.owner,
    durationOff: Math.abs(durationMs - (endMs - startMs)) / (endMs - startMs),
    record
  }
}

/** @param {boolean | null} isExact null: nothing was named @param {boolean} isRight @returns {Judgement} */
function judgement (isExact, isRight) {
  if (isExact === null) return 'none'
  if (isRight) return isExact ? 'right' : 'doubted'
  return isExact ? 'wrong' : 'wrong in doubt'
}

/** @param {BlockRecord} record @param {string} place @returns {Judgement} */
function workOf ({ work }, place) {
  const isRequest = place.startsWith('request')
  if (!work) return isRequest || place === 'job' ? 'none' : 'right'
  const isRight = isRequest ? work.kind === 'request' : place === 'job' && work.name === 'nightly'
  return judgement(work.exact !== false, isRight)
}

/** @param {BlockRecord} record @param {number} startMs @param {number} endMs */
function overlap ({ startedAt, durationMs }, startMs, endMs) {
  const atMs = Date.parse(startedAt)
  return Math.min(endMs, atMs + durationMs) - Math.max(startMs, atMs)
}
