'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { BlockReader } = require('../../../lib/store/block-reader')
const { makeDir } = require('../../support/files')
const { makeRecord } = require('../../support/record')

/** @param {string} id @param {object} [differences] */
const line = (id, differences) => `${JSON.stringify(makeRecord({ id, ...differences }))}\n`

/** A reader of a folder, and how many bytes it has read of which file. @param {import('node:test').TestContext} t */
function open (t, keptBytes = 1e6) {
  const dir = makeDir(t)
  /** @type {string[]} */
  let read = []
  const { readFileSync, readSync } = fs
  t.mock.method(fs, 'readFileSync', (/** @type {string} */ file) => {
    read.push(path.basename(file))
    return readFileSync(file)
  })
  t.mock.method(fs, 'readSync', (/** @type {any[]} */ ...args) => {
    // readFileSync() calls it too, from the begin on.
    if (args[4] > 0) read.push(`${args[1].byteLength} bytes`)
    return Reflect.apply(readSync, fs, args)
  })
  const reader = new BlockReader(dir, keptBytes)
  return {
    file: (/** @type {string} */ name) => path.join(dir, name),
    /** What it knows, and what it read for that. */
    ask: () => {
      read = []
      const { records, broken } = reader.read()
      return { ids: records.map(({ id, ongoing }) => `${id}${ongoing ? ' so far' : ''}`).join(), broken, read }
    }
  }
}

test('a second question reads no file that has not changed, and of one that has grown the new lines alone', (t) => {
  const { file, ask } = open(t)
  fs.writeFileSync(file('blocks-1-1.old.ndjson'), line('1-1'))
  fs.writeFileSync(file('blocks-1-1.ndjson'), line('1-2', { ongoing: true }))
  assert.deepEqual(ask(), { ids: '1-1,1-2 so far', broken: 0, read: ['blocks-1-1.old.ndjson', 'blocks-1-1.ndjson'] })
  assert.deepEqual(ask(), { ids: '1-1,1-2 so far', broken: 0, read: [] })
  const more = `${line('1-2')}no record\n${line('1-3', { frame: { ...makeRecord().frame, function: 'größer' } })}`
  fs.appendFileSync(file('blocks-1-1.ndjson'), more)
  assert.deepEqual(ask(), { ids: '1-1,1-2,1-3', broken: 1, read: [`${Buffer.byteLength(more)} bytes`] })
  assert.deepEqual(ask(), { ids: '1-1,1-2,1-3', broken: 1, read: [] })
  fs.writeFileSync(file('blocks-2-1.ndjson'), line('2-1'))
  assert.deepEqual(ask(), { ids: '2-1,1-1,1-2,1-3', broken: 1, read: ['blocks-2-1.ndjson'] })
  fs.rmSync(file('blocks-1-1.ndjson'))
  assert.deepEqual(ask(), { ids: '2-1,1-1', broken: 0, read: [] })
})

test('a line that is half written counts as broken until it is whole, whatever bytes were before it', (t) => {
  const { file, ask } = open(t)
  const whole = line('1-2')
  fs.writeFileSync(file('a.ndjson'), Buffer.concat([Buffer.from(line('1-1')), Buffer.from([0xff, 0xfe, 10]), Buffer.from(whole.slice(0, 40))]))
  assert.deepEqual(ask(), { ids: '1-1', broken: 2, read: ['a.ndjson'] })
  assert.deepEqual(ask(), { ids: '1-1', broken: 2, read: [] })
  fs.appendFileSync(file('a.ndjson'), whole.slice(40, -1))
  assert.deepEqual([ask().ids, ask().broken], ['1-1,1-2', 1], 'its end alone is missing')
  fs.appendFileSync(file('a.ndjson'), `\n${line('1-3')}`)
  assert.deepEqual([ask().ids, ask().broken], ['1-1,1-2,1-3', 1])
})

test('a file that was turned over, replaced or written over is another one', (t) => {
  const { file, ask } = open(t)
  fs.writeFileSync(file('a.ndjson'), line('1-1'))
  ask()
  fs.renameSync(file('a.ndjson'), file('a.old.ndjson'))
  fs.writeFileSync(file('a.ndjson'), line('1-2') + line('1-3') + line('1-4'))
  assert.equal(ask().ids, '1-1,1-2,1-3,1-4')
  fs.writeFileSync(file('b.ndjson'), line('2-1') + line('2-2'))
  fs.renameSync(file('b.ndjson'), file('a.old.ndjson'))
  assert.equal(ask().ids, '2-1,2-2,1-2,1-3,1-4')
  fs.writeFileSync(file('a.ndjson'), line('1-5'))
  assert.equal(ask().ids, '2-1,2-2,1-5', 'shorter')
  fs.writeFileSync(file('a.ndjson'), line('1-6'))
  fs.utimesSync(file('a.ndjson'), 9, 9)
  assert.equal(ask().ids, '2-1,2-2,1-6', 'as long')
})

test('what is kept is bounded: files beyond it are read each time', (t) => {
  const bytes = Buffer.byteLength(line('1-1'))
  const { file, ask } = open(t, 2.5 * bytes)
  for (const name of ['a', 'b', 'c']) fs.writeFileSync(file(`${name}.ndjson`), line('1-1'))
  ask()
  assert.deepEqual(ask().read, ['a.ndjson'])
  fs.appendFileSync(file('b.ndjson'), line('1-2'))
  ask()
  assert.deepEqual(ask().read, ['b.ndjson'], 'now a fits, and b does not')
})

test('a file that is not regular, or larger than a file of records can be, is skipped with the reason', { skip: process.platform === 'win32' }, (t) => {
  const dir = makeDir(t)
  fs.symlinkSync('/dev/zero', path.join(dir, 'blocks-1-1.ndjson'))
  fs.writeFileSync(path.join(dir, 'blocks-2-1.ndjson'), '')
  fs.truncateSync(path.join(dir, 'blocks-2-1.ndjson'), 200e6)
  fs.writeFileSync(path.join(dir, 'blocks-3-1.ndjson'), line('3-1'))
  const { records, unread } = new BlockReader(dir).read()
  assert.deepEqual(records.map(({ id }) => id), ['3-1'])
  assert.deepEqual(unread.map(({ reason }) => reason).sort(), ['it is larger than 72 MB', 'it is not a regular file'])
})
