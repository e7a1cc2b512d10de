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

/** The machine may take the CPU from a block. */
const TRIES = 5

/**
 * The line at the end of a block, and one before it, of which others had no large part.
 * @param {Awaited<ReturnType<typeof startApp>>} app @param {string} name @param {number} ms
 */
async function blockOf (app, name, ms) {
  for (let left = TRIES; ; left--) {
    const earlier = new Set(app.lines().map(({ block }) => block))
    const isOurs = (/** @type {any} */ { block, request }) => !earlier.has(block) && request?.route === `/${name}`
    await app.get(`/${name}?ms=${ms}`)
    const ended = await app.line((line) => line.event === 'settled' && isOurs(line), 'its end')
    const before = app.lines().find(({ event, block }) => /^(opened|lasting)$/.test(event) && block === ended.block)
    const isTaken = ended.frame === null || ended.evidence.runQueueMs > ended.durationMs / 4
    if (left === 1 || !isTaken) return { before, ended, isTaken }
  }
}

test('a block is logged while it is in progress, with its line, its request and its cause', async (t) => {
  const app = await startApp(t)
  const { before, ended, isTaken } = await blockOf(app, 'spin', 2500)
  assert.ok(before.durationMs < 2500, `logged after ${before.durationMs} ms`)
  assert.ok(before.time < ended.time - 500, JSON.stringify([before, ended]))
  assert.ok(ended.durationMs > 2400, `${ended.durationMs}`)
  const causes = isTaken ? ['js', 'starved'] : ['js']
  assert.ok(causes.includes(ownCauseOf(ended)), JSON.stringify(ended))
  assert.equal(ended.frame.function, 'spin')
  assert.ok(linesOf('spin').includes(ended.frame.line), `line ${ended.frame.line} of ${linesOf('spin')}`)
  assert.equal(`${ended.request.method} ${ended.request.route}`, 'GET /spin')
})

test('a synchronous call into Node.js has the cause native and the function that makes it', async (t) => {
  const app = await startApp(t)
  const { ended } = await blockOf(app, 'pbkdf2', 400)
  assert.deepEqual([ownCauseOf(ended), ended.frame.function], ['native', 'pbkdf2'], JSON.stringify(ended))
})
