'use strict'

/**
 * @typedef {import('../../../lib/types').BlockRecord} BlockRecord
 * @typedef {{ startMs: number, endMs: number }} Interval of a block, in ms since the epoch, by the program itself
 * @typedef {object} Truth
 * @property {string} file @property {string} folder @property {number[]} lines @property {[number, number][]} functions
 * @property {string[]} cause @property {number} share of the marked line; the others are JavaScript
 * @property {number} [next] share of the next largest line
 * @property {string | null} owner the package to name
 * @property {import('./program').Design['place']} place
 * @typedef {'right' | 'doubted' | 'wrong in doubt' | 'wrong' | 'none'} Judgement doubted: right, in doubt
 * @typedef {object} Verdict of one block
 * @property {boolean} isFound
 * @property {'calm' | 'busy' | 'excused'} load excused: the machine took the CPU away, and nothing else is judged
 * @property {Judgement} line @property {Judgement} function @property {Judgement} work
 * @property {boolean} isCause @property {boolean} isPackage
 * @property {number | null} durationOff share of the true one
 * @property {BlockRecord | null} record
 */

/** With less, the JavaScript next to a native call may be the cause. */
const MOST = 0.75
/** A block that waits for a CPU for up to this share of its time is calm, with more it is busy. */
const CALM_SHARE = 0.4
/** With more, nearly nothing of the block is the program's. */
const EXCUSED_SHARE = 0.85

/** Judgements of a line, the worst first. @type {Judgement[]} */
exports.WORTH = ['wrong', 'none', 'wrong in doubt', 'doubted', 'right']

/** @type {Verdict} */
const MISSED = {
  isFound: false,
  load: 'calm',
  line: 'none',
  function: 'none',
  work: 'none',
  isCause: false,
  isPackage: false,
  durationOff: null,
  record: null
}

/**
 * Share of a block in which its thread waited for a CPU.
 * @param {{ runQueueMs?: number | null, stolenMs?: number | null, durationMs: number }} block
 */
exports.waitedShareOf = ({ runQueueMs, stolenMs, durationMs }) => ((runQueueMs ?? 0) + (stolenMs ?? 0)) / durationMs

/** @param {Interval} interval @param {BlockRecord[]} records @param {Truth} truth @returns {Verdict} */
exports.judge = ({ startMs, endMs }, records, truth) => {
  const [record] = records
    .filter(({ thread, startup }) => thread === 'main' && !startup)
    .map((each) => ({ each, overlapMs: overlap(each, startMs, endMs) }))
    .filter(({ overlapMs }) => overlapMs > (endMs - startMs) / 2)
    .sort((a, b) => b.overlapMs - a.overlapMs).map(({ each }) => each)
  if (record === undefined) return MISSED
  const { frame, cause, durationMs } = record
  const isHere = frame?.file === truth.file
  const line = frame?.line ?? 0
  const isIn = (/** @type {boolean} */ isRight) => judgement(frame === null ? null : frame.exact, isRight)
  return {
    isFound: true,
    load: loadOf(record),
    line: isIn(isHere && truth.lines.includes(line)),
    function: isIn(isHere && truth.functions.some(([from, to]) => line >= from && line <= to)),
    work: workOf(record, truth.place),
    isCause: [...truth.cause, ...(truth.share < MOST ? ['js'] : []), ...(isMostlyWaiting(record) ? ['starved'] : []), 'unknown'].includes(cause),
    isPackage: (record.package?.name ?? null) === truth.owner,
    durationOff: Math.abs(durationMs - (endMs - startMs)) / (endMs - startMs),
    record
  }
}

/**
 * In a busy block the place is judged all the same, whatever its cause: the program had some of the time.
 * @param {BlockRecord} record @returns {Verdict['load']}
 */
function loadOf ({ frame, cause, durationMs, evidence }) {
  const share = exports.waitedShareOf({ ...evidence, durationMs })
  if (share > EXCUSED_SHARE || (frame === null && (cause === 'starved' || cause === 'suspended'))) return 'excused'
  return share > CALM_SHARE ? 'busy' : 'calm'
}

/** @param {BlockRecord} record */
const isMostlyWaiting = ({ parts }) => parts !== undefined && parts.waiting === Math.max(...Object.values(parts))

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

/** @param {Judgement} judgement */
const isRight = (judgement) => judgement === 'right' || judgement === 'doubted'

/** Judgements of the line, in percent of all of them. @param {Pick<Verdict, 'line'>[]} verdicts */
exports.lineShares = (verdicts) => {
  const share = (/** @type {(line: Judgement) => boolean} */ isIt) =>
    verdicts.length === 0 ? 0 : 100 * verdicts.filter(({ line }) => isIt(line)).length / verdicts.length
  const of = (/** @type {Judgement} */ judgement) => share((line) => line === judgement)
  return {
    n: verdicts.length,
    'certain and wrong': of('wrong'),
    'certain and right': of('right'),
    'right in doubt': of('doubted'),
    'wrong in doubt': of('wrong in doubt'),
    none: of('none'),
    'right at all': share(isRight)
  }
}

/**
 * Shares of all blocks that were found and not the machine's, in percent. `miss …` names each that was certain and
 * wrong. Those of the line are there for calm and busy blocks apart as well: `calm n`, `busy certain and wrong`.
 * @param {{ design: { kind: string, form: string, index: number }, verdicts: Verdict[] }[]} results
 */
exports.summarise = (results) => {
  const all = results.flatMap(({ design, verdicts }) =>
    verdicts.map((verdict, block) => ({ ...verdict, design, block })))
  const found = all.filter(({ isFound, load }) => isFound && load !== 'excused')
  const percent = (/** @type {(verdict: Verdict) => boolean} */ isIt) =>
    found.length === 0 ? 0 : 100 * found.filter(isIt).length / found.length
  const wrong = found.filter(({ line, work }) => line === 'wrong' || work === 'wrong')
  const errors = found.flatMap(({ durationOff }) => durationOff ?? []).sort((a, b) => a - b)
  const apart = ['calm', 'busy'].flatMap((load) =>
    Object.entries(exports.lineShares(found.filter((each) => each.load === load))).map(([key, value]) => [`${load} ${key}`, value]))
  return {
    value: all.length === 0 ? 0 : 100 * all.filter(({ isFound }) => isFound).length / all.length,
    extra: {
      programs: results.length,
      judged: found.length,
      excused: all.filter(({ load }) => load === 'excused').length,
      ...Object.fromEntries(apart),
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
exports.loadOf = loadOf
exports.MISSED = MISSED
exports.overlap = overlap
