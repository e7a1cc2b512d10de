'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
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

test('timelines count with the records they belong to, and are deleted with them', (t) => {
  const dir = makeDir(t)
  const write = (/** @type {string} */ name, /** @type {number} */ ageS) => {
    fs.writeFileSync(path.join(dir, name), 'x'.repeat(100))
    fs.utimesSync(path.join(dir, name), 1e9 - ageS, 1e9 - ageS)
  }
  for (let i = 1; i <= 3; i++) {
    // The last one's process died in a block.
    write(`blocks-999999999-${i}${i === 3 ? '.unended' : ''}.ndjson`, 100 - i)
    write(`blocks-999999999-${i}.timeline-999999999-1.json.gz`, 100 - i)
  }
  const orphans = ['blocks-999999999-9.timeline-999999999-1.json.gz', 'mine.timeline-1.json.gz']
  for (const name of orphans) write(name, 1)
  // Its process was killed while it wrote this.
  write('blocks-999999999-9.timeline-999999999-2.json.gz.part', 1)
  write(`blocks-${process.ppid}-1.timeline-1-1.json.gz`, 1)
  prune(dir, { own: 'none', bytes: 450 })
  assert.deepEqual(fs.readdirSync(dir).sort(), [
    `blocks-${process.ppid}-1.timeline-1-1.json.gz`, orphans[1],
    'blocks-999999999-2.ndjson', 'blocks-999999999-3.unended.ndjson',
    ...[2, 3].map((i) => `blocks-999999999-${i}.timeline-999999999-1.json.gz`)
  ].sort())
})

test('the latest timelines of a process are kept, by number; those of the older generation go with it', (t) => {
  const { file, dir } = makeFile(t, { fileBytes: 1000 })
  file.append(makeRecord({}))
  const timelines = () => fs.readdirSync(dir).filter((name) => name.endsWith('.json.gz'))
  for (let i = 0; i < 25; i++) file.keepTimeline({ id: `4242-${i}`, text: '{}' })
  assert.equal(timelines().length, 20)
  assert.ok(fs.readdirSync(dir).every((name) => !name.endsWith('.part')))
  const [name] = timelines()
  assert.equal(zlib.gunzipSync(fs.readFileSync(path.join(dir, name))).toString(), '{}')
  if (process.platform !== 'win32') assert.equal(fs.statSync(path.join(dir, name)).mode & 0o007, 0)
  for (let i = 0; i < 4; i++) file.append(makeRecord({}))
  assert.equal(timelines().length, 0, 'a generation that was full was followed by another')
})

test('a process that begins a file deletes what too many before it have left', (t) => {
  const dir = makeDir(t)
  for (let i = 1; i <= 60; i++) {
    const name = path.join(dir, `blocks-999999999-${i}.ndjson`)
    fs.writeFileSync(name, '')
    fs.utimesSync(name, 1e9, 1e9)
  }
  const { file } = makeFile(t, { dir })
  file.append(makeRecord({}))
  assert.equal(fs.readdirSync(dir).length, 51)
})

test('files that were touched just now stay, with their older generation: their processes may be in containers that cannot be seen from here', (t) => {
  const dir = makeDir(t)
  const nowS = Date.now() / 1000
  const write = (/** @type {string} */ name, /** @type {number} */ touchedS) => {
    fs.writeFileSync(path.join(dir, name), 'x')
    // Nothing has blocked for an hour.
    fs.utimesSync(path.join(dir, name), nowS - touchedS, nowS - 3600)
  }
  for (let i = 1; i <= 6; i++) write(`blocks-999999999-${i}.ndjson`, i <= 3 ? 600 : 60)
  write('blocks-999999999-6.old.ndjson', 3600)
  prune(dir, { own: 'none', files: 1 })
  assert.deepEqual(fs.readdirSync(dir).filter((name) => /-[456]\./.test(name)).length, 4)
  assert.ok(fs.readdirSync(dir).length <= 5)
})

test('a process marks its file without a change that readers see', (t) => {
  const { file, dir } = makeFile(t, {})
  file.append(makeRecord({}))
  const [name] = fs.readdirSync(dir)
  const stat = () => fs.statSync(path.join(dir, name))
  fs.utimesSync(path.join(dir, name), 1e9, 1e9)
  file.touch()
  assert.ok(Date.now() - stat().atimeMs < 60_000)
  assert.equal(stat().mtimeMs, 1e12)
})
