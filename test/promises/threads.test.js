'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { startNode } = require('../support/app')

const PACKAGE = JSON.stringify(path.join(__dirname, '..', '..'))
const CRUNCHER = 'setInterval(function tick () { const end = performance.now() + 300; while (performance.now() < end); }, 900)'

test('a worker thread that blocks is recorded under its name, and its utilization is measured', async (t) => {
  const { stdout, stderr } = await startNode(t, ['-e', `
    const { Worker } = require('node:worker_threads')
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    new Worker(${JSON.stringify(CRUNCHER)}, { eval: true, name: 'cruncher' })
    // A busy machine adds shorter ones.
    const end = Date.now() + 30_000
    setInterval(async () => {
      if (Date.now() > end) process.exit(1)
      const block = (await agent.blocks()).find((each) => each.threadId !== 0 && !each.ongoing && !each.startup && each.durationMs + each.uncertaintyMs >= 299)
      if (block === undefined) return
      console.log(JSON.stringify({ name: block.thread, isNamed: 'threadName' in Worker.prototype, metrics: await agent.metrics() }))
      process.exit()
    }, 200)`]).closed
  const { name, isNamed, metrics } = JSON.parse(stdout || `"${stderr}"`)
  // Node.js 20 does not tell it from outside.
  assert.equal(name, isNamed ? 'cruncher' : 'WorkerThread')
  assert.match(metrics, new RegExp(`^loopwatch_eventloop_time_seconds_total\\{thread="${name}",state="active"\\} (?:0\\.[1-9]|[1-9])`, 'm'))
})
