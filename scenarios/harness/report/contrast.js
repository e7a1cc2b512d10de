'use strict'

// What may be said of two figures, so that sentences cannot claim what was not measured.
const { figure } = require('./format')
const { ratioOf } = require('../measure/stats')

/**
 * @typedef {{ median: number | null, ci95: [number, number] | null, samples: number[] }} Measured a cell, or a further
 * figure of one
 */
/**
 * @typedef {'more' | 'less' | 'unclear' | 'few'} Verdict unclear: the intervals overlap; few: too few runs for
 * intervals
 */

/**
 * Whether one is more than the other. It is only where the intervals of both are apart, which asks for more than
 * the interval of the ratio to be clear of 1: sentences compare many pairs, of which some are clear by chance.
 * @param {Measured} a @param {Measured} b @returns {Verdict}
 */
function contrast (a, b) {
  if (a.ci95 === null || b.ci95 === null) return 'few'
  if (a.ci95[0] > b.ci95[1]) return 'more'
  return a.ci95[1] < b.ci95[0] ? 'less' : 'unclear'
}

/** "1.81 times (1.70 to 1.93)". @param {Measured} a @param {Measured} b */
function times (a, b) {
  const ratio = ratioOf(a.samples, b.samples)
  return ratio === null ? `${figure(Number(a.median) / Number(b.median))} times` : `${figure(ratio.ratio)} times (${figure(ratio.ci95[0])} to ${figure(ratio.ci95[1])})`
}

/** A median with its interval. @param {Measured} measured @param {string} unit */
exports.withInterval = ({ median, ci95 }, unit) => `${figure(median)} ${unit}${ci95 === null ? '' : ` (${figure(ci95[0])} to ${figure(ci95[1])})`}`

const FEW = 'too few runs to tell'

/** What the noise hides: how far the ratio may be from 1 by these runs. @param {Measured} a @param {Measured} b */
function noDifference (a, b) {
  const ratio = ratioOf(a.samples, b.samples)
  return `no difference that matters${ratio === null ? '' : ` (the runs allow ${figure(ratio.ci95[0])} to ${figure(ratio.ci95[1])} times)`}`
}

/**
 * How many times as much one is as the other, where that can be told.
 * @param {Measured | undefined} a @param {Measured | undefined} b
 */
exports.compared = (a, b) => {
  if (a === undefined || b === undefined) return 'not measured'
  const verdict = contrast(a, b)
  if (verdict === 'few') return FEW
  return verdict === 'unclear' ? noDifference(a, b) : times(a, b)
}

/**
 * A sentence on two ways: which one is more and by how much, that nothing sets them apart, or that nobody can tell.
 * @param {Measured} a @param {Measured} b
 * @param {{ of: string, more: string, less: string }} words of = what is compared
 */
exports.told = (a, b, { of, more, less }) => {
  const verdict = contrast(a, b)
  if (verdict === 'more' || verdict === 'less') return `${verdict === 'more' ? more : less}: ${times(a, b)}.`
  return `${of}: ${exports.compared(a, b)}.`
}

exports.FEW = FEW
exports.noDifference = noDifference
exports.times = times
exports.contrast = contrast
