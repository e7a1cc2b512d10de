'use strict'

// Compares two figures, so that no sentence claims what was not measured.
const { count, figure, measure } = require('./format')
const { differenceOf, halfOf, median } = require('../measure/stats')

/** @typedef {{ samples: number[] }} Measured a cell, or a further figure of one: a sample of each repeat */
/**
 * @typedef {'more' | 'less' | 'same' | 'unclear' | 'few'} Answer same: no difference that matters; few: too few runs
 * for an interval
 */

/** A ratio between these makes no difference that matters: nobody changes a program for less than a tenth. */
const SAME = [Math.log(0.9), Math.log(1.1)]
/** Standard errors that the interval needs to spare: then four of five runs tell, and without them every other one. */
const FOUR_OF_FIVE = 0.84

/**
 * The logarithm of how many times as much one is as the other, as noise multiplies; null if a figure is not above 0.
 * @param {Measured} a @param {Measured} b
 */
function logRatioOf ({ samples: as }, { samples: bs }) {
  if (Math.min(...as, ...bs) <= 0) return null
  const ratio = differenceOf(as.map(Math.log), bs.map(Math.log))
  // With two runs, the mean ratio can contradict the medians, which stand next to it in a sentence.
  return ratio.ci95 === null ? { ...ratio, middle: Math.log(median(as) / median(bs)) } : ratio
}

/** @typedef {NonNullable<ReturnType<typeof logRatioOf>>} LogRatio */

/**
 * Decides by the interval of their ratio. Within 0.9 to 1.1, the difference does not matter even if 1 is not in it.
 * @param {LogRatio | null} ratio @returns {Answer}
 */
function answerOf (ratio) {
  if (ratio === null) return 'unclear'
  if (ratio.ci95 === null) return 'few'
  const [low, high] = ratio.ci95
  if (low >= SAME[0] && high <= SAME[1]) return 'same'
  return low > 0 ? 'more' : high < 0 ? 'less' : 'unclear'
}

/** Whether one is more than the other. @param {Measured} a @param {Measured} b */
const contrast = (a, b) => answerOf(logRatioOf(a, b))

/**
 * How many repeats would tell if the ratio and the spread are what these runs have.
 * @param {LogRatio} ratio
 */
function repeatsToTell ({ pairs, middle, deviation }) {
  const distance = Math.max(Math.abs(middle), Math.min(middle - SAME[0], SAME[1] - middle))
  const spread = Number(deviation)
  let repeats = pairs + 1
  while (halfOf(repeats, spread) + FOUR_OF_FIVE * spread / Math.sqrt(repeats) > distance) repeats++
  return count(Number(repeats.toPrecision(2)))
}

/** "one run", "two runs". @param {number} runs fewer than an interval needs */
const few = (runs) => runs === 1 ? 'one run' : 'two runs'

/** @param {LogRatio} ratio */
const rangeOf = ({ pairs, ci95 }) => ci95 === null ? few(pairs) : ci95.map((end) => figure(Math.exp(end))).join(' to ')

/**
 * A median with its interval.
 * @param {import('../interface').Summary | import('../interface').Cell} measured @param {string} unit
 */
exports.withInterval = ({ median, ci95, samples }, unit) =>
  `${measure(median, unit)} (${ci95 === null ? few(samples.length) : `${figure(ci95[0])} to ${figure(ci95[1])}`})`

/**
 * A table of comparisons; those of which one side was not measured are left out.
 * @param {string} title
 * @param {{ first: string, second: string, where: string, a: Measured | undefined, b: Measured | undefined }[]} rows
 * @returns {import('../interface').Comparison[]} none where no row is left
 */
exports.contrastTable = (title, rows) => {
  const measured = rows.filter(({ a, b }) => a !== undefined && b !== undefined)
  return measured.length === 0
    ? []
    : [{
        title,
        keep: 3,
        head: ['first', 'second', 'where', 'first / second', '95% interval', 'the first is'],
        rows: measured.map(({ first, second, where, a, b }) => [first, second, where, ...exports.ratioCells(a, b)])
      }]
}

/**
 * How many times as much one is as the other, as cells of a table.
 * @param {Measured | undefined} a @param {Measured | undefined} b
 */
exports.ratioCells = (a, b) => {
  if (a === undefined || b === undefined) return ['', '', 'not measured']
  const ratio = logRatioOf(a, b)
  if (ratio === null) return ['', '', 'unclear: a run measured 0']
  const answer = answerOf(ratio)
  const words = { more: 'more', less: 'less', same: 'about the same', unclear: '', few: few(ratio.pairs) }[answer]
  return [figure(Math.exp(ratio.middle)), ratio.ci95 === null ? '' : rangeOf(ratio), words || `unclear, about ${repeatsToTell(ratio)} repeats would tell`]
}

/**
 * The difference of two figures, as cells of a table, for figures that may be 0 and so have no ratio.
 * @param {Measured} a @param {Measured} b @param {string} unit
 */
exports.surplusCells = (a, b, unit) => {
  const { pairs, middle, ci95 } = differenceOf(a.samples, b.samples)
  if (ci95 === null) return [measure(middle, unit), '', few(pairs)]
  const answer = ci95[0] > 0 ? 'more' : ci95[1] < 0 ? 'less' : 'not clearly above 0'
  return [measure(middle, unit), ci95.map(figure).join(' to '), answer]
}

/**
 * Whether one is less than so many times the other; null if these runs cannot tell. A single run tells by its figure.
 * @param {Measured} a @param {Measured} b @param {number} times
 */
exports.isBelow = (a, b, times) => {
  const ratio = logRatioOf(a, b)
  if (ratio === null) return null
  const [low, high] = ratio.ci95 ?? [ratio.middle, ratio.middle]
  return high < Math.log(times) ? true : low < Math.log(times) ? null : false
}

/** @param {string} text */
const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`

/**
 * A sentence that compares two ways. The one that has more comes first, so that the ratio is above 1.
 * @param {Measured} a @param {Measured} b
 * @param {object} words
 * @param {string} words.first what a is
 * @param {string} words.second what b is
 * @param {[verb: string, than: string]} words.more `first answers 1.80 times as many requests as second`
 * @param {string} words.what is compared: `no clear difference in what`
 * @param {string} [words.unit] of the medians, which are left out without it
 * @returns {string}
 */
exports.told = (a, b, { first, second, more: [verb, than], what, unit }) => {
  const ratio = logRatioOf(a, b)
  if (ratio === null) return `${capital(first)} and ${second} cannot be compared in ${what}: a run measured 0.`
  const answer = answerOf(ratio)
  if (answer !== 'unclear' && answer !== 'same' && ratio.middle < 0) return exports.told(b, a, { first: second, second: first, more: [verb, than], what, unit })
  const medians = unit === undefined ? '' : `${figure(median(a.samples))} against ${figure(median(b.samples))} ${unit}; `
  const times = `${figure(Math.exp(ratio.middle))} times`
  if (answer === 'same') return `No difference that matters between ${first} and ${second} in ${what} (${medians}${times}, ${rangeOf(ratio)}).`
  if (answer === 'unclear') return `No clear difference between ${first} and ${second} in ${what} (${medians}${times}, ${rangeOf(ratio)}; about ${repeatsToTell(ratio)} repeats would tell).`
  return `${capital(first)} ${verb} ${times} ${than} ${second} (${medians}${rangeOf(ratio)}).`
}

exports.capital = capital
exports.contrast = contrast
