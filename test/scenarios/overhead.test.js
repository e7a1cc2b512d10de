'use strict'

// What the overhead scenario compares: on which cores, and with which settings.
const test = require('node:test')
const assert = require('node:assert/strict')
const childProcess = require('node:child_process')
const fs = require('node:fs')
const { needs } = require('../support/tools')
const loading = require('../../scenarios/overhead/load')

/** The cores that a process's threads may use. @param {number} pid */
const coresOf = (pid) => [...new Set(fs.readdirSync(`/proc/${pid}/task`).map((tid) =>
  /^Cpus_allowed_list:\s*(.*)$/m.exec(fs.readFileSync(`/proc/${pid}/task/${tid}/status`, 'utf8'))?.[1]))]

/** What a cell gets, without a run around it. @param {string} variant */
const makeContext = (variant) => ({
  variant,
  params: { server: 'bare', handler: 'trivial' },
  seconds: 4,
  warmUpSeconds: 0,
  watch: () => {},
  count: () => {},
  measure: (/** @type {() => Promise<unknown>} */ run) => run(),
  checkEqual: assert.deepEqual
})

test('overhead: while one server is measured the other is on the core of the load, with all its threads', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs Linux')
  if (!needs(t, 'taskset')) return
  const may = (/** @type {number} */ core) => childProcess.spawnSync('taskset', ['-c', `${core}`, 'true']).status === 0
  if (!may(loading.SERVER_CORE) || !may(loading.LOAD_CORE)) return t.skip('needs the first two cores')
  /** @type {Map<string, number>} */
  const pids = new Map()
  const { fork } = childProcess
  t.mock.method(childProcess, 'fork', (/** @type {Parameters<typeof fork>} */ ...args) => {
    const child = fork(...args)
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
  for (const name of ['server-process', 'cell']) delete require.cache[require.resolve(`../../scenarios/overhead/${name}`)]
  const { run } = require('../../scenarios/overhead/cell')
  await run(makeContext('loopwatch'))

  const [bare, watched] = [...pids.keys()]
  assert.deepEqual(bursts, [bare, watched, watched, bare].map((url) => ({ url, own: ['0'], others: ['1'] })))
})
