'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { leavePrediction } = require('../../lib/store/what-if')
const { startApp, eventually } = require('../support/app')
const { makeDir } = require('../support/files')
const { makePrediction } = require('../support/prediction')

/** What /block answers of a block. @param {Awaited<ReturnType<typeof startApp>>} app @returns {Promise<any>} */
async function blockOf (app) {
  await app.get('/spin?ms=300')
  const record = await eventually(async () => {
    const blocks = /** @type {any[]} */ (await (await app.watchdog('/blocks')).json())
    return blocks.find(({ ongoing, startup, frame }) => !ongoing && !startup && frame?.function === 'spin')
  }, 'a block of spin')
  return (await app.watchdog(`/block?id=${record.id}`)).json()
}

/** What a page is told first. @param {Awaited<ReturnType<typeof startApp>>} app @returns {Promise<any>} */
async function helloOf (app) {
  const response = await app.watchdog('/events')
  let text = ''
  for await (const chunk of /** @type {any} */ (response.body)) {
    text += Buffer.from(chunk)
    if (text.includes('event: state')) break
  }
  return JSON.parse(/** @type {RegExpExecArray} */ (/^event: hello\ndata: (.*)$/m.exec(text))[1])
}

test('what diagnose left in `dir` comes with the blocks of its function, and to the page', { timeout: 60000 }, async (t) => {
  const dir = makeDir(t)
  const app = await startApp(t, { options: { dir } })
  const { block, whatIf } = await blockOf(app)
  assert.equal(whatIf, null)
  const { function: name, file } = block.frame
  leavePrediction(dir, makePrediction({ function: 'elsewhere' }))
  const prediction = makePrediction({ function: name, file })
  leavePrediction(dir, prediction)
  assert.deepEqual((await blockOf(app)).whatIf, prediction)
  assert.deepEqual((await helloOf(app)).whatIf.map((/** @type {any} */ each) => each.function), [name, 'elsewhere'])
  const again = await startApp(t, { options: { dir } })
  assert.deepEqual((await blockOf(again)).whatIf, prediction, 'one that starts later finds it')
})

test('a file that is none of ours is logged once, and blocks are answered all the same', { timeout: 60000 }, async (t) => {
  const dir = makeDir(t)
  const file = path.join(dir, 'what-if.json')
  fs.writeFileSync(file, '{"version":1,"predictions":[{"function":"<script>"}]}')
  const app = await startApp(t, { options: { dir } })
  assert.equal((await blockOf(app)).whatIf, null)
  assert.deepEqual((await helloOf(app)).whatIf, [])
  await app.line(({ event }) => event === 'what_if', 'a line about the file')
  const lines = app.lines().filter(({ event }) => event === 'what_if')
  assert.deepEqual(lines.map(({ level, msg }) => [level, msg]), [[40, `ignored ${file}: it has no predictions that can be told`]])
})
