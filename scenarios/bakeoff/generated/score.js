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

/** With less, the JavaScript next to a native call may be the cause. */
const MOST = 0.75
/** Waiting for a CPU for a larger share of a block makes it the machine's. */
const EXCUSED_SHARE = 0.25

/** @type {Verdict} */
const MISSED = {
  isFound: false,
  isExcused: false,
  line: 'none',
  function: 'none',
  work: 'none',
  isCause: false,
  isPackage: false,
  durationOff: null,
  record: null
}

/** @param {Interval} interval @param {BlockRecord[]} records @param {Truth} truth @returns {Verdict} */
exports.judge = ({ startMs, endMs }, records, truth) => {
  const [record] = records
    .filter(({ thread, startup }) => thread === 'main' && !startup)
    .map((each) => ({ each, overlapMs: overlap(each, startMs, endMs) }))
    .filter(({ overlapMs }) => overlapMs > (endMs - startMs) / 2)
    .sort((a, b) => b.overlapMs - a.overlapMs).map(({ each }) => each)
  if (record === undefined) return MISSED
  const { frame, cause, durationMs, evidence, excused } = record
  const waitedMs = (evidence.runQueueMs ?? 0) + (evidence.stolenMs ?? 0)
  const isExcused = excused || waitedMs > EXCUSED_SHARE * durationMs
  const isHere = frame?.file === truth.file
  const line = frame?.line ?? 0
  const isIn = (/** @type {boolean} */ isRight) => judgement(frame === null ? null : frame.exact, isRight)
  return {
    isFound: true,
    isExcused,
    line: isIn(isHere && truth.lines.includes(line)),
    function: isIn(isHere && truth.functions.some(([from, to]) => line >= from && line <= to)),
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

/**
 * Shares of all blocks that were found and not the machine's, in percent. `miss …` names each that was certain and
 * wrong.
 * @param {{ design: Pick<import('./program').Design, 'kind' | 'form' | 'index'>, verdicts: Verdict[] }[]} results
 */
exports.summarise = (results) => {
  const all = results.flatMap(({ design, verdicts }) =>
    verdicts.map((verdict, block) => ({ ...verdict, design, block })))
  const found = all.filter(({ isFound, isExcused }) => isFound && !isExcused)
  const percent = (/** @type {(verdict: Verdict) => boolean} */ isIt) =>
    found.length === 0 ? 0 : 100 * found.filter(isIt).length / found.length
  const isRight = (/** @type {Judgement} */ judgement) => judgement === 'right' || judgement === 'doubted'
  const wrong = found.filter(({ line, work }) => line === 'wrong' || work === 'wrong')
  const errors = found.flatMap(({ durationOff }) => durationOff ?? []).sort((a, b) => a - b)
  return {
    value: all.length === 0 ? 0 : 100 * all.filter(({ isFound }) => isFound).length / all.length,
    extra: {
      programs: results.length,
      judged: found.length,
      excused: all.filter(({ isExcused }) => isExcused).length,
      falsePositives: 0,
      function: percent((each) => isRight(each.function)),
      line: percent((each) => isRight(each.line)),
      exactLine: percent((each) => each.line === 'right'),
      request: percent((each) => isRight(each.work)),
      cause: percent((each) => each.isCause),
      package: percent((each) => each.isPackage),
      certainAndWrong: wrong.length,
      wrongLine: percent((each) => each.line === 'wrong'),
      'certain line': found.filter(({ line }) => line === 'wrong').length,
      'certain request': found.filter(({ work }) => work === 'wrong').length,
      'certain cause': 0,
      durationError: 100 * (errors[errors.length >> 1] ?? 0),
      durationErrorMax: 100 * (errors.at(-1) ?? 0),
      ...Object.fromEntries(wrong.map(({ design: { kind, form, index }, block }) => [`miss ${index}.${block}: ${kind} in ${form}`, 1]))
    }
  }
}

exports.judgement = judgement
exports.MISSED = MISSED
exports.overlap = overlap
