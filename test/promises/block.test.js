'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startApp } = require('../support/app')
const { ownCauseOf } = require('../../lib/tables/causes')

const FILE = path.join(__dirname, '..', '..', 'scenarios', 'bakeoff', 'corpus', 'blocks.js')
const SOURCE = fs.readFileSync(FILE, 'utf8').split('\n')

/** Lines of the corpus that a detector may name for a block. @param {string} name */
const linesOf = (name) => SOURCE.flatMap((text, i) => new RegExp(`// here:.*\\b${name}\\b`).test(text) ? [i + 1] : [])

test('a block is logged while it lasts, with its line, its request and its cause', async (t) => {
  const app = await startApp(t)
  const answered = app.get('/spin?ms=2500')
  // On a busy machine the first line may be of the time that it waited for a CPU; another follows each second.
  const told = await app.line(({ event, request }) => /^(opened|lasting)$/.test(event) && request?.route === '/spin', 'the block to be told')
  assert.ok(told.durationMs < 2500, `told after ${told.durationMs} ms`)
  await answered
  const ended = await app.line(({ event, block }) => event === 'settled' && block === told.block, 'its end')
  assert.ok(ended.durationMs > 2400, `${ended.durationMs}`)
  assert.equal(ownCauseOf(ended), 'js', JSON.stringify(ended))
  assert.equal(ended.frame.function, 'spin')
  assert.ok(linesOf('spin').includes(ended.frame.line), `line ${ended.frame.line} of ${linesOf('spin')}`)
  assert.equal(`${ended.request.method} ${ended.request.route}`, 'GET /spin')
})

test('a synchronous call into Node.js has the cause native and the function that makes it', async (t) => {
  const app = await startApp(t)
  await app.get('/pbkdf2?ms=400')
  const ended = await app.line(({ event, request }) => event === 'settled' && request?.route === '/pbkdf2', 'the block')
  assert.deepEqual([ownCauseOf(ended), ended.frame.function], ['native', 'pbkdf2'], JSON.stringify(ended))
})
