'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { Json, isRecording, packRecording, parseRecording, readRecording } = require('../../../lib/store/recording')
const { makeDir } = require('../../support/files')
const { makeRecord } = require('../../support/record')

/** @param {Record<string, () => unknown>} [differences] */
const parts = (differences = {}) => ({
  recordedAt: () => '2026-11-21T10:00:00.000Z',
  versions: () => ({ loopwatch: '0.1.0', platform: 'linux' }),
  process: () => ({ pid: 4242 }),
  settings: () => ({ threshold: 50 }),
  page: () => ({ hello: { blocks: [], seconds: [], waits: [], labels: {} }, state: { ongoing: [] } }),
  blocks: () => [makeRecord({}), makeRecord({ id: '4242-2' })],
  details: async () => ({}),
  profile: () => new Json('{"nodes":[]}'),
  timeline: () => new Json('{"traceEvents":[]}'),
  metrics: () => 'loopwatch_build_info 1\n',
  ...differences
})

/** @param {string} text */
const hideNothing = (text) => text

/** @param {RegExp} message */
const refused = (message) => (/** @type {any} */ error) => {
  assert.equal(error.code, 'LOOPWATCH_ERR_RECORDING')
  assert.match(error.message, message)
  return true
}

/** @param {unknown} value */
const zipped = (value) => zlib.gzipSync(JSON.stringify(value))

test('what was packed is read again, whatever its size, letters and number of pieces', async () => {
  const blocks = Array.from({ length: 400 }, (_, i) => makeRecord({ id: `4242-${i}`, allowed: 'ü🙂'.repeat(700) }))
  const recording = parseRecording(await packRecording(parts({ blocks: () => blocks }), hideNothing), 'x')
  assert.deepEqual(recording.blocks, blocks)
  assert.deepEqual([recording.process, recording.profile, recording.metrics], [{ pid: 4242 }, { nodes: [] }, 'loopwatch_build_info 1\n'])
})

test('secrets are taken out of every text', async () => {
  const bytes = await packRecording(parts({ details: () => ({ a: { source: { lines: [{ text: "token: 'hunter2'" }] } } }) }), (text) => text.replaceAll('hunter2', '-'))
  assert.ok(!zlib.gunzipSync(bytes).toString().includes('hunter2'))
})

test('a file that is not a recording, cut short, damaged, newer or a bomb is a coded error that says so', async () => {
  const metrics = Array.from({ length: 50000 }, (_, i) => i * 7919 % 10007).join()
  const bytes = await packRecording(parts({ metrics: () => metrics }), hideNothing)
  const whole = JSON.parse(zlib.gunzipSync(bytes).toString())
  assert.throws(() => parseRecording(Buffer.from('{"id":1}\n'), 'a.ndjson'), refused(/^a\.ndjson is not a readable recording.*not written by loopwatch/))
  assert.throws(() => parseRecording(Buffer.alloc(0), 'x'), refused(/not written by loopwatch/))
  for (const share of [0.01, 0.3, 0.6, 0.99]) {
    assert.throws(() => parseRecording(bytes.subarray(0, Math.floor(bytes.length * share)), 'x'), refused(/cut short or damaged/), `${share}`)
  }
  // The first of several members alone, which unpacks without an error.
  const first = bytes.subarray(0, bytes.indexOf(Buffer.from([0x1f, 0x8b, 8]), 3))
  assert.ok(first.length > 100 && first.length < bytes.length)
  assert.throws(() => parseRecording(first, 'x'), refused(/cut short or damaged/))
  const flipped = Buffer.from(bytes)
  flipped[200] ^= 0xff
  assert.throws(() => parseRecording(flipped, 'x'), refused(/cut short or damaged/))

  assert.throws(() => parseRecording(zlib.gzipSync('hello'), 'x'), refused(/another kind of compressed file/))
  const others = [{}, null, [], 5, { format: 'loopwatch recording' }, { ...whole, formatVersion: 'one' }]
  for (const other of others) {
    assert.throws(() => parseRecording(zipped(other), 'x'), refused(/another kind of compressed file/))
  }
  assert.throws(() => parseRecording(zipped({ ...whole, formatVersion: 2, versions: { loopwatch: '9.0.0' } }), 'x'), refused(/newer version of loopwatch \(9\.0\.0\): update/))
  for (const name of ['recordedAt', 'versions', 'process', 'settings', 'page', 'blocks', 'details', 'profile', 'timeline', 'metrics']) {
    assert.throws(() => parseRecording(zipped({ ...whole, [name]: undefined }), 'x'), refused(/missing or damaged/), name)
  }
  assert.throws(() => parseRecording(zlib.gzipSync(Buffer.alloc(1024 * 1024)), 'x', 512 * 1024), refused(/unpacks to more than 0\.5 MB/))
})

test('an invalid record is skipped, and a later version may add parts', () => {
  const file = { ...JSON.parse('{"format":"loopwatch recording","formatVersion":1}'), more: true }
  for (const [name, make] of Object.entries(parts())) file[name] = make()
  file.blocks.push({ id: 5 })
  Object.assign(file, { details: {}, profile: {}, timeline: {} })
  assert.deepEqual(parseRecording(zipped(file), 'x').blocks.map(({ id }) => id), ['4242-1', '4242-2'])
})

test('a recording is recognized by its first bytes, and a missing one is a coded error', (t) => {
  const dir = makeDir(t)
  const [zip, text, empty] = ['zip', 'text', 'empty'].map((name) => path.join(dir, name))
  fs.writeFileSync(zip, zipped({}))
  fs.writeFileSync(text, '{}')
  fs.writeFileSync(empty, '')
  assert.deepEqual([zip, text, empty, dir, path.join(dir, 'none')].map(isRecording), [true, false, false, false, false])
  assert.throws(() => readRecording(path.join(dir, 'none')), { code: 'LOOPWATCH_ERR_SOURCE' })
  assert.throws(() => readRecording(dir), { code: 'LOOPWATCH_ERR_SOURCE', message: /: it is a folder, not a file$/ })
})

test('a file beyond 64 MB is not even read', (t) => {
  const file = path.join(makeDir(t), 'large')
  fs.writeFileSync(file, '')
  fs.truncateSync(file, 65 * 1024 * 1024)
  assert.throws(() => readRecording(file), refused(/larger than 64 MB/))
})
