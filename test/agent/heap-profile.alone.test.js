'use strict'

// After a block that finds the heap nearly full, a heap profile shows which function keeps memory, and so does the
// process after one that V8 has ended.
// runtime: V8's heap profiler
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const v8 = require('node:v8')
const { readBlocks } = require('../../lib/store/block-file')
const { LIVING_MS } = require('../../lib/store/retention')
const { eventually, startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
const LIMIT_MB = 256
/** On a machine that is busy with much else it takes a minute to fill the heap with small objects. */
const LONGEST_FILL_MS = 180_000
/** Filled before the block, hardly any of it garbage: 80% of the limit count as full. */
const FIRST_MB = 0.86 * LIMIT_MB
const hasHeapProfile = 'startHeapProfile' in v8

/**
 * Sessions that nothing removes, as in google-gemini/gemini-cli#24724: V8 ends the process after minutes of ever longer
 * collections. Here the cache is filled at once, a block collects the heap twice, and 1,200 sessions a second follow,
 * which are 1.3 MB.
 */
const APP = `
const v8 = require('node:v8')
require(${JSON.stringify(ROOT)}).start({ port: false, dir: process.argv[2] })
const sessions = new Map()
const usedMb = () => v8.getHeapStatistics().used_heap_size / 2 ** 20
const oldMb = () =>
  v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space').space_used_size / 2 ** 20
function addSession (id) {
  const history = new Array(20)
  for (let i = 0; i < 20; i++) history[i] = { i }
  sessions.set(id, { id, user: { name: 'user ' + id, roles: ['reader', 'writer'] }, history })
}
function render (rows) {
  return Array.from({ length: rows }, (_, i) => ({ i, cells: [i, i + 1] }))
}
const collectTwice = () => {
  const endMs = performance.now() + 500
  for (let collections = 0; collections < 2;) {
    const before = oldMb()
    render(20000)
    if (oldMb() < before) collections++
  }
  while (performance.now() < endMs);
}
const leak = () => {
  const startMs = performance.now()
  const first = sessions.size
  setInterval(() => {
    while (sessions.size - first < 1.2 * (performance.now() - startMs)) addSession(sessions.size)
    render(5000)
  }, 20)
}
const fill = () => {
  for (let i = 0; i < 1000 && usedMb() < ${FIRST_MB}; i++) addSession(sessions.size)
  if (usedMb() < ${FIRST_MB}) return setTimeout(fill, 1)
  setTimeout(() => {
    collectTwice()
    leak()
  }, 300)
}
setTimeout(fill, 300)
`

/** @param {{ out: { stdout: string } }} app */
const linesOf = ({ out }) => out.stdout.split('\n').filter((text) => text.startsWith('{')).map((text) => JSON.parse(text))

/**
 * What became of it: its last lines, and what it said on stderr.
 * @param {{ out: { stdout: string, stderr: string } }} app
 */
const lastOf = (app) => [...linesOf(app).slice(-5).map(({ msg }) => msg), app.out.stderr.slice(-500)].join('\n')

/** @param {import('node:test').TestContext} t */
function startLeak (t) {
  const dir = makeDir(t)
  const file = path.join(dir, 'app.js')
  const blocks = path.join(dir, 'blocks')
  fs.writeFileSync(file, APP)
  // V8 counts the memory of a function that it has inlined for the caller.
  const flags = ['--no-turbo-inlining', '--no-maglev-inlining', `--max-old-space-size=${LIMIT_MB}`]
  const app = startNode(t, [...flags, file, blocks])
  return { ...app, blocks, text: () => app.out.stdout + app.out.stderr }
}

test('the record of a block with a full heap gets the function that keeps memory; the next process names it, too', {
  skip: !hasHeapProfile && 'this version of Node.js has no v8.startHeapProfile()'
}, async (t) => {
  const app = startLeak(t)
  const { stderr } = await app.closed
  assert.match(stderr, /heap out of memory/)
  const [profiled] = linesOf(app).filter(({ event, keptBy }) => event === 'heap_profile' && keptBy)
  assert.ok(profiled, app.text())
  assert.match(profiled.msg, /^memory that was allocated and stayed in use after block \S+: \d+% in addSession \(.*app\.js:8\)/)
  const record = readBlocks(app.blocks).records.find(({ id }) => id === profiled.block)
  const [keeper] = record?.evidence.memory?.heapProfile?.keptBy ?? []
  assert.deepEqual(keeper, profiled.keptBy[0])
  assert.ok(keeper.share > 0.5, `${keeper.share}`)

  // A process that ended between two blocks counts once it has not marked its file for long.
  for (const name of fs.readdirSync(app.blocks)) {
    const at = (Date.now() - LIVING_MS) / 1000 - 1
    fs.utimesSync(path.join(app.blocks, name), at, at)
  }
  const next = startNode(t, ['-e', `require(${JSON.stringify(ROOT)}).start({ port: false, dir: ${JSON.stringify(app.blocks)} })
    setTimeout(() => {}, 60000)`])
  const line = await eventually(() => linesOf(next).find(({ event }) => event === 'predecessor'), () => next.out.stdout)
  assert.match(line.msg, /, the heap (?:was|is \d+%) full.*[:,] \d+% of the latest was allocated in addSession \(.*app\.js:8\)$/)
})

test('where V8 would collect the whole heap at the end of a heap profile, there is none', {
  skip: hasHeapProfile && 'this version of Node.js has v8.startHeapProfile()'
}, async (t) => {
  const app = startLeak(t)
  const isFull = () => readBlocks(app.blocks).records.find(({ evidence }) => evidence.memory?.isHeapFull)
  await eventually(() => fs.existsSync(app.blocks) && isFull(), () => lastOf(app), LONGEST_FILL_MS)
  await new Promise((resolve) => setTimeout(resolve, 3000))
  assert.ok(linesOf(app).every(({ event }) => event !== 'heap_profile'), app.text())
  assert.equal(isFull()?.evidence.memory?.heapProfile, undefined)
})
