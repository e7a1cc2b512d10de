'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { sentenceOf } = require('../../../lib/util/sentence')
const { readBlocks } = require('../../../lib/store/block-file')
const { makeFile } = require('../../support/block-file')
const { makeDir, openFiles } = require('../../support/files')
const { makeRecord } = require('../../support/record')

test('blocks on disk are read back as they were, oldest first', (t) => {
  const { dir, file, states } = makeFile(t)
  const records = [3, 1, 2].map((second) => makeRecord({ id: `1-${second}`, startedAt: `2026-11-21T10:00:0${second}.000Z`, frame: { function: 'two\nlines 日本', file: '/a.js', line: 1, column: 1, exact: true } }))
  for (const record of records) file.append(record)
  assert.deepEqual(readBlocks(dir), { records: [records[1], records[2], records[0]], broken: 0, unread: [] })
  assert.ok(states.every((state) => state === null))
  assert.equal(file.takeLost(), 0)
})

test('a record is on disk when append() returns, for everybody who reads', (t) => {
  const { file, path } = makeFile(t)
  file.append(makeRecord())
  assert.deepEqual(JSON.parse(fs.readFileSync(path, 'utf8')), makeRecord())
})

test('a missing folder is made, and others may not read what is in it', (t) => {
  const dir = path.join(makeDir(t), 'not', 'yet', 'there')
  const { file, path: made, states } = makeFile(t, { dir })
  file.append(makeRecord())
  assert.deepEqual(states, [null])
  assert.equal(fs.statSync(made).mode & 0o007, 0)
  assert.equal(readBlocks(dir).records.length, 1)
})

test('a block recorded in progress is replaced by its end, or stays if it never ended', (t) => {
  const { dir, file } = makeFile(t)
  file.append(makeRecord({ id: '1-1', ongoing: true, durationMs: 50 }))
  file.append(makeRecord({ id: '1-1', durationMs: 300 }))
  file.append(makeRecord({ id: '1-2', startedAt: '2026-11-21T11:00:00.000Z', ongoing: true, durationMs: 50 }))
  file.append(makeRecord({ id: '1-2', startedAt: '2026-11-21T11:00:00.000Z', ongoing: true, durationMs: 5000 }))
  const { records } = readBlocks(dir)
  assert.deepEqual(records.map(({ id, ongoing, durationMs }) => ({ id, ongoing, durationMs })),
    [{ id: '1-1', ongoing: false, durationMs: 300 }, { id: '1-2', ongoing: true, durationMs: 5000 }])
})

test('blocks of two processes with the same number are two blocks', (t) => {
  const { dir, file } = makeFile(t)
  file.append(makeRecord())
  fs.copyFileSync(path.join(dir, 'blocks-1.ndjson'), path.join(dir, 'blocks-2.ndjson'))
  fs.writeFileSync(path.join(dir, 'notes.txt'), 'not ours')
  assert.equal(readBlocks(dir).records.length, 2)
})

test('a line that was cut short is passed over and counted, and does not swallow the next record', (t) => {
  const dir = makeDir(t)
  const whole = makeFile(t, { dir })
  whole.file.append(makeRecord({ id: '1-1' }))
  whole.file.append(makeRecord({ id: '1-2' }))
  whole.file.close()
  fs.truncateSync(whole.path, fs.statSync(whole.path).size - 20)
  assert.deepEqual(readBlocks(dir), { records: [makeRecord({ id: '1-1' })], broken: 1, unread: [] })
  makeFile(t, { dir }).file.append(makeRecord({ id: '1-3' }))
  const { records, broken } = readBlocks(dir)
  assert.deepEqual(records.map(({ id }) => id).sort(), ['1-1', '1-3'])
  assert.equal(broken, 1)
})

test('where the folder is a file, the state says why, records are counted as lost, and after five seconds it is tried again', (t) => {
  const dir = path.join(makeDir(t), 'taken')
  fs.writeFileSync(dir, '')
  const { file, clock, states } = makeFile(t, { dir })
  assert.match(String(states), /^Error: EEXIST[^,]*,[^,]*$/, 'before there is any record')
  file.append(makeRecord({ id: '1-1' }))
  assert.equal(states.length, 2)
  assert.match(String(states[1]), /EEXIST/)
  fs.rmSync(dir)
  clock.nowMs += 4999
  file.append(makeRecord({ id: '1-2' }))
  assert.equal(states.length, 2, 'tried before its time')
  assert.equal(fs.existsSync(dir), false)
  clock.nowMs += 1
  file.append(makeRecord({ id: '1-3' }))
  assert.deepEqual(states.slice(2), [null])
  assert.deepEqual(readBlocks(dir).records.map(({ id }) => id), ['1-3'])
  assert.equal(file.takeLost(), 2)
  assert.equal(file.takeLost(), 0, 'a loss is counted once')
})

test('where the folder, or the file in it, is deleted or replaced, it is made again within five seconds, and what went with it is counted', { skip: process.platform === 'win32' && 'open files stay' }, (t) => {
  const dir = path.join(makeDir(t), 'blocks')
  const { file, clock, states, path: made } = makeFile(t, { dir })
  const ids = () => readBlocks(dir).records.map(({ id }) => id)
  const before = openFiles()
  file.append(makeRecord({ id: '1-1' }))
  fs.rmSync(dir, { recursive: true })
  clock.nowMs += 4999
  file.append(makeRecord({ id: '1-2' }))
  assert.equal(fs.existsSync(dir), false, 'looked before its time')
  clock.nowMs += 1
  file.append(makeRecord({ id: '1-3' }))
  assert.deepEqual([ids(), file.takeLost()], [['1-3'], 2])

  fs.renameSync(made, `${made}.moved`)
  clock.nowMs += 5000
  file.append(makeRecord({ id: '1-4' }))
  assert.deepEqual([ids(), file.takeLost()], [['1-4'], 0])
  fs.rmSync(made)
  fs.writeFileSync(made, '')
  clock.nowMs += 5000
  file.append(makeRecord({ id: '1-5' }))
  clock.nowMs += 5000
  file.append(makeRecord({ id: '1-6' }))
  assert.deepEqual(ids(), ['1-5', '1-6'])
  assert.ok(states.every((state) => state === null))
  assert.equal(openFiles(), before + 1)
})

test('where the folder is deleted and cannot be made again, the state says so until it can', { skip: process.platform === 'win32' && 'open files stay' }, (t) => {
  const dir = path.join(makeDir(t), 'blocks')
  const { file, clock, states } = makeFile(t, { dir })
  file.append(makeRecord({ id: '1-1' }))
  fs.rmSync(dir, { recursive: true })
  fs.writeFileSync(dir, 'a file in its place')
  clock.nowMs += 5000
  file.append(makeRecord({ id: '1-2' }))
  assert.match(String(states.at(-1)), /EEXIST|ENOTDIR/)
  fs.rmSync(dir)
  clock.nowMs += 5000
  file.append(makeRecord({ id: '1-3' }))
  assert.equal(states.at(-1), null)
  assert.deepEqual(readBlocks(dir).records.map(({ id }) => id), ['1-3'])
  assert.equal(file.takeLost(), 2)
})

test('on a full disk nothing throws, the state says so, and no file stays open', { skip: !fs.existsSync('/dev/full') && 'no /dev/full' }, (t) => {
  const { file, clock, states, path } = makeFile(t)
  fs.symlinkSync('/dev/full', path)
  const before = openFiles()
  for (let i = 0; i < 10; i++) {
    file.append(makeRecord())
    clock.nowMs += 5000
  }
  assert.equal(openFiles(), before)
  assert.equal(states.length, 10)
  for (const state of states) assert.equal(/** @type {any} */ (state)?.code, 'ENOSPC')
  assert.equal(file.takeLost(), 10)
  fs.rmSync(path)
  file.append(makeRecord())
  assert.equal(states.at(-1), null)
  assert.equal(file.takeLost(), 0)
})

test('a full file becomes the older generation, so that at most two are on disk and the latest blocks in them', (t) => {
  const lineBytes = JSON.stringify(makeRecord({ id: '1-100' })).length + 1
  const { dir, file } = makeFile(t, { fileBytes: lineBytes * 10 })
  for (let i = 100; i < 155; i++) {
    file.append(makeRecord({ id: `1-${i}` }))
    const bytes = fs.readdirSync(dir).reduce((total, name) => total + fs.statSync(path.join(dir, name)).size, 0)
    assert.ok(bytes <= lineBytes * 20, `${bytes} bytes`)
  }
  assert.deepEqual(fs.readdirSync(dir).sort(), ['blocks-1.ndjson', 'blocks-1.old.ndjson'])
  const { records, broken } = readBlocks(dir)
  assert.deepEqual(records.map(({ id }) => id).sort(), Array.from({ length: 15 }, (_, i) => `1-${140 + i}`))
  assert.equal(broken, 0)
})

test('a record whose file cannot become the older generation is on disk all the same, and not counted as lost', (t) => {
  const made = makeFile(t, { fileBytes: 1 })
  const older = path.join(made.dir, 'blocks-1.old.ndjson')
  fs.mkdirSync(path.join(older, 'in-the-way'), { recursive: true })
  made.file.append(makeRecord({ id: '1-1' }))
  assert.equal(made.file.takeLost(), 0)
  assert.ok(made.states.at(-1))
  fs.rmSync(older, { recursive: true })
  made.clock.nowMs += 5001
  made.file.append(makeRecord({ id: '1-2' }))
  assert.equal(made.file.takeLost(), 0)
  assert.equal(made.states.at(-1), null)
  assert.deepEqual(readBlocks(made.dir).records.map(({ id }) => id), ['1-1', '1-2'])
})

test('the last record of a block that lasted over the change of generations counts', (t) => {
  for (const last of [makeRecord({ durationMs: 900 }), makeRecord({ ongoing: true, durationMs: 900 })]) {
    const { dir, file } = makeFile(t, { fileBytes: 1 })
    file.append(makeRecord({ ongoing: true, durationMs: 50 }))
    fs.writeFileSync(path.join(dir, 'blocks-1.ndjson'), `${JSON.stringify(last)}\n`)
    assert.deepEqual(readBlocks(dir).records, [last])
  }
})

test('a file that grew before this process opened it is turned over by its size', (t) => {
  const { dir, file, path: made } = makeFile(t, { fileBytes: 5000 })
  fs.writeFileSync(made, '{}\n'.repeat(2000))
  file.append(makeRecord())
  assert.deepEqual(fs.readdirSync(dir), ['blocks-1.old.ndjson'])
})

test('a line that is not a record is skipped and counted, and none can control the terminal', (t) => {
  const dir = makeDir(t)
  const lines = [
    makeRecord({ id: '1-1', cause: /** @type {any} */ ('later') }),
    null,
    5,
    {},
    { ...makeRecord({}), frame: 7 },
    { ...makeRecord({}), cause: undefined },
    { ...makeRecord({}), origin: {} },
    { ...makeRecord({}), frame: { function: { toString: 1 } } },
    { ...makeRecord({}), request: { method: [{ toString: 1 }] } },
    { ...makeRecord({}), profile: { call: { toString: 1 } } }
  ]
  fs.writeFileSync(path.join(dir, 'blocks-1-1.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const { records, broken } = readBlocks(dir)
  assert.deepEqual([records.length, broken], [1, 9])
  assert.match(sentenceOf(records[0]), /\(later\)$/)
  assert.match(sentenceOf({ ...records[0], cause: /** @type {any} */ ('constructor') }), /\(constructor\)$/)
  const text = sentenceOf(makeRecord({ thread: 'a\u001b[2Jb\u009bc\nd', threadId: 3 }))
  assert.match(text, /a\uFFFD\[2Jb\uFFFDc\uFFFDd/)
})

test('a file that cannot be read hides none of the others', (t) => {
  const dir = makeDir(t)
  makeFile(t, { dir }).file.append(makeRecord({}))
  fs.mkdirSync(path.join(dir, 'folder.ndjson'))
  fs.symlinkSync(path.join(dir, 'pruned'), path.join(dir, 'gone.ndjson'))
  const { records, unread } = readBlocks(dir)
  assert.deepEqual(records, [makeRecord({})])
  assert.deepEqual(unread.map(({ file, reason }) => `${file} ${reason.split(':')[0]}`), ['gone.ndjson ENOENT', 'folder.ndjson it is not a regular file'])
})
