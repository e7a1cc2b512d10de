'use strict'

const { sumOf } = require('../../util/statistics')

/** @import { Line, Lines } from './lines' */

/** The lead over the second line that makes the first one certain, and how much more a single observation needs. */
const LEAD = 2
const LEAD_OF_ONE = 7
/** Without a profile, answers have more weight. */
const ALONE = 8

/**
 * @typedef {object} Peers the other lines of a line's function
 * @property {Line[]} all @property {number} calling how many of them call something
 * @typedef {object} Row
 * @property {string} name in records @property {number} weight @property {number} [alone] its weight without a profile
 * @property {string} when @property {(line: Line, lines: Lines, peers: Peers) => number} value
 * @typedef {Line & { points: number, reasons: { name: string, points: number }[] }} Ranked
 */

/**
 * What speaks for a line and against it. Each value is from 0 to 1, a share of all samples or of all answers.
 * Printed in docs/use/record.md.
 * @type {Row[]}
 */
const table = [
  {
    name: 'samples',
    weight: 10,
    when: 'samples in it, in its calls, and its part of those in code of other files that V8 inlined',
    value: (line, { samples }, { all }) => {
      const shownMs = line.inCallMs + sumOf(all, 'inCallMs')
      const inlined = (line.scope?.inlined ?? 0) * share(line.inCallMs, shownMs)
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
    value: ({ traits }, { answeredMs }, { all, calling }) => {
      const plainMs = all.reduce((sum, each) => sum + Math.max(0, each.answeredMs - each.inCallMs), 0)
      return traits.calls ? share(plainMs, answeredMs) / (1 + calling) : 0
    }
  },
  {
    name: 'near',
    weight: 6,
    when: 'it makes a call: samples in the two lines below it',
    value: ({ traits, frame }, { samples }, { all, calling }) => {
      const isBelow = (/** @type {number} */ lines) => lines > 0 && lines <= 2
      const near = all.filter((each) => isBelow(Number(each.frame.line) - Number(frame.line)))
      return traits.calls ? share(sumOf(near, 'samples'), samples) / (1 + calling) : 0
    }
  },
  {
    name: 'collections',
    weight: 6,
    when: 'it allocates: samples in the garbage collector',
    value: ({ traits, scope }, { samples, collections }, { all }) => traits.allocates
      ? share(scope?.collections ?? 0, samples + collections) / (1 + all.filter((each) => each.traits.allocates).length)
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

/** All lines, most points first. @param {Lines} lines @returns {Ranked[]} */
exports.rankedLines = (lines) => {
  const { all, samples } = lines
  /** @type {Map<unknown, Line[]>} */
  const functions = new Map()
  for (const line of all) {
    const key = line.scope ?? line.frame.file
    functions.set(key, [...functions.get(key) ?? [], line])
  }
  return all.map((line) => {
    const others = (functions.get(line.scope ?? line.frame.file) ?? []).filter((each) => each !== line)
    const peers = { all: others, calling: others.filter(({ traits }) => traits.calls).length }
    const reasons = table.map(({ name, weight, alone = weight, value }) =>
      ({ name, points: (samples === 0 ? alone : weight) * value(line, lines, peers) }))
    return { ...line, reasons, points: sumOf(reasons, 'points') }
  }).sort((a, b) => b.points - a.points)
}

/**
 * Whether a line is clearly ahead of all others: with few samples and answers it needs a larger lead.
 * @param {Ranked} line @param {Ranked[]} ranked @param {Lines} lines
 */
exports.isAhead = (line, ranked, { samples, guessed, answers }) => {
  const second = ranked.find((each) => each !== line)?.points ?? 0
  return line.points - second >= LEAD + LEAD_OF_ONE / Math.sqrt(samples - guessed + answers / 2)
}

exports.table = table
