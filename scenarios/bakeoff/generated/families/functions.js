'use strict'

// Two to four functions, one of which has most of the time.

const { BUILT_INS, chance, hot, kindNamed, programOf, timed } = require('./parts')
const { deeper, FORMS, marked, PLACES, STYLES } = require('../program')

/**
 * @typedef {import('./parts').Named} Named
 * @typedef {import('./parts').Work} Work
 * @typedef {import('../program').Design} Design
 * @typedef {import('../program').Program} Program
 * @typedef {import('../calibrate').PartSizes} PartSizes
 */

/** Data of a longer call takes seconds to make. */
const LONGEST_CALL_MS = 20
/** Kinds that may share a program: each has all of its state in its setup. */
const SHARED = [...BUILT_INS, 'gzipSync', 'join', 'matchAll', 'Object.entries', 'new Map', 'toUpperCase', 'reduce',
  'filter and map', 'map of words', 'text', 'sines', 'plain loop', 'find in list']

/**
 * With names of its own, so that several stand in one file.
 * @param {Work} work @param {number} part @param {number} size
 */
function apart ({ kind, style }, part, size) {
  const setup = kind.setup(size)
  const named = setup.flatMap((row) => /^const (\w+) = (?!require\()/.exec(row)?.[1] ?? [])
  const renamed = (/** @type {string} */ row) =>
    named.reduce((text, name) => text.replace(new RegExp(`\\b${name}\\b`, 'g'), `${name}${part}`), row)
  const design = /** @type {Design} */ ({ style, isAliased: false })
  return { setup: setup.map(renamed), rows: marked(design, kind, size).map(renamed) }
}

/** @typedef {Named & { works: Work[], body: string[], order: number[], isLooped: boolean }} Functions */

/** Two to four functions, one of them with 35 to 90% of the time. */
exports.functions = {
  /** @param {number} seed @param {number} index @returns {Functions} */
  draw (seed, index) {
    const { random, one, whole, scaled } = chance(seed, index, 1)
    const count = whole(2, 4)
    const isLooped = random() < 0.7
    const blockMs = 110 + random() * 220
    const iterationMs = isLooped ? scaled(0.4, 60) : blockMs
    const share = 0.35 + random() * 0.55
    const weights = Array.from({ length: count - 1 }, () => 0.5 + random())
    const sum = weights.reduce((a, b) => a + b, 0)
    // No other function comes near the hot one.
    const shares = [share, ...weights.map((weight) => Math.min((1 - share) * weight / sum, share / 1.4))]
    const works = shares.map((each) => {
      const aimMs = each * iterationMs
      const callMs = Math.min(aimMs, scaled(0.01, LONGEST_CALL_MS))
      const reps = Math.max(1, Math.round(aimMs / callMs))
      return { kind: kindNamed(one(SHARED)), style: one(STYLES), reps, aimMs }
    })
    return {
      seed,
      index,
      kind: `${works[0].kind.name} of ${count}`,
      form: isLooped ? 'for' : 'once',
      place: one(PLACES),
      style: works[0].style,
      works,
      body: works.map(() => one(['for', 'of', 'while'])),
      order: works.map((_, part) => ({ part, at: random() })).sort((a, b) => a.at - b.at).map(({ part }) => part),
      isLooped,
      blockMs
    }
  },

  /** @param {Functions} design @param {PartSizes} sizes @param {boolean} [isTimed] */
  write ({ works, body, order, isLooped }, { sizes, iterations }, isTimed = false) {
    const parts = works.map((work, part) => ({ work, part, ...apart(work, part, sizes[part]) }))
    const names = ['load', 'render', 'collect', 'weigh']
    const written = order.map((part) => parts[part]).flatMap(({ work, part, rows, setup }) => {
      const marks = part === 0 ? hot(rows) : rows
      return [
        ...setup.filter((row) => !row.includes(' = require(')),
        `function ${names[part]} (i) {`,
        '  let acc = i',
        ...deeper(timed(loopOf(body[part], work.reps, marks), part, isTimed)),
        '  return acc',
        '}',
        ''
      ]
    })
    const calls = order.map((part) => `acc += ${names[part]}(i)${part === 0 ? ' // MARK' : ''}`)
    const driver = isLooped
      ? FORMS.for(deeper(calls))
      : ['function handle (n) {', '  let acc = 1', '  const i = n', ...deeper(calls), '  return acc', '}']
    const requires = new Set(parts.flatMap(({ setup }) => setup.filter((row) => row.includes(' = require('))))
    return programOf([...requires], [...written, ...driver], { isTimed, iterations })
  }
}

/** @param {string} form @param {number} reps @param {string[]} rows */
function loopOf (form, reps, rows) {
  if (reps === 1) return rows
  if (form === 'of') return [`for (const r of Array(${reps}).keys()) {`, ...deeper(rows), '  if (r < 0) acc = r', '}']
  if (form === 'while') return ['let r = 0', `while (r < ${reps}) {`, ...deeper(rows), '  r++', '}']
  return [`for (let r = 0; r < ${reps}; r++) {`, ...deeper(rows), '}']
}
