'use strict'

const { number } = require('../../lib/cli/common/flags')
const { count, extra } = require('../harness/report/format')
const { charts } = require('./charts')
const { compare } = require('./original')
const { findings, tables, verdict } = require('./findings')
const { plan } = require('./plan')

/** Below that V8 counts in integers, which is another experiment. */
const LEAST_LOOP = 2 ** 31 + 1

/** @type {import('../harness/interface').Scenario} */
exports.scenario = {
  name: 'goroutines',
  title: 'CPU work and shared state behind HTTP: threads, pools and clusters of Node.js against goroutines',
  unit: 'requests/s',
  better: 'higher',
  agent: { threshold: 50 },
  packages: ['piscina', 'undici'],
  options: [
    { flags: '--loop <n>', description: '--faithful: count to this instead of 10,000,000,000', parse: number('--loop', LEAST_LOOP, Number.MAX_SAFE_INTEGER) }
  ],
  modes: {
    quick: { repeats: 1, seconds: 0.3, warmUpSeconds: 0.2, note: 'a smoke run: do not quote its figures' },
    default: { repeats: 5, seconds: 1, warmUpSeconds: 0.5, note: '10 ms of work for 10 users, and counters that are really shared' },
    full: { repeats: 5, seconds: 2, warmUpSeconds: 0.5, note: 'every kind of work, 0.1 to 1000 ms of it, 1 to 1000 users' },
    faithful: { repeats: 3, seconds: 30, warmUpSeconds: 0, note: 'counting to 10,000,000,000 for each request, 10 users, 30 s; about 20 minutes on two cores' }
  },
  plan,
  setup: (input) => require('./setup').setup(/** @type {any} */ (input)),
  teardown: (shared) => require('./setup').teardown(shared),
  columns: [
    { title: '/health p50 / p99 ms', text: (cell) => cell.extra.healthP50Ms === undefined ? '' : `${extra(cell, 'healthP50Ms')} / ${extra(cell, 'healthP99Ms')}` },
    { title: 'utilization', text: ({ extra }) => Object.keys(extra).filter((key) => /^utilization\d/.test(key)).map((key) => `${Math.round(extra[key].median * 100)}%`).join(' ') },
    { title: 'sched p99 µs', text: (cell) => extra(cell, 'schedP99Micros') },
    { title: 'server MiB from to', text: (cell) => `${extra(cell, 'serverFromMiB')} ${extra(cell, 'serverToMiB')}`.trim() },
    { title: 'lost updates', text: ({ extra: { lostUpdates } }) => count(lostUpdates?.median) },
    { title: 'driver', text: ({ extra: { driverWasBottleneck } }) => driverWasBottleneck !== undefined && driverWasBottleneck.max > 0 ? 'BOTTLENECK' : '' }
  ],
  tables,
  charts,
  verdict,
  findings,
  compare
}
