'use strict'

const path = require('node:path')
const { buildAddon, rustVersion } = require('./build')
const { charts } = require('./report/charts')
const { compare, ROWS } = require('./original')
const { diagrams } = require('./report/diagram')
const { findings, tables, verdict } = require('./report/findings')
const { extra } = require('../harness/report/format')

const MODULE = path.join(__dirname, 'cell.js')
const WORKERS = [1, 4, 8, 16]
/** A race of 1,000 calls with 16 workers takes seconds, twice that on a busy machine. */
const TIME_LIMIT_S = 120

/** @typedef {import('../harness/interface').CellPlan} CellPlan */
/** @typedef {{ consumeMs: number, count: number, idLength: number, uneven?: number }} Row */

/**
 * Implementation and settings of each variant.
 * @type {Record<string, { implementation: string, lane?: object, order?: string, asyncMs?: number, mostWorkers?: number
 * }>}
 */
const variants = {
  main: { implementation: 'main' },
  'indirect-race': { implementation: 'indirect-race' },
  'indirect-fifo': { implementation: 'indirect-fifo' },
  'indirect-piscina': { implementation: 'indirect-piscina' },
  direct: { implementation: 'direct' },
  'direct-by-turn': { implementation: 'direct', lane: { turnMicros: 0 } },
  'direct-batch': { implementation: 'direct', lane: { batch: 16 } },
  'direct-depth': { implementation: 'direct', lane: { depth: 4, turnMicros: 0 } },
  'direct-channel': { implementation: 'direct', lane: { turnMicros: 0 }, order: 'first-in', mostWorkers: 8 },
  'direct-least-loaded': { implementation: 'direct', lane: { depth: 4, turnMicros: 0 }, order: 'least-loaded' },
  'direct-async': { implementation: 'direct', asyncMs: 1 }
}
const DOCUMENT = ['main', 'indirect-race', 'direct']

/** @param {string} variant @param {Row} row @param {number} workers @param {boolean} isFaithful @returns {CellPlan} */
function cell (variant, row, workers, isFaithful) {
  const { implementation, lane = {}, order = 'last-in', asyncMs = 0 } = variants[variant]
  return {
    variant,
    params: { ...row, workers },
    module: MODULE,
    workers: Math.max(1, workers),
    busy: Math.max(1, workers),
    timeLimitSeconds: TIME_LIMIT_S,
    data: { implementation, lane, order, asyncMs, isWallTime: isFaithful, isOnce: isFaithful }
  }
}

/** @param {string[]} names @param {Row[]} rows @param {number[]} counts @param {boolean} [isFaithful] */
const cross = (names, rows, counts, isFaithful = false) => rows.flatMap((row) => names.flatMap((name) =>
  (name === 'main' ? [0] : counts.filter((workers) => workers <= (variants[name].mostWorkers ?? Infinity))).map((workers) => cell(name, row, workers, isFaithful))))

const [overhead, , , , plain] = ROWS
const longest = /** @type {Row} */ (ROWS.at(-1))
const others = ['indirect-fifo', 'indirect-piscina', 'direct', 'direct-by-turn']
const further = ['direct-batch', 'direct-depth', 'direct-channel', 'direct-least-loaded', 'direct-async']
/** Cells for which the order of the free list can matter: fewer calls than permits, or one slow hook in ten. */
const ordered = ['direct', 'direct-channel', 'direct-depth', 'direct-least-loaded']
const orderRows = [{ consumeMs: 5, count: 4, idLength: 30 }, { consumeMs: 1, count: 200, idLength: 30, uneven: 10 }]

/** @type {Record<import('../harness/interface').ModeName, () => CellPlan[]>} */
const plans = {
  quick: () => cross(Object.keys(variants), [{ consumeMs: 0, count: 100, idLength: 30 }], [2]).concat(
    cross(['direct'], [{ consumeMs: 1, count: 20, idLength: 10000 }], [2]),
    cross(['direct-least-loaded'], [{ consumeMs: 1, count: 10, idLength: 30, uneven: 10 }], [2])),
  default: () => [
    ...cross(['main', ...others], [overhead], WORKERS),
    ...cross(['indirect-race'], [overhead], [1, 4, 16]),
    ...cross(further, [overhead], [4]),
    ...cross(ordered, orderRows, [4]),
    ...cross(['main', 'indirect-fifo', 'direct'], [{ ...plain, count: 20 }, { ...longest, count: 20 }], [4])
  ],
  full: () => [...cross(Object.keys(variants), ROWS, WORKERS), ...cross(ordered, orderRows, WORKERS)],
  faithful: () => cross([...DOCUMENT, 'indirect-fifo'], ROWS, WORKERS, true)
}

/** @type {import('../harness/interface').Scenario} */
exports.scenario = {
  name: 'hook-calls',
  title: 'what it costs to call JavaScript hooks from Rust: on the main thread, through it, or directly in worker threads',
  unit: 'ms',
  better: 'lower',
  agent: { threshold: 20 },
  packages: ['piscina'],
  modes: {
    quick: { repeats: 2, seconds: 0, warmUpSeconds: 0, note: 'a smoke run: do not quote its figures' },
    default: { repeats: 5, seconds: 0.05, warmUpSeconds: 0, note: 'the overhead of calling, by number of workers; hooks burn CPU' },
    full: { repeats: 5, seconds: 0.1, warmUpSeconds: 0, note: 'every implementation with every row of the original; hooks burn CPU' },
    faithful: { repeats: 10, seconds: 0, warmUpSeconds: 0, note: 'the original\'s rows, mean of 10; its hooks burn wall time, so workers beyond the cores look faster than they are; about 20 minutes' }
  },
  plan: ({ mode, isListing }) => {
    const skipped = isListing || rustVersion() !== null ? null : 'needs cargo to build its addon: https://rustup.rs'
    return plans[mode]().map((each) => ({ ...each, skipped }))
  },
  setup: async ({ mode, cells, say, signal }) => {
    const version = rustVersion()
    if (version === null || cells.length === 0) return {}
    const file = await buildAddon({ say, signal, version })
    const { calibrate } = require('../offload/work')
    const needsWork = mode !== 'faithful' && cells.some(({ params }) => params.consumeMs !== 0)
    return { file, stepsPerMs: needsWork ? calibrate() : null, tools: { rustc: /^release: (\S+)/m.exec(version)?.[1] ?? '' } }
  },
  columns: [
    { title: 'initialize ms', text: (cell) => extra(cell, 'initMs') },
    { title: 'waiting for workers ms', text: (cell) => extra(cell, 'workerWaitMs') },
    { title: 'main CPU of initializing ms', text: (cell) => extra(cell, 'initCpuMs') },
    { title: 'main CPU of the calls ms', text: (cell) => extra(cell, 'mainCpuMs') },
    { title: 'over the least possible', text: (cell) => extra(cell, 'overLeast') }
  ],
  tables,
  charts,
  verdict,
  findings,
  compare,
  diagrams
}
