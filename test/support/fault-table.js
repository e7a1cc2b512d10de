'use strict'

const { parts } = require('./fault-rows')
const { renderTable } = require('../../scenarios/harness/report/table')

/** @typedef {import('./fault-results').Result} Result */

const rows = parts.flatMap((part) => part.rows)

/** What became of a fault: of several tests the worst. @param {{ test: string }} row @param {Result[]} results */
function resultOf ({ test }, results) {
  const own = results.filter(({ name }) => name.endsWith(test))
  const outcome = ['failed', 'skipped', 'passed'].find((each) => own.some((result) => result.outcome === each)) ?? 'did not run'
  return { outcome, seconds: own.reduce((sum, { seconds }) => sum + seconds, 0), measured: own.find(({ measured }) => measured !== null)?.measured ?? '' }
}

/** @param {Result[]} results */
function countOutcomes (results) {
  /** @type {Record<string, number>} */
  const counts = {}
  for (const row of rows) {
    const { outcome } = resultOf(row, results)
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

/** @param {Result[]} results */
const summary = (results) => `${rows.length} faults: ${Object.entries(countOutcomes(results)).map(([outcome, count]) => `${count} ${outcome}`).join(', ')}`

/**
 * For a terminal: every fault that ran.
 * @param {Result[]} results
 * @param {number} columns
 */
exports.renderFaults = (results, columns) => {
  const ran = rows.map((row) => ({ ...row, ...resultOf(row, results) })).filter(({ outcome }) => outcome !== 'did not run')
  const cells = ran.map(({ fault, host, lost, outcome, seconds, measured }) => [
    fault,
    outcome,
    seconds.toFixed(1),
    host,
    lost,
    measured
  ])
  return `${renderTable(['fault', 'result', 's', 'what the host saw', 'what was lost', 'measured'], cells, { columns, isNumber: [false, false, true] })}\n\n${summary(results)}\n`
}

/** For test/README.md: every fault, with no result of a run. */
exports.markdownTables = () => parts.map(({ part, rows }) => [
  `### ${part}`,
  '',
  '| what was done | what the host saw | what was lost | test |',
  '|---|---|---|---|',
  ...rows.map(({ fault, host, lost, file }) => `| ${fault} | ${host} | ${lost} | [${file}](${file}.test.js) |`)
].join('\n')).join('\n\n')

/** For test/README.md: what a run measured. @param {Result[]} results @param {string} where date and machine */
exports.markdownRun = (results, where) => [
  `${where} ${summary(results)}, in ${Math.round(rows.reduce((sum, row) => sum + resultOf(row, results).seconds, 0))} s.`,
  '',
  '| fault | measured |',
  '|---|---|',
  ...rows.map((row) => ({ ...row, ...resultOf(row, results) })).filter(({ measured }) => measured !== '').map(({ fault, measured }) => `| ${fault} | ${measured} |`)
].join('\n')

/**
 * Whether every fault was tried and none of its tests failed; what a machine lacks is skipped, and said.
 * @param {Result[]} results
 */
exports.isSound = (results) => rows.every((row) => ['passed', 'skipped'].includes(resultOf(row, results).outcome))

exports.rows = rows
exports.summary = summary
