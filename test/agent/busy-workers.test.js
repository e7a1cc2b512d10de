'use strict'

// Worker threads that all work without a pause: tasks wait for them, although nothing blocks the main loop.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
const BUSY_MS = 13_000
/** Each task starts the next one: on a busy machine, a message from the main thread would come too late. */
const TASK_MS = 300

const APP = `
const { Worker } = require('node:worker_threads')
const agent = require(${JSON.stringify(ROOT)}).start({ port: false })
const task = "const next = () => { for (const endMs = Date.now() + ${TASK_MS}; Date.now() < endMs;); setImmediate(next) }; next()"
const run = (name, untilMs) => new Promise((resolve) => {
  const worker = new Worker(task, { eval: true, name })
  setTimeout(() => worker.terminate().then(resolve), untilMs - Date.now())
})
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const incidents = []
agent.on('slow', ({ kind, thread, threads }) => incidents.push({ kind, thread, threads }))
agent.ready.then(async () => {
  const untilMs = Date.now() + ${BUSY_MS}
  new Worker('setInterval(() => {}, 100)', { eval: true, name: 'idle' }).unref()
  await Promise.all([run('resize', untilMs), run('resize', untilMs)])
  await rest(2500)
  process.stderr.write(JSON.stringify({ incidents, metrics: await agent.metrics() }))
  await agent.stop()
  process.exit()
})
`

test('worker threads that are all busy for ten seconds are logged once at level info, by name', async (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'app.js'), APP)
  const { stdout, stderr } = await startNode(t, [path.join(dir, 'app.js')], { cwd: dir }).closed
  const said = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line))
    .filter((/** @type {any} */ { event }) => /^threads_/.test(event))
  assert.deepEqual(said.map(({ event, level, thread, threads }) => ({ event, level, thread, threads })), [
    { event: 'threads_busy', level: 30, thread: 'resize', threads: 2 },
    { event: 'threads_free', level: 30, thread: 'resize', threads: 2 }
  ], stdout)
  assert.match(said[0].msg, /^all 2 worker threads resize were (?:9[5-9]|100)% busy for 1\d\.\d s: tasks may be waiting/)
  const { incidents, metrics } = JSON.parse(stderr)
  assert.deepEqual(incidents, [{ kind: 'worker_threads', thread: 'resize', threads: 2 }])
  assert.match(metrics, /^loopwatch_slow_incidents_total\{kind="worker_threads"\} 1$/m)
})
