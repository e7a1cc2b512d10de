'use strict'

const { causeRow } = require('../../tables/causes')
const { blame } = require('../frame')
const { isNativeBlock } = require('../parts')
const { Candidates } = require('./candidates')
const { isAhead, rankedIn } = require('./points')
const { withUnlisted } = require('./unlisted')
const { loopAround, loopingCalleesIn } = require('../source/function-text')
const { mayCallOther, traitsOf } = require('../source/line-text')
const { ownerOf } = require('../../util/code-owner')
const { ENOUGH_SAMPLES, MOST } = require('../../tables/limits')
const { sumOf } = require('../../util/statistics')
const { US_PER_MS } = require('../../util/units')

/**
 * @import { BlockRecord, Frame, FrameRecord } from '../../types'
 * @import { CpuProfile } from '../profile/samples'
 * @import { ProfiledStack, Sources } from '../profile/stacks'
 * @import { Answer, Candidates as AllCandidates } from './candidates'
 * @import { Ranked } from './points'
 */

/** A record names the largest reasons for its line. */
const MOST_REASONS = 3

/**
 * @typedef {object} View of a block: all that shows where it was
 * @property {BlockRecord} record its `frame` is the function that answers show, or null @property {Answer[]} answers
 * @property {CpuProfile | null} profile @property {ProfiledStack[]} stacks of the profile; empty if it shows nothing
 * @property {Sources} sources
 * @typedef {View & { line: Ranked, candidates: AllCandidates }} Choice
 * @typedef {object} Place
 * @property {FrameRecord} frame @property {Ranked | null} line null if only a function is shown
 * @property {string[]} rows of its source, empty if unknown
 * @property {boolean} isAround whether most time is in a native call that calls back
 */

/**
 * Doubts about a line that is ahead. Printed in docs/understand/lines.md.
 * @type {{ when: string, applies: (choice: Choice) => boolean }[]}
 */
const doubts = [
  {
    when: 'its file was compiled in memory, and no source map is known: the line is that of the code that runs',
    applies: ({ line: { frame } }) => frame.compiled === true
  },
  {
    when: 'it cannot explain the block: a native call or a sleep needs a call in the line, collections need an ' +
      'allocation and two samples, and a bracket or a head takes no time',
    applies: ({ line, record }) => !explains(line, record)
  },
  {
    when: 'it calls an own function that no sample shows, with a loop or in which most answers were: V8 may have ' +
      'counted that for the caller',
    applies: (choice) => mayHide(choice)
  },
  {
    when: 'most samples are in other lines',
    applies: ({ line, candidates }) =>
      !isAnswered(line) && (line.samples + line.called) * 2 < candidates.samples
  },
  {
    when: 'it calls nothing, and the line below it does: V8 may count samples of a call for the line above it',
    applies: ({ line, candidates }) => !line.traits.calls && line.traits.hasText && isCallBelow(line, candidates)
  },
  {
    when: 'only answers show it, and the cause is unknown: a stalled thread can be at any line',
    applies: ({ line, record }) => isAnswered(line) && isHeldUp(record)
  },
  {
    when: 'only answers show it, and a native call may have delayed them: they came late, or a quarter is elsewhere, ' +
      'or it or another line of its loop makes a call, unless most are in JavaScript that it called',
    applies: (choice) => isAnswered(choice.line) && mayBeLate(choice)
  },
  {
    when: 'there are no answers, and the profile covers less than half of the block',
    applies: ({ profile, record: { samples, durationMs } }) => profile !== null && samples === 0 &&
      2 * (profile.endTime - profile.startTime) < durationMs * US_PER_MS
  },
  {
    when: 'V8 counts lines for the whole profile, the block is a small part of it, and no answer shows the line',
    applies: ({ line }) => line.isBorrowed && line.answeredMs === 0
  }
]

/** @param {Choice} choice */
function mayHide (choice) {
  const { line: { traits }, sources } = choice
  return sources.isBegunLate ? traits.calls : hiddenIn(choice).length > 0 || isAnsweredInHidden(choice)
}

/** @param {Choice} choice */
function isAnsweredInHidden ({ line: { frame: { file, line }, innerMs }, candidates, answers, stacks }) {
  return innerMs * 2 > candidates.answeredMs && answers.some(({ frames }) => {
    const at = frames.findIndex((each) => each.file === file && each.line === line)
    return at > 0 && !isSampled(frames[at - 1], stacks)
  })
}

/** @param {Pick<Frame, 'function'>} callee @param {ProfiledStack[]} stacks */
const isSampled = (callee, stacks) =>
  stacks.some(({ frames }) => frames.some((each) => each.function === callee.function))

/**
 * Own functions with a loop that a line calls and no sample shows. V8 does not list code that it optimized in a running
 * loop before a profile began: its samples go to the caller. @param {Choice} choice
 */
function hiddenIn ({ line: { frame, row = '' }, candidates, stacks }) {
  return loopingCalleesIn(candidates.rowsOf(frame), row).filter((callee) => !isSampled(callee, stacks))
}

/** Whether a line can take the time of the block. @param {Ranked} line @param {BlockRecord} record */
function explains ({ traits, samples, called }, record) {
  const { hasText, calls, isIdle, allocates } = traits
  const { isCall, blamesAllocation } = causeRow(record.cause)
  if (blamesAllocation) return samples + called >= ENOUGH_SAMPLES && (!hasText || calls || allocates)
  return !hasText || (!isIdle && (calls || !(isCall || isNativeBlock(record))))
}

/** Shares of samples are fractions. */
const NOISE = 1e-6

/** Whether only answers show a line. @param {Ranked} line */
const isAnswered = ({ samples, guessed, called }) => samples - guessed + called < NOISE

/** @param {Ranked} line @param {AllCandidates} candidates */
function isCallBelow ({ frame }, candidates) {
  const [below = '', next] = candidates.rowsOf(frame).slice(Number(frame.line))
  return traitsOf(below).calls || (OPEN.test(below) && traitsOf(next).calls)
}
/** An assignment that goes on in the next line. */
const OPEN = /=\s*\[?$/

/** @param {Choice} choice */
function mayBeLate ({ line, candidates, record }) {
  if (line.inCodeMs * 2 > candidates.answeredMs) return false
  if (hasLateAnswers(record) || line.answeredMs < MOST * candidates.answeredMs) return true
  const rows = candidates.rowsOf(line.frame)
  const at = Number(line.frame.line)
  return mayCallOther(line.row ?? '') || loopAround(rows, at).some((each) => {
    const { calls, isLoop } = traitsOf(rows[each - 1])
    return each !== at && (calls || isLoop)
  })
}

/** Whether samples or answers show a line, not only its text. @param {Ranked} line */
const isShown = ({ reasons }) => reasons.some((name) => SHOWN.has(name))
const SHOWN = new Set(['samples', 'answers', 'between', 'near'])

/** @param {Pick<BlockRecord, 'cause'>} record */
const isHeldUp = ({ cause }) => cause === 'unknown'

/** 99% of the answers of JavaScript take 0.9 ms at most. */
const PROMPT_MS = 2

/** Whether calls delayed the answers, rather than a wait for a CPU. @param {BlockRecord} record */
const hasLateAnswers = ({ durationMs, evidence: { answerMs, runQueueMs } }) =>
  (answerMs ?? 0) >= PROMPT_MS && (runQueueMs ?? 0) * 5 < durationMs

/**
 * Stacks without those that only read a clock, if there are others: on a busy machine a thread loses its CPU there more
 * often than elsewhere, and is sampled when it resumes. @param {ProfiledStack[]} stacks
 */
function withoutClocks (stacks) {
  const working = stacks.filter(({ isClock }) => !isClock)
  return sumOf(working, 'count') >= ENOUGH_SAMPLES ? working : stacks
}

/**
 * The line with most points of the functions to blame: those of the application, or those of packages if the
 * application had less than a fifth of the time of both. Null if most time was in Node.js.
 * @param {View} view @returns {Place | null}
 */
exports.placeOf = (view) => {
  const { record, sources } = view
  // An interrupt during a collection is answered right after it, where the garbage is made.
  const isTimely = causeRow(record.cause).blamesAllocation === true
  const answers = view.answers.map((each) =>
    ({ ...each, lateMs: isTimely ? 0 : hasLateAnswers(record) ? each.weightMs : each.lateMs }))
  const stacks = withUnlisted(withoutClocks(view.stacks), answers, sources)
  const blamed = blame(stacks, sources.passesOn) ?? record.frame
  if (blamed === null) return null
  const candidates = new Candidates(sources, ownerOf(blamed))
  candidates.addSamples(stacks)
  candidates.addAnswers(answers)
  candidates.settle()
  candidates.leaveHeads()
  candidates.addOthers()
  const ranked = rankedIn(candidates)
  const line = ranked.find(isShown)
  if (line === undefined) return { frame: { ...blamed, exact: false }, line: null, rows: [], isAround: false }
  const choice = { ...view, line, candidates }
  const exact = isAhead(line, ranked, candidates) && !doubts.some(({ applies }) => applies(choice))
  const because = line.reasons.slice(0, MOST_REASONS)
  const isAround = line.calledBackMs * 2 > candidates.answeredMs && line.samples * 2 > candidates.samples
  // A profile that began in a block lacks what has run since: the only callee with a loop has the samples of its call.
  const hidden = sources.isBegunLate && mayHide(choice) ? hiddenIn(choice) : []
  const frame = hidden.length === 1 ? { ...line.frame, ...hidden[0] } : line.frame
  return { frame: { ...frame, exact, because }, line, rows: candidates.rowsOf(line.frame), isAround }
}

exports.doubts = doubts
exports.isHeldUp = isHeldUp
