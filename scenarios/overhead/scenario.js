'use strict'

const { extra } = require('../harness/report/format')
const { driver } = require('./server/load')
const { charts } = require('./report/charts')
const { comparisons } = require('./report/comparison')
const { contrasts, findings, verdict } = require('./report/findings')
const { optionalPackages, parseParts, parsePrograms, parseRate, plan } = require('./parts')
const { tables } = require('./server/pooled')

/**
 * Warm-up of both servers: under load, V8 compiles for some seconds, in turns of 3 to 25 ms that a p99 would attribute
 * to the watching.
 */
const WARM_UP_S = 8

/** @type {import('../harness/interface').Scenario} */
exports.scenario = {
  name: 'overhead',
  title: 'what watching a server costs: loopwatch, its parts and others compared with an unwatched one',
  unit: '× bare',
  better: 'higher',
  agent: null,
  packages: ['express', 'fastify'],
  optionalPackages,
  options: [
    { flags: '--part <name>', description: 'load, real-app, idle, preload, run or suites; repeat it, or separate several by commas', parse: /** @type {any} */ (parseParts) },
    { flags: '--rate <n>', description: 'requests per second of the part real-app, 150 by default', parse: parseRate },
    { flags: '--program <name>', description: 'program of the part suites; repeat it, or separate several by commas', parse: /** @type {any} */ (parsePrograms) },
    { flags: '--suites <dir>', description: 'folder with the suites and tools of the part suites, your cache folder by default' }
  ],
  modes: {
    quick: { repeats: 1, seconds: 2, warmUpSeconds: 0, note: 'a smoke run: do not quote its figures' },
    default: { repeats: 5, seconds: 8, warmUpSeconds: WARM_UP_S, note: 'the trivial handler with ours and two others, and idle servers: twenty minutes; other parts by --part' },
    full: { repeats: 5, seconds: 8, warmUpSeconds: WARM_UP_S, note: 'every watcher with every server and handler: three hours' },
    faithful: { repeats: 9, seconds: 8, warmUpSeconds: WARM_UP_S, note: 'there is no original: ours alone, with more pairs of processes; about 25 minutes' }
  },
  plan: ({ mode, options, isListing }) => plan(mode, { ...options, mayInstall: !isListing }),
  setup: async () => ({ tools: { load: driver } }),
  columns: [
    { title: 'p50 × bare', text: (cell) => extra(cell, 'p50Ratio') },
    { title: 'p99 × bare', text: (cell) => extra(cell, 'p99Ratio') },
    { title: 'CPU a request × bare', text: (cell) => extra(cell, 'cpuRatio') },
    { title: 'RSS + MB', text: (cell) => extra(cell, 'rssMb') },
    { title: 'start ms', text: (cell) => extra(cell, 'startMs') },
    { title: 'bare requests/s', text: (cell) => extra(cell, 'bareRequestsPerSecond') }
  ],
  tables: (document) => [...contrasts(document), ...tables(document), ...comparisons(document)],
  charts,
  verdict,
  findings
}
