'use strict'

// A block by the garbage collector says which of two it is: memory that something keeps, or much that is allocated.
// runtime: V8's heap statistics
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeGroup, NO_GROUPS } = require('../support/control-group')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
const LIMIT_MB = 256
const MB = 1024 * 1024

/** Makes garbage, for a block of 1.5 s. Near the limit it stops after two collections of
 * the whole heap: V8 ends a process that collects in vain. */
const APP = `
const v8 = require('node:v8')
const agent = require(${JSON.stringify(ROOT)}).start({ port: false })
const keptMb = Number(process.argv[2])
const kept = []
const used = () => v8.getHeapStatistics().used_heap_size
const old = () => v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space').space_used_size
const churn = () => {
  // On a busy machine until it has had as much of a CPU as it needs.
  const [endMs, from] = [performance.now() + 1500, process.cpuUsage()]
  const isOn = () => performance.now() < endMs || process.cpuUsage(from).user < 700_000
  let rows = []
  for (let collections = 0; isOn() && (keptMb === 0 || collections < 2);) {
    const before = old()
    rows = []
    for (let i = 0; i < 20000; i++) rows.push({ i, row: { i } })
    if (old() < before) collections++
  }
  while (isOn());
  return rows.length
}
const fill = () => {
  for (let i = 0; i < 1000 && used() < keptMb * ${MB}; i++) {
    kept.push(Array.from({ length: 2000 }, (_, j) => ({ i, j })))
  }
  if (used() < keptMb * ${MB}) return setTimeout(fill, 1)
  setTimeout(() => {
    churn()
    setTimeout(async () => {
      process.stderr.write(JSON.stringify({ blocks: await agent.blocks(), load: agent.load(), metrics: await agent.metrics() }) + '\\n')
      await agent.stop()
    }, 1200)
  }, 300)
}
setTimeout(fill, 300)
`

/** @param {import('node:test').TestContext} t @param {number} keptMb */
async function run (t, keptMb) {
  const file = path.join(makeDir(t), 'app.js')
  fs.writeFileSync(file, APP)
  const { stderr, stdout } = await startNode(t, [`--max-old-space-size=${LIMIT_MB}`, file, `${keptMb}`]).closed
  const { blocks, load, metrics } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
  const messages = stdout.trim().split('\n').map((line) => JSON.parse(line).msg)
  const [block] = blocks.filter((/** @type {any} */ { startup }) => !startup)
    .sort((/** @type {any} */ a, /** @type {any} */ b) => b.durationMs - a.durationMs)
  assert.ok(block?.durationMs >= 1000, JSON.stringify(messages))
  return { block, load, metrics, messages }
}

test('a heap near its limit: the block says that something keeps memory, how full it is and what collecting frees', async (t) => {
  const { block, load, metrics } = await run(t, 0.88 * LIMIT_MB)
  const { memory } = block.evidence
  assert.equal(memory.heapLimitBytes, LIMIT_MB * MB)
  assert.ok(memory.heapUsedBytes > 0.82 * LIMIT_MB * MB, JSON.stringify(memory))
  assert.equal(memory.isHeapFull, true)
  assert.ok(memory.rssBytes > memory.heapUsedBytes)
  assert.equal(load.memory.heapLimitBytes, LIMIT_MB * MB)
  assert.ok(load.memory.heapUsedBytes > 0.8 * LIMIT_MB * MB)
  assert.match(metrics, new RegExp(`^loopwatch_heap_limit_bytes ${LIMIT_MB * MB}$`, 'm'))
  assert.ok(Number(/^loopwatch_heap_used_bytes (\d+)$/m.exec(metrics)?.[1]) > 0.8 * LIMIT_MB * MB)
})

test('a heap with much room: the function that allocates is blamed, and no message says that memory is kept', async (t) => {
  const { block, messages } = await run(t, 0)
  const { memory } = block.evidence
  assert.equal(block.frame?.function, 'churn', JSON.stringify(block.frame))
  assert.equal(memory.isHeapFull, false)
  assert.ok(messages.every((message) => !message.includes('keeps memory')), messages.join('\n'))
  // Node.js counts what is allocated from 26 on.
  const isCounted = 'total_allocated_bytes' in require('node:v8').getHeapStatistics()
  assert.equal(memory.allocatedBytesPerSecond > 100 * MB, isCounted)
})

test('in a container the limit is that of the space for old objects', async (t) => {
  const group = makeGroup(t, 'memory', 2 * LIMIT_MB * MB)
  if (group === null) return t.skip(NO_GROUPS)
  const script = `const agent = require(${JSON.stringify(ROOT)}).start({ port: false, log: false })
    agent.ready.then(() => { console.log(agent.load().memory.heapLimitBytes); return agent.stop() })`
  const [node, ...args] = [...group.command, process.execPath, '-e', script]
  const { stdout, stderr } = await startNode(t, args, { node }).closed
  const limitMb = Number(stdout) / MB
  assert.ok(limitMb > 0.9 * LIMIT_MB && limitMb < 1.05 * LIMIT_MB, `${limitMb} MB of ${LIMIT_MB}; ${stderr}`)
})
