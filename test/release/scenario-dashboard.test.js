'use strict'

// Takes a minute: scenarios run until Prometheus has scraped each.
// The dashboard Scenarios in a real Prometheus that scrapes a run of real scenarios: one that blocks its
// caller, one whose blocks are a server's, one in another language.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { eventually, startNode } = require('../support/app')
const { dashboards, viewer } = require('../support/grafana')
const { freePort, needs, startPrometheus } = require('../support/tools')
const { table } = require('../../scenarios/harness/measure/metrics')

const MAIN = require.resolve('../../lib/cli/main.js')
/** In the order of their runs. */
const VARIANTS = { offload: ['inline'], goroutines: ['node-main', 'go-goroutines'], 'hook-calls': ['direct-batch', 'direct-depth'] }
/** The endpoint goes with the last run: what that one says last may have been scraped or not. */
const LAST = 'direct-depth'
const dashboard = dashboards().get('scenarios')

test('while scenarios run, every query of every panel and variable has data, and the data is right', async (t) => {
  for (const tool of ['prometheus', 'promtool', 'cargo', 'go']) if (!needs(t, tool)) return
  const port = await freePort()
  const prometheus = await startPrometheus(t, { scenarios: `127.0.0.1:${port}` }, ['--query.lookback-delta=5s'])
  // It looks for targets every five seconds, and a run does not wait for it.
  await eventually(async () => (await prometheus('up')).length > 0, 'the target to be scraped')
  const startS = Date.now() / 1000
  const { out, closed } = startNode(t, [MAIN, 'scenario', ...Object.keys(VARIANTS), '--quick', '--only', Object.values(VARIANTS).join(), '--repeats', '1', '--seconds', '2', '--port', port])
  const metrics = await eventually(() => /live metrics: (\S+)/.exec(out.stderr)?.[1], () => `an endpoint: ${out.stderr}`)
  let exposition = ''
  const named = () => [...exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`).sort()
  await eventually(async () => /^loopwatch_scenario_block_duration_seconds_count/m.test(exposition = await (await fetch(metrics)).text()), () => `blocks to be told: ${exposition}`)
  assert.deepEqual(named(), table.map(({ name, type }) => `${name} ${type}`).sort())
  const { status, stdout: complaints } = spawnSync('promtool', ['check', 'metrics'], { input: exposition, encoding: 'utf8' })
  assert.deepEqual([status, complaints], [0, ''])
  const { code, stdout, stderr } = await closed
  assert.equal(code, 0, `${stdout}${stderr}`)
  const { show, numbers, empty, offered } = viewer(prometheus, { startS, endS: Date.now() / 1000 })

  assert.deepEqual(await empty(dashboard), [])
  const { job, instance, scenario, variant } = await offered(dashboard)
  assert.deepEqual([job, instance], [['scenarios'], [new URL(metrics).host]])
  assert.deepEqual([scenario, variant], [Object.keys(VARIANTS).sort(), Object.values(VARIANTS).flat().sort()])

  const highest = async (/** @type {string} */ panel, /** @type {string} */ wanted) =>
    Math.max(0, ...numbers((await show(dashboard, panel)).filter(({ metric }) => metric.variant === wanted)))
  for (const wanted of variant) assert.ok(wanted === LAST || await highest('Throughput by variant', wanted) > 0, wanted)
  assert.ok(await highest('Blocks of the caller', 'inline') > 0.1, 'work on the caller blocks it')
  const blamed = (await show(dashboard, 'Blocks of the caller')).map(({ metric }) => metric.variant)
  assert.ok(blamed.includes('node-main') && !blamed.includes('go-goroutines'), `a server's own loop, and none where there is none: ${blamed}`)
  assert.deepEqual([...new Set((await show(dashboard, 'Node and Go: p95')).map(({ metric }) => metric.variant))].sort(), VARIANTS.goroutines.sort())
  assert.deepEqual([...new Set((await show(dashboard, 'Throughput by variant', { chosen: { variant: ['direct-batch'] } })).map(({ metric }) => metric.variant))], ['direct-batch'])
})
