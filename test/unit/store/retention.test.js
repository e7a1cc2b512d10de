'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { BlockFile } = require('../../../lib/store/block-file')
const { prune } = require('../../../lib/store/retention')
const { makeDir } = require('../../support/files')
const { makeRecord } = require('../../support/record')

/**
 * A file of blocks in a folder of its own, on a clock that stands until it is set.
 * @param {import('node:test').TestContext} t
 * @param {{ dir?: string, fileBytes?: number }} [parts]
 */
function makeFile (t, { dir = makeDir(t), fileBytes } = {}) {
  const clock = { nowMs: 1000 }
  /** @type {(Error | null)[]} */
  const states = []
  const file = new BlockFile({ dir, name: 'blocks-1', nowMs: () => clock.nowMs, onState: (error) => states.push(error), fileBytes })
  t.after(() => file.close())
  return { dir, file, clock, states, path: path.join(dir, 'blocks-1.ndjson') }
}

test('of ended processes the latest files are kept, by number and size; of living ones, and what is not ours, all', (t) => {
  const dir = makeDir(t)
  // No process has this number: it is above what Linux gives.
  const write = (/** @type {string} */ name, /** @type {number} */ ageS) => {
    fs.writeFileSync(path.join(dir, name), 'x'.repeat(100))
    fs.utimesSync(path.join(dir, name), 1e9 - ageS, 1e9 - ageS)
  }
  for (let i = 1; i <= 6; i++) write(`blocks-999999999-${i}.ndjson`, 100 - i)
  for (const name of [`blocks-${process.ppid}-1.ndjson`, 'mine.ndjson', 'blocks-1.txt', `blocks-${process.pid}-2.ndjson`]) write(name, 1000)
  write(`blocks-${process.pid}-1.ndjson`, 2000)
  const own = `blocks-${process.pid}-2.ndjson`
  prune(dir, { own, files: 4 })
  const kept = [own, `blocks-${process.ppid}-1.ndjson`, 'mine.ndjson', 'blocks-1.txt']
  assert.deepEqual(fs.readdirSync(dir).sort(), [...kept, ...[3, 4, 5, 6].map((i) => `blocks-999999999-${i}.ndjson`)].sort())
  prune(dir, { own, bytes: 250 })
  assert.deepEqual(fs.readdirSync(dir).sort(), [...kept, ...[5, 6].map((i) => `blocks-999999999-${i}.ndjson`)].sort())
})

test('a process that begins a file deletes what too many before it have left', (t) => {
  const dir = makeDir(t)
  for (let i = 1; i <= 60; i++) fs.writeFileSync(path.join(dir, `blocks-999999999-${i}.ndjson`), '')
  const { file } = makeFile(t, { dir })
  file.append(makeRecord({}))
  assert.equal(fs.readdirSync(dir).length, 51)
})
