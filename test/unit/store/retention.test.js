'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { prune } = require('../../../lib/store/retention')
const { makeFile } = require('../../support/block-file')
const { makeDir } = require('../../support/files')
const { makeRecord } = require('../../support/record')

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
