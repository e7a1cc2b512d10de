'use strict'

const { escaped, htmlTable } = require('../../common/html-report')

const ms = (/** @type {number} */ value) => ({ figure: `${value.toFixed(value < 10 ? 1 : 0)} ms` })

/**
 * The prediction as a section of the report.
 * @param {import('./what-if').WhatIf} found
 */
exports.whatIfSection = ({ function: name, sentence, routes }) => {
  const table = routes.length === 0
    ? ''
    : htmlTable(['route', 'p50', 'p50 in a worker', 'p99', 'p99 in a worker'], routes.map(({ route, before, after }) =>
      [route, ms(before.p50Ms), ms(after.p50Ms), ms(before.p99Ms), ms(after.p99Ms)]))
  return `<section><h2>What if ${escaped(name)} ran in a worker thread?</h2><p>${escaped(sentence)}</p>${table}</section>`
}
