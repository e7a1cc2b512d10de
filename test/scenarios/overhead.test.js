'use strict'

// What the overhead scenario compares: on which cores, and what its cells measure.
const test = require('node:test')
const assert = require('node:assert/strict')
const childProcess = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const { needs } = require('../support/tools')
const { missingPackages } = require('../../scenarios/harness/packages')
const loading = require('../../scenarios/overhead/server/load')
const { packages } = require('../../scenarios/overhead/real-app/work')

/** The cores that a process's threads may use. @param {number} pid */
const coresOf = (pid) => [...new Set(fs.readdirSync(`/proc/${pid}/task`).map((tid) =>
  /^Cpus_allowed_list:\s*(.*)$/m.exec(fs.readFileSync(`/proc/${pid}/task/${tid}/status`, 'utf8'))?.[1]))]

/**
 * What a cell gets, without a run around it.
 * @param {string} variant
 * @param {Record<string, string | number>} [params]
 * @param {number} [seconds]
 */
const makeContext = (variant, params = { server: 'bare', handler: 'trivial' }, seconds = 4) => ({
  variant,
  params,
  data: { dir: os.tmpdir() },
  seconds,
  warmUpSeconds: 0,
  watch: () => {},
  count: () => {},
  measure: (/** @type {() => Promise<unknown>} */ run) => run(),
  check: assert.ok,
  checkEqual: assert.deepEqual
})

test('overhead: while one server is measured the other is on the core of the load, with all its threads', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs Linux')
  if (!needs(t, 'taskset')) return
  const may = (/** @type {number} */ core) => childProcess.spawnSync('taskset', ['-c', `${core}`, 'true']).status === 0
  if (!may(loading.SERVER_CORE) || !may(loading.LOAD_CORE)) return t.skip('needs the first two cores')
  /** @type {Map<string, number>} */
  const pids = new Map()
  /** In the order of their starts: on a busy machine the second may listen first. @type {(number | undefined)[]} */
  const started = []
  const { fork } = childProcess
  t.mock.method(childProcess, 'fork', (/** @type {Parameters<typeof fork>} */ ...args) => {
    const child = fork(...args)
    started.push(child.pid)
    child.once('message', (/** @type {any} */ { url }) => pids.set(url, /** @type {number} */ (child.pid)))
    return child
  })
  /** @type {{ url: string, own: unknown, others: unknown }[]} */
  const bursts = []
  t.mock.method(loading, 'load', async (/** @type {string} */ url) => {
    const other = [...pids.keys()].find((each) => each !== url)
    bursts.push({ url, own: coresOf(Number(pids.get(url))), others: coresOf(Number(pids.get(String(other)))) })
    await (await fetch(url)).text()
    return { requestsPerSecond: 1, requests: 1, failed: 0, p50Ms: 1, p99Ms: 1 }
  })
  // Loaded with both in place.
  for (const name of ['server/server-process', 'cell']) delete require.cache[require.resolve(`../../scenarios/overhead/${name}`)]
  const { run } = require('../../scenarios/overhead/cell')
  await run(makeContext('loopwatch'))

  const [bare, watched] = started.map((pid) => [...pids.keys()].find((url) => pids.get(url) === pid))
  assert.deepEqual(bursts, [bare, watched, watched, bare].map((url) => ({ url, own: ['0'], others: ['1'] })))
})

test('overhead: an idle server is measured without requests, next to one that is not watched', async (t) => {
  const { run } = require('../../scenarios/overhead/idle/cell')
  const { value, extra } = await run(makeContext('loopwatch', { server: 'bare', handler: 'idle' }, 2))
  assert.ok(value > 0 && extra.cpuPercent > extra.bareCpuPercent, JSON.stringify(extra))
  if (process.platform !== 'linux') return t.skip('wake-ups need Linux')
  // The heartbeat alone is some thirty a second; a bare server sleeps for good.
  const { wakeUps = 0, bareWakeUps = Infinity } = extra
  assert.ok(wakeUps > 5 && wakeUps > 5 * bareWakeUps, JSON.stringify(extra))
})

test('overhead: what a preload adds to an empty script is counted', async () => {
  const { run } = require('../../scenarios/overhead/preload/cell')
  const { value, extra } = await run(makeContext('loopwatch', { server: 'none', handler: 'preload' }, 1))
  assert.ok(value > 0, JSON.stringify(extra))
  assert.ok(extra.scripts >= 2 && extra.bareScriptMs > 5 && extra.scriptMs > extra.bareScriptMs, JSON.stringify(extra))
})

test('overhead: a large application answers right, watched and not, at a rate that is kept', async (t) => {
  const params = { server: 'real-app', handler: 'mixed', ratePerSecond: 10 }
  const missing = missingPackages(packages)
  if (missing.length > 0) return t.skip(`needs ${missing.join(', ')}: npm ci in scenarios/`)
  const { run } = require('../../scenarios/overhead/real-app/cell')
  const { value, extra } = await run(makeContext('loopwatch', params, 2))
  assert.ok(value > 0.1, JSON.stringify(extra))
  for (const figure of /** @type {const} */ (['p50Ms', 'p99Ms', 'p999Ms', 'cpuMs', 'cpuPercent', 'startUpMs', 'rssMb'])) assert.ok(extra[figure] > 0, figure)
  // Five large packages: a mere server takes a tenth of it.
  assert.ok(extra.bareRssMb > 100, `${extra.bareRssMb} MB`)
})

test('overhead: what run() adds to a call is counted, and every run is', async () => {
  const { run } = require('../../scenarios/overhead/run/cell')
  for (const handler of ['run', 'run-async', 'run-attributes']) {
    const { value, extra } = await run(makeContext('loopwatch', { server: 'none', handler }, 0.5))
    assert.ok(value > 0 && extra.batches > 1, JSON.stringify({ handler, value, extra }))
  }
})

test('overhead: a whole program under the preload ends as without it, and what that takes is counted', async () => {
  const { run } = require('../../scenarios/overhead/suites/cell')
  const { value, extra } = await run(makeContext('loopwatch', { server: 'program', handler: 'node -e' }, 0))
  assert.ok(value > 0 && extra.bareSeconds > 0.005, JSON.stringify(extra))
  assert.ok(process.platform !== 'linux' || Number(extra.bareCpuSeconds) > 0.01, JSON.stringify(extra))
})

test('overhead: the agent of an application that serves has its port and counts its requests', async (t) => {
  if (!needs(t, 'taskset')) return
  const { run } = require('../../scenarios/overhead/suites/cell')
  const { extra } = await run(makeContext('loopwatch', { server: 'program', handler: 'one CPU' }, 0))
  assert.deepEqual([extra.port, extra.speaks], [1, 1], JSON.stringify(extra))
})
