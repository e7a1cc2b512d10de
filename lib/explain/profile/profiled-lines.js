'use strict'

const { isNativeBlock } = require('../parts')
const { isSame } = require('../frame')
const { bodyOf } = require('../source/loop-body')
const { callLines, linesLike, mayAllocate, openCallLines, BUSY, EACH } = require('../source/native-call')
const { MOST } = require('../../tables/limits')

/**
 * @import { BlockRecord, Frame } from '../../types'
 * @import { LinePlace } from '../source/source-map'
 * @import { BlamedStack as ProfiledStack, Sources } from './profiled-function'
 */

/**
 * A line is certain if its samples outnumber all others of the function by this many standard deviations: three of
 * three, five of six, eight of eleven.
 */
const DEVIATIONS = 1.5
/** Samples and stacks that show a call are enough together if nothing shows another line. */
const ENOUGH_TOGETHER = 3.5
/** Samples, or stacks that show a call, that are enough if another line has some. */
const ENOUGH_SEEN = 2.5
/** Two are enough if no other line of the function takes time. */
const ENOUGH_ALIKE = 1.5
/** Samples are shared out by ticks: a smaller rest is not a sample. */
const NOISE = 0.1

/**
 * @typedef {object} Spot a line of the function
 * @property {number} line as a person wrote it @property {string} [file] if a source map says so
 * @property {number | null} raw the line as it runs; null if only stacks show it @property {number | null} [column]
 * @property {number} hits the samples in it and in what it called @property {Frame | null} callee what has most of them
 * @typedef {object} Lines of one function
 * @property {Spot | null} best the line with most samples
 * @property {boolean} isCertain
 * @property {boolean} isCollecting collections have most samples
 * @property {number} total samples
 * @property {Frame | null} heaviestCallee what the function called that has most of its samples, if it was not itself
 */

/**
 * In which lines a function was: samples fall into any instruction, so they are the better the more there are. Those in
 * a call count for the line that makes it, by the source or by stacks that show it.
 * @param {Frame} raw the function before source maps, where it begins
 * @param {ProfiledStack[]} stacks those it is blamed for
 * @param {BlockRecord} record @param {Sources} sources @returns {Lines}
 */
exports.linesOf = (raw, stacks, record, sources) => {
  const text = raw.file === null ? null : sources.lines(raw.file)
  const seen = answersIn(record, stacks[0].blamed)
  const answers = telling(seen, record, stacks[0].blamed, sources)
  const tally = new Tally((line) => sources.lineAt(raw.file ?? '', line))
  tally.addSelf(stacks, answers)
  const callees = calleesIn(stacks)
  for (const { frame, hits } of callees) {
    const calling = seen.filter(({ callee }) => isCall(callee, frame))
    const lines = text === null ? [] : linesWith(text, raw, frame)
    if (lines.length !== 1 && calling.length > 0) tally.addAnswered(calling, hits, frame)
    else if (lines.length === 0) tally.unknown += hits
    // A guess if there are several: the first ones are often checks.
    else for (const line of lines.reverse()) tally.add(line, frame, hits / lines.length)
  }
  tally.settle(answers)
  const known = tally.sorted.reduce((sum, { hits }) => sum + hits, tally.unknown)
  const collecting = stacks.filter(({ gcRun }) => gcRun !== null)
  const isCollecting = countOf(collecting) > known
  const best = bestOf(tally.sorted, answers)
  // Many collections hide where the thread was. If this line allocates nothing, they belong to another one.
  const isMaker = mayAllocate(text?.[(best?.raw ?? 0) - 1])
  const total = known + countOf(collecting.filter(({ callee }) => isCollecting || (callee === null && !isMaker)))
  return {
    best,
    isCollecting,
    isCertain: best !== null && isCertain(best, { total, begin: raw, text, record, answers }),
    total,
    heaviestCallee: callees.length > 0 && callees[0].hits * 2 > total ? callees[0].frame : null
  }
}

/**
 * The answers that are evidence for the line. Late ones come after the call that took the time. The head of a loop is
 * where V8 looks for interrupts, whatever takes the time there.
 * @param {Answer[]} seen @param {BlockRecord} record @param {Frame | null} blamed
 * @param {Sources} sources
 */
function telling (seen, record, blamed, { textOf }) {
  if (isNativeBlock(record)) return []
  const written = textOf(blamed?.file ?? '') ?? []
  return seen.filter(({ callee, line }) => !(isBuiltin(callee) && bodyOf(written, line)))
}

/** What the function called, most samples first. @param {ProfiledStack[]} stacks */
function calleesIn (stacks) {
  /** @type {Map<string, { frame: Frame, hits: number }>} */
  const callees = new Map()
  for (const { callee, gcRun, count } of stacks) {
    if (callee === null || gcRun !== null) continue
    const key = `${callee.file} ${callee.function}`
    callees.set(key, { frame: callee, hits: (callees.get(key)?.hits ?? 0) + count })
  }
  return [...callees.values()].sort((a, b) => b.hits - a.hits)
}

/**
 * The line with most samples. Answers to interrupts decide between lines that are close, unless they never come in the
 * first one: then it does not check for interrupts. @param {Spot[]} spots most samples first @param {Answer[]} answers
 */
function bestOf (spots, answers) {
  if (spots.length === 0) return null
  const countAt = (/** @type {Spot} */ { line }) =>
    answers.reduce((sum, each) => each.line === line ? sum + each.count : sum, 0)
  const [first] = spots
  const denying = first.callee === null ? denyingOf(first.line, answers) : null
  if (denying !== null) return { ...first, line: denying.line, raw: null, column: denying.column }
  const close = countAt(first) === 0 ? [first] : spots.filter(({ hits }) => hits * 2 >= first.hits)
  return close.reduce((best, each) => each.hits + countAt(each) > best.hits + countAt(best) ? each : best)
}

/** Samples by line. */
class Tally {
  /** @type {Map<number, Spot>} */
  #spots = new Map()
  #lineAt
  /** Samples in built-ins of V8 that the function called, without a line. */
  #inBuiltins = 0
  /** Samples of which no line is known. */
  unknown = 0

  /** @param {(raw: number) => LinePlace | null} lineAt */
  constructor (lineAt) {
    this.#lineAt = lineAt
  }

  /** @param {number} raw @param {Frame | null} callee @param {number} hits */
  add (raw, callee, hits) {
    const place = this.#lineAt(raw)
    if (place === null) this.unknown += hits
    else this.#addAt({ ...place, raw }, callee, hits)
  }

  /** @param {Pick<Spot, 'file' | 'line' | 'raw' | 'column'>} place @param {Frame | null} callee @param {number} hits */
  #addAt (place, callee, hits) {
    const { line, raw } = place
    const spot = this.#spots.get(line) ?? { ...place, hits: 0, callee: null }
    spot.hits += hits
    spot.raw ??= raw
    if (callee !== null) spot.callee = callee
    this.#spots.set(line, spot)
  }

  /**
   * Samples of the function itself, and of what V8 has inlined into it.
   * @param {ProfiledStack[]} stacks @param {Answer[]} answers
   */
  addSelf (stacks, answers) {
    const own = stacks.filter(({ gcRun, callee }) => gcRun === null && callee === null)
    const inlined = answers.filter(({ callee }) => callee?.file != null && !isProfiled(callee, stacks))
    for (const stack of own) this.addAnswered(inlined, this.addOwn(stack))
    this.addAnswered(inlined, this.takeForeign(inlined, answers))
  }

  /** Samples of the function itself. Returns how many are in inlined code. @param {ProfiledStack} stack */
  addOwn ({ count: hits, ticks, foreign, frames: [innermost] }) {
    const all = ticks.reduce((sum, each) => sum + each.ticks, foreign)
    if (all === 0) {
      this.unknown += hits
      if (innermost.file === null) this.#inBuiltins += hits
      return 0
    }
    for (const { line, ticks: some } of ticks) this.add(line, null, hits * some / all)
    return hits * foreign / all
  }

  /**
   * Lines of inlined code of another file may be lines of this function, too: those that stacks show in the other, and
   * not in this one. @param {Answer[]} inlined @param {Answer[]} answers @returns {number} their samples
   */
  takeForeign (inlined, answers) {
    let taken = 0
    for (const line of inlined.flatMap(({ within }) => within)) {
      const spot = this.#spots.get(line)
      if (spot === undefined || answers.some((each) => each.line === line)) continue
      taken += spot.hits
      this.#spots.delete(line)
    }
    return taken
  }

  /**
   * Spreads samples over the lines that stacks show.
   * @param {Answer[]} answers @param {number} hits @param {Frame | null} [callee]
   */
  addAnswered (answers, hits, callee = null) {
    const total = weightOf(answers)
    if (total === 0) this.unknown += hits
    for (const { line, column, weightMs, callee: seen } of answers) {
      this.#addAt({ line, raw: null, column }, callee ?? seen, hits * weightMs / total)
    }
  }

  /** Samples in built-ins are of the lines in which stacks show one. @param {Answer[]} answers */
  settle (answers) {
    const calling = answers.filter(({ callee }) => callee?.file === null)
    if (this.#inBuiltins === 0 || calling.length === 0) return
    this.unknown -= this.#inBuiltins
    this.addAnswered(calling, this.#inBuiltins)
  }

  get sorted () {
    return [...this.#spots.values()].sort((a, b) => b.hits - a.hits)
  }
}

/**
 * @typedef {object} Answer a stack that shows the function
 * @property {number} line @property {number | null} column @property {number} weightMs @property {number} count
 * @property {Frame | null} callee what the line had called
 * @property {number[]} within the lines of other files in which the innermost frames were
 */

/** @param {BlockRecord} record @param {Frame | null} blamed @returns {Answer[]} */
function answersIn (record, blamed) {
  return record.stacks.flatMap(({ frames, weightMs, count }) => {
    const at = frames.findIndex((frame) => isSame(frame, blamed))
    const { line = null, column = null } = frames[at] ?? {}
    if (line === null) return []
    const inner = frames.slice(0, at)
    const within = inner.flatMap((frame) => frame.file === blamed?.file ? [] : frame.line ?? [])
    return [{ line, column, weightMs, count, callee: inner.at(-1) ?? null, within }]
  })
}

/** Nothing was called, or a built-in, such as an iterator. @param {Frame | null} callee */
const isBuiltin = (callee) => callee === null || callee.file === null

/** @param {Frame} callee @param {ProfiledStack[]} stacks */
const isProfiled = (callee, stacks) => stacks.some((stack) => isCall(callee, stack.callee))

/** @param {Frame | null} seen by a stack @param {Frame | null} callee by the profile */
const isCall = (seen, callee) => seen !== null && isSame(seen, callee)

/** The lines of a function that may make a call. @param {string[]} text @param {Frame} raw @param {Frame} callee */
function linesWith (text, raw, callee) {
  const named = callLines(text, raw, callee.function)
  return named.length > 0 ? named : openCallLines(text, raw, callee.file !== raw.file)
}

/** @param {Answer[]} answers */
const weightOf = (answers) => answers.reduce((sum, { weightMs }) => sum + weightMs, 0)

/**
 * @param {Spot} best @param {object} of @param {number} of.total
 * @param {Frame} of.begin of the function @param {string[] | null} of.text
 * @param {BlockRecord} of.record @param {Answer[]} of.answers
 */
function isCertain ({ line, raw, hits, callee }, { total, begin, text, record, answers }) {
  if (raw === null && callee === null) return false
  // One long call: another sample would be in it as well.
  if (isNativeBlock(record) && hits >= MOST * total) return true
  const there = answers.filter((each) => each.line === line)
  const calling = there.filter((each) => each.callee !== null)
  const isShown = countOf(calling) === countOf(answers) && hits + countOf(calling) >= ENOUGH_TOGETHER
  const isOnly = hits >= ENOUGH_ALIKE && text !== null && linesLike(text, begin, BUSY).every((each) => each === raw)
  if (hits >= total - NOISE && (isShown || isOnly)) return true
  // Samples of an inlined callback may have the line of another loop.
  const isOwn = callee === null && calling.length === 0
  if (isOwn && text !== null && linesLike(text, begin, EACH).some((each) => each !== raw)) return false
  if (2 * hits - total >= DEVIATIONS * Math.sqrt(total)) return true
  return countOf(calling) >= ENOUGH_SEEN && weightOf(calling) >= MOST * weightOf(answers) && hits * 2 > total
}

/**
 * A stack with a built-in that another line has called, if most stacks are like that: in optimised code, samples within
 * a built-in may have the line after its call. @param {number} line @param {Answer[]} answers
 */
function denyingOf (line, answers) {
  const others = answers.filter((each) => each.callee?.file === null && each.line !== line)
  return weightOf(others) * 2 > weightOf(answers) ? others[0] : null
}

/** @param {{ count: number }[]} samples */
const countOf = (samples) => samples.reduce((sum, { count }) => sum + count, 0)
