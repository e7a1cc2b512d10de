'use strict'

// Two versions of an application run one after the other, with one folder for their blocks.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { parseExposition, valueOf } = require('../support/exposition')
const { version } = require('../../package.json')

const ROOT = path.join(__dirname, '..', '..')
const HOUR_MS = 3_600_000

/** Blocks in each function that it is given until one is certain, some time after its start. */
const APP = `
const agent = require(${JSON.stringify(ROOT)}).start({ port: false, dir: 'blocks' })
const { setTimeout: sleep } = require('node:timers/promises')
let sum = 0
function parse (end) {
  while (performance.now() < end) {
    for (let i = 0; i < 1e6; i++) {
      sum = (sum + i * 7) % 1000003
    }
  }
}
function render (end) {
  while (performance.now() < end) {
    for (let i = 0; i < 1e6; i++) {
      sum = (sum + i * 5) % 1000003
    }
  }
}
const functions = { parse, render }
const certain = new Set()
agent.on('block', ({ cause, frame }) => frame?.exact && cause === 'js' && certain.add(frame.function))
void async function () {
  await agent.ready
  await sleep(800)
  for (const name of process.argv.slice(2)) {
    // A busy machine leaves some blocks without a certain function.
    for (let i = 0; i < 20 && !certain.has(name); i++) {
      functions[name](performance.now() + 300)
      await sleep(400)
    }
  }
  await sleep(500)
  const blocks = (await agent.blocks()).filter(({ frame }) => frame)
  process.stderr.write(JSON.stringify({ blocks, metrics: await agent.metrics() }) + '\\n')
  await agent.stop()
}()`

/** @param {import('node:test').TestContext} t */
function makeApplication (t) {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'app.js'), APP)
  const file = path.join(dir, 'blocks', `functions-shop-app.js-50-${version}.jsonl`)
  return {
    blocks: path.join(dir, 'blocks'),
    file,
    /** @param {string} version @param {string[]} names of functions that block */
    async run (version, names) {
      fs.writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ name: 'shop', version }))
      const { stdout, stderr } = await startNode(t, [path.join(dir, 'app.js'), ...names], { cwd: dir }).closed
      /** @type {{ blocks: import('../../lib/types').BlockRecord[], metrics: string }} */
      const { blocks, metrics } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
      const lines = stdout.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
      return {
        lines: lines.filter(({ block, frame }) => block && frame),
        text: stdout,
        // A busy machine leaves some blocks without a certain function.
        changes: Object.fromEntries(blocks.flatMap(({ frame, change }) => [[frame?.function, null],
          ...change ? [[frame?.function, change.text]] : []]).sort(([, a]) => a === null ? -1 : 1)),
        newSites: valueOf(parseExposition(metrics).samples, 'loopwatch_block_new_sites_total', { exact: 'true' })
      }
    },
    /** As if the versions so far had begun to run two days ago. */
    age () {
      const now = Math.floor(Date.now() / HOUR_MS)
      const hours = JSON.stringify(Array.from({ length: 48 }, (_, i) => now - 48 + i))
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/"hours":\[\d+\]/g, `"hours":${hours}`))
    },
    removeRecords () {
      for (const name of fs.readdirSync(path.join(dir, 'blocks'))) {
        if (name.startsWith('blocks-')) fs.rmSync(path.join(dir, 'blocks', name))
      }
    }
  }
}

test('a function that blocks since a version says so in the log, the record, the metrics and --new', async (t) => {
  const shop = makeApplication(t)
  const first = await shop.run('1.8.1', ['parse'])
  assert.deepEqual([first.changes, first.newSites], [{ parse: null }, 0], first.text)
  shop.age()
  // Records may be rotated, or deleted by anyone.
  shop.removeRecords()
  const second = await shop.run('1.8.2', ['parse', 'render'])
  const change = 'new since version 1.8.2'
  assert.deepEqual(second.changes, { parse: null, render: change }, second.text)
  assert.equal(second.newSites, 1)
  const lines = second.lines.filter(({ frame }) => frame.function === 'render' && frame.exact)
  for (const { msg, change: { kind, version } } of lines) {
    assert.match(msg, /render \(.*app\.js:\d+\), new since version 1\.8\.2/)
    assert.deepEqual([kind, version], ['new', '1.8.2'])
  }
  assert.ok(lines.length > 0, second.text)
  const command = [path.join(ROOT, 'lib', 'cli', 'main.js'), 'blocks', shop.blocks, '--new']
  const { stdout } = spawnSync(process.execPath, command, { encoding: 'utf8' })
  const listed = stdout.trim().split('\n')
  assert.ok(listed.length > 0 && listed.every((line) => line.includes(change)), stdout)
})

test('a function that blocks soon after an earlier version that hardly ran is new in doubt', async (t) => {
  const shop = makeApplication(t)
  await shop.run('1.8.1', ['parse'])
  const { changes, newSites, text } = await shop.run('1.8.2', ['parse', 'render'])
  assert.deepEqual([changes, newSites], [{ parse: null, render: '≈ new since version 1.8.2' }, 0], text)
})

test('processes that run at the same time in one new folder make nothing new', async (t) => {
  const shop = makeApplication(t)
  const runs = await Promise.all(['parse', 'render'].map((name) => shop.run('1.8.1', [name])))
  for (const { changes, text } of runs) assert.ok(Object.values(changes).every((change) => change === null), text)
  shop.age()
  const { changes, newSites, text } = await shop.run('1.8.2', ['parse', 'render'])
  assert.deepEqual([changes, newSites], [{ parse: null, render: null }, 0], text)
})

test('a damaged history is logged once, and blocks are logged all the same', async (t) => {
  const shop = makeApplication(t)
  await shop.run('1.8.1', ['parse'])
  fs.appendFileSync(shop.file, '[["1.8.1",{"startedAt":"2026')
  const { changes, text } = await shop.run('1.8.2', ['parse', 'render'])
  assert.ok(Object.values(changes).every((change) => change === null), text)
  assert.match(text, /"event":"settled"/)
  assert.equal(text.split('the history of blocked functions starts again').length - 1, 1, text)
})
