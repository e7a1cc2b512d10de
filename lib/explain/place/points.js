'use strict'

const { sumOf } = require('../../util/statistics')

/** @import { Candidate, Candidates } from './candidates' */

/** The lead over the second line that makes the first one certain, and how much more a single observation needs. */
const LEAD = 2
const LEAD_OF_ONE = 7
/** Weight of answers if there is no profile. */
const ALONE = 8

/**
 * @typedef {object} Row
 * @property {string} name in records @property {number} weight @property {number} [alone] its weight without a profile
 * @property {string} when
 * @property {(line: Candidate, all: Candidates, group: Candidate[]) => number} value `group`: those of its function
 * @typedef {Candidate & { points: number, reasons: string[] }} Ranked `reasons`: names of those for it, largest first
 */

/**
 * Reasons for a line and against it. Each value is from 0 to 1, a share of all samples or of all answers.
 * Printed in docs/understand/lines.md. @type {Row[]}
 */
const table = [
  {
    name: 'samples',
    weight: 10,
    when: 'samples in it, in its calls, and its part of those in code of other files that V8 inlined',
    value: (line, { samples }, group) => {
      const inlined = (line.scope?.inlined ?? 0) * share(line.inCallMs, sumOf(group, 'inCallMs'))
      return share(line.samples + line.called + inlined, samples)
    }
  },
  {
    name: 'answers',
    weight: 3,
    alone: ALONE,
    when: 'answers to interrupts in it that nothing delayed, or in a built-in that it called',
    value: ({ promptMs, inCallMs }, { answeredMs }) => share(Math.max(promptMs, inCallMs), answeredMs)
  },
  {
    name: 'between',
    weight: 3,
    alone: ALONE,
    when: 'it makes a call: answers in lines of its function that show no call, shared by all lines that make one',
    value: (line, { answeredMs }, group) => {
      const plainMs = group.reduce((ms, each) =>
        each === line ? ms : ms + Math.max(0, each.answeredMs - each.inCallMs), 0)
      return line.traits.calls ? share(plainMs, answeredMs) / callingIn(group) : 0
    }
  },
  {
    name: 'near',
    weight: 6,
    when: 'it makes a call: samples in the two lines below it',
    value: ({ traits, frame }, { samples }, group) => {
      const below = group.filter((each) => {
        const lines = Number(each.frame.line) - Number(frame.line)
        return lines > 0 && lines <= 2
      })
      return traits.calls ? share(sumOf(below, 'samples'), samples) / callingIn(group) : 0
    }
  },
  {
    name: 'collections',
    weight: 6,
    when: 'it allocates: samples in the garbage collector',
    value: ({ traits, scope }, { samples, collections }, group) => traits.allocates
      ? share(scope?.collections ?? 0, samples + collections) / group.filter((each) => each.traits.allocates).length
      : 0
  },
  {
    name: 'calls',
    weight: 1,
    when: 'it makes a call, or holds a whole loop',
    value: ({ traits }) => traits.calls || traits.isLoop ? 1 : 0
  },
  {
    name: 'within',
    weight: -3,
    when: 'answers in an own function that it called',
    value: ({ innerMs }, { answeredMs }) => share(innerMs, answeredMs)
  }
]

/** @param {number} part @param {number} whole */
const share = (part, whole) => whole === 0 ? 0 : part / whole

/** @param {Candidate[]} group */
const callingIn = (group) => group.filter(({ traits }) => traits.calls).length

/** Candidates with their points, most first. @param {Candidates} candidates @returns {Ranked[]} */
exports.rankedIn = (candidates) => {
  const { all, samples } = candidates
  /** @type {Map<unknown, Candidate[]>} */
  const groups = new Map()
  const groupOf = (/** @type {Candidate} */ { scope, frame }) => groups.get(scope ?? frame.file) ?? []
  for (const each of all) groups.set(each.scope ?? each.frame.file, [...groupOf(each), each])
  return all.map((line) => {
    const reasons = table.map(({ name, weight, alone = weight, value }) =>
      ({ name, points: (samples === 0 ? alone : weight) * value(line, candidates, groupOf(line)) }))
    const forIt = reasons.filter(({ points }) => points > 0).sort((a, b) => b.points - a.points)
    return { ...line, points: sumOf(reasons, 'points'), reasons: forIt.map(({ name }) => name) }
  }).sort((a, b) => b.points - a.points)
}

/**
 * Whether a line is clearly ahead of all others: with few samples and answers it needs a larger lead.
 * @param {Ranked} line @param {Ranked[]} ranked @param {Candidates} candidates
 */
exports.isAhead = (line, ranked, { samples, answers }) => {
  const second = ranked.find((each) => each !== line)?.points ?? 0
  return line.points - second >= LEAD + LEAD_OF_ONE / Math.sqrt(samples - sumOf(ranked, 'guessed') + answers / 2)
}

exports.table = table
