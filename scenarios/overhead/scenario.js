'use strict'

const path = require('node:path')
const { extra } = require('../harness/format')
const { missingPackages, withRanges } = require('../harness/packages')
const { driver } = require('./load')
const { charts } = require('./charts')
const { findings } = require('./findings')
const { tables } = require('./pooled')
const { watchers } = require('./watchers')

const LOAD = path.join(__dirname, 'cell.js')
const IDLE = path.join(__dirname, 'idle-cell.js')
const SERVERS = ['bare', 'express', 'fastify']
const HANDLERS = ['trivial', 'awaits', 'work']
const ALL = Object.keys(watchers)
const OURS = ['loopwatch', 'loopwatch-requests-off']
const IDLE_S = 10
const TIME_LIMIT_S = 60

/** @typedef {import('../harness/interface').CellPlan} CellPlan */

/** @param {string} variant */
const skipped = (variant) => {
  const missing = missingPackages([...(driver === 'wrk' ? [] : [driver]), ...watchers[variant].packages ?? []])
  return missing.length === 0 ? null : `npm install --no-save ${withRanges(missing).join(' ')}`
}

/** @param {string[]} variants @param {string[]} [servers] @param {string[]} [handlers] @returns {CellPlan[]} */
const loaded = (variants, servers = ['bare'], handlers = ['trivial']) => servers.flatMap((server) => handlers.flatMap((handler) => variants.map((variant) => ({
  variant, params: { server, handler }, module: LOAD, timeLimitSeconds: TIME_LIMIT_S, skipped: skipped(variant)
}))))

/** @param {string[]} variants @param {number} seconds @returns {CellPlan[]} */
const idle = (variants, seconds) => variants.map((variant) => ({
  variant, params: { server: 'bare', handler: 'idle' }, module: IDLE, unit: '% of a core', better: /** @type {const} */ ('lower'), seconds, timeLimitSeconds: TIME_LIMIT_S, skipped: skipped(variant)
}))

/** @type {Record<import('../harness/interface').ModeName, () => CellPlan[]>} */
const plans = {
  quick: () => [...loaded(['loopwatch']), ...idle(['loopwatch'], 1)],
  default: () => [...loaded(['nothing', ...OURS, 'prom-client', 'blocked-at']), ...loaded(['loopwatch'], ['express', 'fastify']), ...idle(['loopwatch'], IDLE_S)],
  full: () => [...loaded(ALL, SERVERS, HANDLERS), ...idle(ALL.filter((variant) => variant !== 'nothing'), IDLE_S)],
  faithful: () => [...loaded(['nothing', ...OURS]), ...loaded(['loopwatch'], ['express', 'fastify'])]
}

/** Of both servers: under load V8 compiles for some seconds, in turns of 3 to 25 ms that a p99 would take for the watching. */
const WARM_UP_S = 8

/** @type {import('../harness/interface').Scenario} */
exports.scenario = {
  name: 'overhead',
  title: 'what watching a server costs: loopwatch, its parts and others beside an unwatched one',
  unit: '× bare',
  better: 'higher',
  agent: null,
  packages: ['express', 'fastify'],
  optionalPackages: ['autocannon'],
  modes: {
    quick: { repeats: 1, seconds: 2, warmUpSeconds: 0, note: 'whether it works, no figures to quote' },
    default: { repeats: 5, seconds: 8, warmUpSeconds: WARM_UP_S, note: 'the trivial handler, ours and two others: nine minutes' },
    full: { repeats: 5, seconds: 8, warmUpSeconds: WARM_UP_S, note: 'every watcher with every server and handler: two hours' },
    faithful: { repeats: 9, seconds: 8, warmUpSeconds: WARM_UP_S, note: 'ours alone, with more pairs of processes: there is no original' }
  },
  plan: ({ mode }) => plans[mode](),
  setup: async () => ({ tools: { load: driver } }),
  columns: [
    { title: 'p50 × bare', text: (cell) => extra(cell, 'p50Ratio') },
    { title: 'p99 × bare', text: (cell) => extra(cell, 'p99Ratio') },
    { title: 'CPU a request × bare', text: (cell) => extra(cell, 'cpuRatio') },
    { title: 'RSS + MB', text: (cell) => extra(cell, 'rssMb') },
    { title: 'start ms', text: (cell) => extra(cell, 'startMs') },
    { title: 'bare requests/s', text: (cell) => extra(cell, 'bareRequestsPerSecond') }
  ],
  tables,
  charts,
  findings
}
