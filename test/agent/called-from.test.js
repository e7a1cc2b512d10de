'use strict'

// A package that goes on after an await has no caller on its stack: the record names the line that awaits it.
// runtime: async stacks
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { AGAIN } = require('../support/again')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
/** While others run beside it, a shorter one may lose so much time that no code is to blame. */
const HOLD_MS = 400

const ORM = `
const hydrate = () => { const [end, from] = [Date.now() + ${HOLD_MS}, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < ${HOLD_MS} * 500); }
const later = () => new Promise((resolve) => setTimeout(resolve, 20))
exports.find = async function find () { await later(); hydrate() }
exports.chained = () => later().then(() => hydrate())
exports.byCallback = () => new Promise((resolve) => setTimeout(() => { hydrate(); resolve() }, 20))
exports.calling = async function calling (fn) { await later(); fn() }
`

const APP = `
const agent = require(${JSON.stringify(ROOT)}).start({ port: false, threshold: 40 })
const { setTimeout: sleep } = require('node:timers/promises')
const orm = require('orm')
const calls = {
  async find () {
    await orm.find() // awaits find
  },
  async within () {
    const report = async () => {
      const rows = await orm.find() // awaits within
      return rows
    }
    await report()
  },
  async chained () {
    await orm.chained() // awaits chained
  },
  async together () {
    await Promise.all([sleep(1), orm.find()]) // awaits together
  },
  async byCallback () {
    await orm.byCallback()
  },
  async calling () {
    await orm.calling(() => { const [end, from] = [Date.now() + ${HOLD_MS}, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < ${HOLD_MS} * 500); })
  }
}
${AGAIN}
void async function () {
  await sleep(500)
  const found = {}
  for (const [name, call] of Object.entries(calls)) found[name] = await again(call, ({ frame, excused }) => frame && !excused)
  process.stderr.write(JSON.stringify(found) + '\\n')
  await agent.stop()
}()`

test('a block in a package after an await names the line that awaits it', async (t) => {
  const dir = makeDir(t)
  fs.mkdirSync(path.join(dir, 'node_modules', 'orm'), { recursive: true })
  fs.writeFileSync(path.join(dir, 'node_modules', 'orm', 'package.json'), '{ "name": "orm", "version": "1.0.0" }')
  fs.writeFileSync(path.join(dir, 'node_modules', 'orm', 'index.js'), ORM)
  fs.writeFileSync(path.join(dir, 'app.js'), APP)
  const { stderr } = await startNode(t, [path.join(dir, 'app.js')], { cwd: dir }).closed
  const found = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
  const lines = APP.split('\n')
  const lineOf = (/** @type {string} */ name) => 1 + lines.findIndex((line) => line.endsWith(`// awaits ${name}`))
  /** @param {any} a @param {any} b */
  const byLength = (a, b) => b.durationMs - a.durationMs
  const longest = (/** @type {string} */ name) =>
    found[name].filter((/** @type {any} */ { frame, excused }) => frame && !excused).sort(byLength)[0]
  for (const name of ['find', 'within', 'chained', 'together']) {
    const { calledFrom, frame, stacks } = longest(name)
    assert.match(frame.file, /orm/, name)
    assert.deepEqual([path.basename(calledFrom.file), calledFrom.line, calledFrom.exact], ['app.js', lineOf(name), true], name)
    assert.equal(stacks[0].frames.find((/** @type {any} */ { file }) => file === calledFrom.file).async, true, name)
  }
  assert.equal(longest('byCallback').calledFrom, null, 'a line that nobody knows is not guessed')
  assert.deepEqual([longest('calling').calledFrom, path.basename(longest('calling').frame.file)], [null, 'app.js'])
})

test('so does one in Node.js itself', async (t) => {
  const { stdout, stderr } = await startNode(t, ['-e', `
    const agent = require(${JSON.stringify(ROOT)}).start({ port: false, threshold: 40, log: false })
    const { setTimeout: sleep } = require('node:timers/promises')
    const { text } = require('node:stream/consumers')
    const { Readable } = require('node:stream')
    const chunks = Array(200000).fill('a')
    ${AGAIN}
    async function consume () {
      await text(Readable.from(chunks))
    }
    void async function () {
      await sleep(500)
      await again(consume, ({ frame, calledFrom }) => frame === null && calledFrom !== null)
      const found = (await agent.blocks()).filter(({ startup }) => !startup)
      console.log(JSON.stringify(found.map(({ frame, calledFrom }) => [frame, calledFrom?.function ?? null])))
      await agent.stop()
    }()`]).closed
  assert.match(stdout, /\[null,"consume"\]/, stderr)
})
