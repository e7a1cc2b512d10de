'use strict'

const { cellName } = require('../measure/live')

const MIB = 1024 * 1024

/**
 * A figure with three significant digits and thousands separators; '' for none.
 * @param {number | null | undefined} value
 */
function figure (value) {
  if (value === null || value === undefined) return ''
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= 1000) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(Math.max(0, Math.min(3, 2 - Math.floor(Math.log10(size)))))
}

/**
 * A figure with its unit; no space before a percent sign.
 * @param {number | null | undefined} value @param {string} unit
 */
const measure = (value, unit) => `${figure(value)}${unit.startsWith('%') ? '' : ' '}${unit}`

/** Counts are whole, and so is their median; '' for none. @param {number | null | undefined} value */
const count = (value) => value === null || value === undefined ? '' : Math.round(value).toLocaleString('en-US')

/** "1 block", "12 blocks". @param {number} value @param {string} thing */
const counted = (value, thing) => `${count(value)} ${thing}${Math.round(value) === 1 ? '' : 's'}`

/** "a", "a and b", "a, b and c". @param {string[]} words */
const listed = (words) => words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/**
 * The median of a further figure; '' where the cell has none.
 * @param {import('../interface').Cell} cell
 * @param {string} key
 */
const extra = ({ extra }, key) => figure(extra[key]?.median)

/** @param {import('../interface').Cell} cell */
const noteOf = (cell) => [
  cell.skipped === null ? '' : `skipped: ${cell.skipped}`,
  cell.error === null ? '' : `${cell.oracle === 'failed' ? 'WRONG RESULT' : 'FAILED'}: ${cell.error.split('\n')[0]}`,
  cell.oversubscribed ? 'oversubscribed' : ''
].filter(Boolean).join('; ')

/**
 * The caller's figure, + those of other processes; those of its threads are in brackets, as they are part of it.
 * @param {import('../interface').Cell} cell @param {'cpuSeconds' | 'peakRssBytes'} key @param {number} unit
 */
const ofProcesses = (cell, key, unit) => cell.process.filter((each) => each[key] !== null).map((each, i) => {
  const text = figure(/** @type {number} */ (each[key]) / unit)
  return i === 0 ? text : each.role.endsWith('thread') ? ` (${text})` : ` + ${text}`
}).join('')

/** The columns of every scenario's table and report; a scenario's own come behind the first five. */
const columns = [
  { title: 'variant', text: (/** @type {import('../interface').Cell} */ { variant }) => variant },
  { title: 'cell', text: (/** @type {import('../interface').Cell} */ { params }) => cellName(params) },
  { title: 'median', isNumber: true, text: (/** @type {import('../interface').Cell} */ { median, unit }) => median === null ? '' : measure(median, unit) },
  { title: 'min to max', isNumber: true, text: (/** @type {import('../interface').Cell} */ { min, max }) => min === null || min === max ? '' : `${figure(min)} to ${figure(max)}` },
  { title: '95%', isNumber: true, text: (/** @type {import('../interface').Cell} */ { ci95 }) => ci95 === null ? '' : `${figure(ci95[0])} to ${figure(ci95[1])}` },
  { title: 'p50 / p99 ms', isNumber: true, text: (/** @type {import('../interface').Cell} */ { latencyMs }) => latencyMs === null ? '' : `${figure(latencyMs.p50)} / ${figure(latencyMs.p99)}` },
  { title: 'caller delay p99 / max ms, blocks', isNumber: true, text: (/** @type {import('../interface').Cell} */ { caller }) => caller === null ? '' : `${figure(caller.delayP99Ms)} / ${figure(caller.delayMaxMs)}, ${caller.blocks}` },
  { title: 'CPU s', isNumber: true, text: (/** @type {import('../interface').Cell} */ cell) => ofProcesses(cell, 'cpuSeconds', 1) },
  { title: 'RSS MiB', isNumber: true, text: (/** @type {import('../interface').Cell} */ cell) => ofProcesses(cell, 'peakRssBytes', MIB) }
]
const OWN_AT = 5

/**
 * @param {import('../interface').Scenario} scenario
 * @returns {{ title: string, isNumber?: boolean, text: (cell: import('../interface').Cell) => string }[]}
 */
exports.columnsOf = (scenario) => {
  const own = (scenario.columns ?? []).map((column) => ({ isNumber: true, ...column }))
  return [...columns.slice(0, OWN_AT), ...own, ...columns.slice(OWN_AT), { title: 'note', text: noteOf }]
}

/**
 * A scenario's own, and with --faithful the original's next to ours.
 * @param {import('../interface').Document} document
 * @param {import('../interface').Scenario} scenario
 */
exports.furtherTables = (document, scenario) => [...scenario.tables?.(document) ?? [], ...(document.mode === 'faithful' ? scenario.compare?.(document) ?? [] : [])]

exports.count = count
exports.counted = counted
exports.extra = extra
exports.figure = figure
exports.listed = listed
exports.measure = measure
exports.noteOf = noteOf
