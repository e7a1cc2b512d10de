'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { readBlocks } = require('../../../lib/store/block-file')
const { takeUnended, lastBlockIn, QUIET_MS } = require('../../../lib/store/predecessors')
const { LIVING_MS } = require('../../../lib/store/retention')
const { startedAtMs } = require('../../../lib/util/processes')
const { makeDir } = require('../../support/files')
const { HEAP_PROFILE, makeRecord } = require('../../support/record')

/** Above what Linux gives a process. */
const GONE = 999999999
const DAY_MS = 24 * 60 * 60 * 1000

/** @param {object} [record] */
const line = (record) => `${JSON.stringify(makeRecord({ id: '1-1', ongoing: true, durationMs: 9800, ...record }))}\n`

/**
 * @param {string} dir
 * @param {{ pid?: number, namedAtMs?: number, text?: string, ageMs?: number }} file
 */
function write (dir, { pid = GONE, namedAtMs = Date.now(), text = line(), ageMs = QUIET_MS + 1000 }) {
  const file = path.join(dir, `blocks-${pid}-${namedAtMs}.ndjson`)
  fs.writeFileSync(file, text)
  const at = (Date.now() - ageMs) / 1000
  fs.utimesSync(file, at, at)
}

test('the last block of a process that is gone is reported once, and stays readable', (t) => {
  const dir = makeDir(t)
  write(dir, { text: line({ durationMs: 100 }) + line() })
  assert.deepEqual(takeUnended(dir).map(({ durationMs }) => durationMs), [9800])
  assert.deepEqual(takeUnended(dir), [])
  assert.deepEqual(readBlocks(dir).records.map(({ durationMs }) => durationMs), [9800])
})

test('a living process is left alone, unless its pid is another one\'s by now', (t) => {
  const dir = makeDir(t)
  write(dir, { pid: process.pid })
  assert.deepEqual(takeUnended(dir), [])
  write(dir, { pid: process.pid, namedAtMs: Date.now() - DAY_MS })
  assert.equal(takeUnended(dir).length, 1)
  if (process.platform !== 'linux') return
  write(dir, { pid: process.ppid })
  assert.deepEqual(takeUnended(dir), [])
  write(dir, { pid: process.ppid, namedAtMs: 1e12 })
  assert.equal(takeUnended(dir).length, 1)
})

test('a block file written just now, or a day ago, is not reported', (t) => {
  for (const [ageMs, count] of [[0, 0], [QUIET_MS + 500, 1], [DAY_MS + 1000, 0]]) {
    const dir = makeDir(t)
    write(dir, { ageMs })
    assert.equal(takeUnended(dir).length, count, `${ageMs}`)
  }
})

test('only a long block of the main thread that has no end counts, whatever else the file contains', () => {
  assert.equal(lastBlockIn(line({ ongoing: false })), null)
  assert.equal(lastBlockIn(line({ durationMs: 300 })), null)
  assert.equal(lastBlockIn(line({ threadId: 3 })), null)
  assert.equal(lastBlockIn(line() + line({ ongoing: false })), null)
  assert.equal(lastBlockIn(line() + line({ threadId: 3, ongoing: false }))?.durationMs, 9800)
  assert.equal(lastBlockIn(`cut off"}\nnonsense\n${line()}{"id":"1-1","ong`)?.durationMs, 9800)
  assert.equal(lastBlockIn(''), null)
})

test('a short block counts if the heap was full, as V8 ends such a process within a second', () => {
  const { evidence } = makeRecord()
  const text = line({ durationMs: 62, evidence: { ...evidence, memory: { heapProfile: HEAP_PROFILE } } })
  assert.equal(lastBlockIn(text)?.durationMs, 62)
  assert.equal(lastBlockIn(text.replace('"isHeapFull":true', '"isHeapFull":false')), null)
})

test('so does one of the last two blocks that has its end, as V8 often ends the process between two blocks', () => {
  const { evidence } = makeRecord()
  const full = line({ ongoing: false, durationMs: 140, evidence: { ...evidence, memory: { isHeapFull: true } } })
  const next = line({ id: '1-2', startedAt: '2026-11-21T10:00:02.000Z', durationMs: 51 })
  assert.equal(lastBlockIn(full, true)?.durationMs, 140)
  assert.equal(lastBlockIn(full, false), null)
  assert.equal(lastBlockIn(full + next, false)?.durationMs, 140)
  assert.equal(lastBlockIn(full + next + next.replace('"1-2"', '"1-3"').replace(':02.', ':03.'), true), null)
  assert.equal(lastBlockIn(full.replace('"isHeapFull":true', '"isHeapFull":false'), true), null)
})

test('a process that may live on elsewhere is not taken for one that ended with a full heap', (t) => {
  const { evidence } = makeRecord()
  const text = line({ ongoing: false, evidence: { ...evidence, memory: { isHeapFull: true } } })
  for (const [ageMs, count] of [[QUIET_MS + 500, 0], [LIVING_MS + 1000, 1]]) {
    const dir = makeDir(t)
    write(dir, { text, ageMs })
    assert.equal(takeUnended(dir).length, count, `${ageMs}`)
  }
})

test('the block before the last one may settle after that one began', () => {
  const before = { id: '1-0', startedAt: '2026-11-21T10:00:00.000Z' }
  assert.equal(lastBlockIn(line(before) + line() + line({ ...before, ongoing: false }))?.id, '1-1')
  assert.equal(lastBlockIn(line() + line({ ...before, ongoing: false }))?.id, '1-1')
  assert.equal(lastBlockIn(line(before) + line() + line({ ongoing: false })), null)
})

test('files that are none of ours, folders and broken files are passed over', (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'blocks-1.ndjson'), line())
  fs.mkdirSync(path.join(dir, `blocks-${GONE}-1.ndjson`))
  write(dir, { text: 'broken\n', namedAtMs: 2 })
  write(dir, { namedAtMs: 3 })
  const old = (Date.now() - QUIET_MS - 1000) / 1000
  fs.utimesSync(path.join(dir, `blocks-${GONE}-1.ndjson`), old, old)
  assert.equal(takeUnended(dir).length, 1)
  assert.deepEqual(takeUnended(path.join(dir, 'missing')), [])
})

test('the start of this process is known, and on Linux that of other processes', () => {
  const own = /** @type {number} */ (startedAtMs(process.pid))
  assert.ok(Math.abs(own - (Date.now() - process.uptime() * 1000)) < 50)
  assert.equal(startedAtMs(GONE), null)
  if (process.platform === 'linux') assert.ok(/** @type {number} */ (startedAtMs(process.ppid)) <= own + 50)
})
