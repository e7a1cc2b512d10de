'use strict'

const path = require('node:path')
const { extra } = require('../harness/report/format')
const { charts, findings, tables, verdict } = require('./findings')

const CELL = path.join(__dirname, 'cell.js')
const VARIANTS = ['on-loop', 'predicted', 'in-pool']
const APPLICATIONS = ['score', 'total', 'password', 'report']
const TIME_LIMIT_S = 90

/** @type {import('../harness/interface').Scenario} */
exports.scenario = {
  name: 'whatif',
  title: 'is what diagnose --what-if predicts of a worker thread what a worker thread then does?',
  unit: 'ms',
  better: 'lower',
  agent: null,
  packages: ['piscina'],
  modes: {
    quick: { repeats: 1, seconds: 1.5, warmUpSeconds: 0.3, note: 'whether it works, no figures to quote' },
    default: { repeats: 5, seconds: 6, warmUpSeconds: 1, note: 'four applications, on the loop, predicted and in a pool' },
    full: { repeats: 7, seconds: 20, warmUpSeconds: 2, note: 'the same for longer' },
    faithful: { repeats: 5, seconds: 6, warmUpSeconds: 1, note: 'there is no original: as without a flag' }
  },
  plan: () => APPLICATIONS.flatMap((application) => VARIANTS.map((variant) => ({
    variant,
    params: { application },
    module: CELL,
    workers: 1,
    // The pool leaves one core to the loop; the driver mostly waits.
    busy: variant === 'in-pool' ? 2 : 1,
    timeLimitSeconds: TIME_LIMIT_S
  }))),
  setup: async () => {
    const { calibrate } = require('../offload/work')
    const { applications, KINDS } = require('./server/applications')
    const stepsPerMs = calibrate()
    // By this process, before any server has answered.
    const answersOf = (/** @type {import('./server/applications').Application} */ { run, args, answer }) =>
      Array.from({ length: KINDS }, (_, kind) => answer(run(...args(kind, stepsPerMs))))
    const answers = Object.entries(applications).map(([name, each]) => [name, answersOf(each)])
    return { stepsPerMs, answers: Object.fromEntries(answers) }
  },
  columns: [
    { title: 'p50 ms', text: (cell) => extra(cell, 'p50Ms') },
    { title: '/health p50 / p99 ms', text: (cell) => cell.extra.healthP50Ms === undefined ? '' : `${extra(cell, 'healthP50Ms')} / ${extra(cell, 'healthP99Ms')}` },
    { title: 'waited for a CPU', text: ({ extra: { starvedPercent } }) => starvedPercent === undefined ? '' : `${Math.round(starvedPercent.median)} %` },
    { title: 'cloning / work ms', text: (cell) => cell.extra.workMs === undefined ? '' : `${extra(cell, 'cloningMs')} / ${extra(cell, 'workMs')}` }
  ],
  verdict,
  charts,
  findings,
  tables
}
