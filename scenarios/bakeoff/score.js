'use strict'

const { isJs } = require('./corpus/corpus')
const { MAIN } = require('./target/thread-name')
const { median } = require('../harness/measure/stats')

/**
 * @typedef {import('./reports').Report} Report
 *
 * @typedef {{ startMs: number, endMs: number }} Pause wall times that the application measured itself
 *
 * @typedef {object} Observation one case under one contestant
 * @property {import('./corpus/corpus').Case} case
 * @property {{ startMs: number, endMs: number | null }} truth wall times; null: it never ended
 * @property {Report[]} reports from its beginning until the next one's
 * @property {Pause[]} [pauses] of the garbage collector, outside of the block
 * @property {{ answered: boolean } | null} endpoint asked during the block; null: there is none, or the block had ended
 *
 * @typedef {object} Verdict
 * @property {string} name
 * @property {boolean} isJs
 * @property {boolean} isInThread of a worker thread
 * @property {boolean} found
 * @property {boolean} isFrame the function is right
 * @property {boolean} isLine
 * @property {boolean} isRoute
 * @property {('line' | 'request' | 'cause')[]} certain what is wrong, and was reported without a mark of doubt
 * @property {string} cause the true one
 * @property {string | null} said the true one if any right one was reported
 * @property {boolean} isWhileBlocked
 * @property {number | null} firstMs from the block's beginning to the first report
 * @property {number | null} errorPercent of the duration
 * @property {boolean | null} answered
 * @property {number} strays reports of blocks that were none
 */

/** A block may begin or end so much before or after what the application itself sees of it. */
const SLACK_MS = 50
/** Who looks at intervals tells of a block so much later. */
const LATE_MS = 1500
/** Reports this shortly before the end belong to it: hooks run before the code that marks the end. */
const END_MS = 10
const PERCENT = 100

/** Parts of a report that can be wrong with certainty. */
exports.KINDS = /** @type {const} */ (['line', 'request', 'cause'])

/** @template T @param {T[]} all @param {(each: T) => string} keyOf */
const mostOften = (all, keyOf) =>
  all.toSorted(
    (a, b) =>
      all.filter((each) => keyOf(each) === keyOf(b)).length - all.filter((each) => keyOf(each) === keyOf(a)).length
  )[0]

/**
 * The final verdict on a block: that of the report that closes it, else of all reports, with the frame and route of
 * most of them.
 * @param {Report[]} block
 */
function verdictOf (block) {
  const last = block[block.length - 1]
  return last.isFinal ? last : { ...last, frame: mostOften(block, ({ frame }) => `${frame?.line}`).frame, route: mostOften(block, ({ route }) => `${route}`).route }
}

/** Reports of one block together, the first one first. @param {Report[]} reports */
function byBlock (reports) {
  /** @type {Map<string, Report[]>} */
  const blocks = new Map()
  reports.forEach((report, i) => {
    const key = report.id ?? `#${i}`
    blocks.set(key, [...blocks.get(key) ?? [], report])
  })
  return [...blocks.values()]
}

/**
 * The parts of one case that a contestant got right, for the block that it reports as the longest.
 * @param {Observation} observation
 * @param {{ isPrompt?: boolean }} contestant isPrompt: the time of a report tells which block it is about
 * @returns {Verdict}
 */
exports.judge = ({ case: each, truth, reports, endpoint, pauses = [] }, { isPrompt = false }) => {
  const { name, cause, thread } = each
  const endMs = truth.endMs ?? Infinity
  const isOfIt = (/** @type {Report[]} */ block) =>
    block[0].thread === thread &&
    (!isPrompt ||
      (block[0].atMs - block[0].durationMs <= endMs + SLACK_MS && block[block.length - 1].atMs >= truth.startMs))
  const blocks = byBlock(reports)
  const own = blocks.filter(isOfIt)
  const block = own.toSorted(
    (a, b) => Math.max(...b.map(({ durationMs }) => durationMs)) - Math.max(...a.map(({ durationMs }) => durationMs))
  )[0]
  const last = block && verdictOf(block)
  const firstMs = block === undefined ? null : block[0].atMs - truth.startMs
  return {
    name,
    isJs: isJs(each),
    isInThread: thread !== MAIN,
    found: block !== undefined,
    ...(block === undefined ? NOTHING_SAID : judgeWords(last, each)),
    cause: cause[0],
    said: last?.cause == null ? null : cause.includes(last.cause) ? cause[0] : last.cause,
    isWhileBlocked: block !== undefined && block[0].atMs < endMs - END_MS,
    firstMs,
    errorPercent:
      block === undefined || truth.endMs === null
        ? null
        : Math.abs(last.durationMs / (truth.endMs - truth.startMs) - 1) * PERCENT,
    answered: endpoint === null ? null : endpoint.answered,
    strays: blocks.filter((each) => !isOfIt(each) && isBlaming(each) && !isPause(each, pauses, isPrompt)).length
  }
}

/** @type {Pick<Verdict, 'isFrame' | 'isLine' | 'isRoute' | 'certain'>} */
const NOTHING_SAID = { isFrame: false, isLine: false, isRoute: false, certain: [] }

/**
 * The right parts of a report, and the parts that are certain and wrong.
 * @param {Report} last
 * @param {import('./corpus/corpus').Case} truth
 * @returns {Pick<Verdict, 'isFrame' | 'isLine' | 'isRoute' | 'certain'>}
 */
function judgeWords ({ frame, route, cause, doubts = [] }, truth) {
  const isLineSure = frame !== null && !doubts.includes('line')
  const isRequestSure = route !== null && !doubts.includes('request')
  const isElsewhere =
    truth.packages.includes(frame?.package ?? '') || (truth.mayDoubt.includes('line') && !isLineSure)
  const isLine = isElsewhere || truth.lines.includes(frame?.line ?? '')
  const isRoute = route === truth.route || (truth.mayDoubt.includes('request') && doubts.includes('request'))
  const wrong = {
    line: isLineSure && !isLine,
    request: isRequestSure && !isRoute,
    cause: cause !== null && cause !== 'unknown' && !truth.cause.includes(cause)
  }
  return {
    isFrame: isElsewhere || truth.frames.includes(frame?.function ?? ''),
    isLine,
    isRoute,
    certain: exports.KINDS.filter((kind) => wrong[kind])
  }
}

/** Whether the reports say that the application blocked. @param {Report[]} block */
const isBlaming = (block) => !block[block.length - 1].isExcused

/**
 * Whether it is about a long pause of the garbage collector: nobody's block, and one that was.
 * @param {Report[]} block @param {Pause[]} pauses @param {boolean} isPrompt
 */
function isPause (block, pauses, isPrompt) {
  const slackMs = isPrompt ? SLACK_MS : LATE_MS
  const last = block[block.length - 1]
  return pauses.some(
    ({ startMs, endMs }) =>
      last.atMs >= startMs &&
      block[0].atMs - block[0].durationMs <= endMs + slackMs &&
      last.durationMs <= endMs - startMs + 2 * SLACK_MS
  )
}

/**
 * How many blocks of the application's making were reported where there were none.
 * @param {Report[]} reports
 * @param {Pause[]} [pauses]
 * @param {{ isPrompt?: boolean }} [contestant]
 */
exports.countBlamed = (reports, pauses = [], { isPrompt = false } = {}) =>
  byBlock(reports).filter((each) => isBlaming(each) && !isPause(each, pauses, isPrompt)).length

/** @param {boolean[]} all */
const percent = (all) => PERCENT * all.filter(Boolean).length / all.length

/**
 * The figures of one run. What a contestant never tells has none; what it tells is judged in the blocks
 * that it found. Keys with a colon are single cases: `found:spin`, `wrong line:spin`, `said:js:native`.
 * @param {Verdict[]} verdicts
 * @param {{ tells: string[], marksDoubt?: boolean, isBlindInThreads?: boolean }} contestant
 * @returns {Record<string, number>}
 */
exports.summarise = (verdicts, { tells, marksDoubt = false, isBlindInThreads = false }) => {
  const found = verdicts.filter((verdict) => verdict.found)
  const told = isBlindInThreads ? found.filter(({ isInThread }) => !isInThread) : found
  const asked = verdicts.filter(({ answered }) => answered !== null)
  /** @type {Record<string, number>} */
  const figures = {
    recall: percent(verdicts.map((verdict) => verdict.found)),
    strays: verdicts.reduce((sum, { strays }) => sum + strays, 0),
    whileBlocked: percent(verdicts.map(({ isWhileBlocked }) => isWhileBlocked))
  }
  const note = (
    /** @type {string} */ what,
    /** @type {Verdict[]} */ judged,
    /** @type {(verdict: Verdict) => boolean} */ isRight
  ) => {
    if (judged.length === 0) return
    figures[what] = percent(judged.map(isRight))
    for (const verdict of judged) if (!isRight(verdict)) figures[`wrong ${what}:${verdict.name}`] = 1
  }
  for (const { name, found } of verdicts) figures[`found:${name}`] = Number(found)
  if (tells.includes('frame')) {
    note('function', told, ({ isFrame }) => isFrame)
    note('line', told, ({ isLine }) => isLine)
    const js = told.flatMap(({ isJs, isLine }) => isJs ? [isLine] : [])
    if (js.length > 0) figures.lineOfJs = percent(js)
  }
  if (tells.includes('route')) note('request', told, ({ isRoute }) => isRoute)
  if (tells.includes('cause')) {
    note('cause', told, ({ cause, said }) => cause === said)
    for (const { cause, said } of told) figures[`said:${cause}:${said}`] = (figures[`said:${cause}:${said}`] ?? 0) + 1
  }
  if (marksDoubt) Object.assign(figures, countCertain(told))
  const errors = found.flatMap(({ errorPercent }) => errorPercent ?? [])
  const error = { durationError: median(errors), durationErrorMax: Math.max(...errors) }
  if (errors.length > 0) Object.assign(figures, error)
  if (asked.length > 0) figures.answered = percent(asked.map(({ answered }) => answered === true))
  const firsts = found.flatMap(({ isWhileBlocked, firstMs }) => isWhileBlocked && firstMs !== null ? [firstMs] : [])
  if (firsts.length > 0) Object.assign(figures, { firstMs: median(firsts), firstMaxMs: Math.max(...firsts) })
  return figures
}

/** Number of blocks with certain wrong reports, by kind. @param {Verdict[]} found */
function countCertain (found) {
  /** @type {Record<string, number>} */
  const figures = { certainAndWrong: found.filter(({ certain }) => certain.length > 0).length }
  for (const kind of exports.KINDS) {
    const wrong = found.filter(({ certain }) => certain.includes(kind))
    figures[`certain ${kind}`] = wrong.length
    for (const { name } of wrong) figures[`certain ${kind}:${name}`] = 1
  }
  return figures
}
