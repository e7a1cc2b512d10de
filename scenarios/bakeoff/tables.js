'use strict'

const { corpus } = require('./corpus/corpus')
const { figure } = require('../harness/report/format')
const { causes } = require('../../lib/tables/causes')

/** @typedef {import('../harness/interface').Cell} Cell */

/** Prefix of generated programs with a wrong answer without a doubt. */
const MISS = 'miss '
const ASPECTS = ['function', 'line', 'request', 'cause']

/** How often in all runs. @param {Cell} cell @param {string} key */
const count = ({ extra }, key) => (extra[key]?.samples ?? []).reduce((sum, each) => sum + each, 0)

/** The parts of a case that a contestant got wrong. @param {Cell} cell @param {string} name */
function verdict (cell, name) {
  const found = cell.extra[`found:${name}`]
  if (found === undefined) return ''
  if (found.max === 0) return 'missed'
  const runs = found.samples.length
  const times = (/** @type {number} */ n) => n === runs ? '' : ` ${n}/${runs}`
  const wrong = ASPECTS.flatMap((aspect) => {
    const n = count(cell, `wrong ${aspect}:${name}`)
    return n === 0 ? [] : [`${aspect}${count(cell, `certain ${aspect}:${name}`) > 0 ? '!' : ''}${times(n)}`]
  })
  const missed = found.min === 0 ? [`missed${times(runs - count(cell, `found:${name}`))}`] : []
  return wrong.length + missed.length === 0 ? 'ok' : [...missed, ...wrong].join(', ')
}

/**
 * Case by case, and the causes said against the true ones.
 * @param {import('../harness/interface').Document} document
 * @returns {import('../harness/interface').Comparison[]}
 */
exports.tables = ({ cells }) => {
  const measured = cells.filter(({ median, extra }) => median !== null && extra.programs === undefined)
  const ran = corpus.filter(({ name }) => measured.some(({ extra }) => extra[`found:${name}`] !== undefined))
  const missed = cells.flatMap(({ extra }) => Object.keys(extra).filter((key) => key.startsWith(MISS)))
  const apart = cells.filter(({ extra }) => extra['calm n'] !== undefined).map(byLoad)
  if (missed.length > 0) {
    return [...apart, { title: 'Certain and wrong: program and block', head: ['what took the time', ''], rows: missed.map((key) => [key.slice(MISS.length), 'line or request!']) }]
  }
  if (apart.length > 0) return apart
  return measured.length === 0
    ? []
    : [
        {
          title: 'Block by block: ok, missed, or what was wrong (! without a mark of doubt)',
          head: ['block', ...measured.map(({ variant }) => variant)],
          rows: ran.map(({ name }) => [name, ...measured.map((cell) => verdict(cell, name))])
        },
        ...measured.filter(({ extra }) => extra.cause !== undefined).map(confusion)
      ]
}

/** @param {Cell} cell of generated programs, or of threads @returns {import('../harness/interface').Comparison} */
function byLoad ({ extra }) {
  const figures = Object.keys(extra).filter((key) => key.startsWith('calm ') && key !== 'calm n').map((key) => key.slice('calm '.length))
  return {
    title: 'The line, in blocks that waited for a CPU for up to 40% of their time (calm) and for up to 85% (busy)',
    head: ['', 'blocks', ...figures],
    rows: ['calm', 'busy'].map((load) => [load, `${extra[`${load} n`].median}`, ...figures.map((key) => `${figure(extra[`${load} ${key}`].median)}%`)])
  }
}

/** @param {Cell} cell @returns {import('../harness/interface').Comparison} */
function confusion (cell) {
  const all = Object.keys(causes)
  const keys = Object.keys(cell.extra).filter((key) => key.startsWith('said:')).map((key) => key.split(':'))
  const truths = all.filter((cause) => keys.some(([, truth]) => truth === cause))
  const said = all.filter((cause) => keys.some(([, , each]) => each === cause))
  return {
    title: `Causes that ${cell.variant} reports (columns) by true cause (rows), in ${cell.samples.length === 1 ? 'one run' : `${cell.samples.length} runs`}`,
    head: ['', ...said],
    rows: truths.map((truth) => [truth, ...said.map((each) => `${count(cell, `said:${truth}:${each}`) || '.'}`)])
  }
}

exports.count = count
