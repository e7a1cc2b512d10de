'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { makeDir } = require('../../../support/files')
const { makeDestination } = require('../../../support/lib/log-destination')

test('a file takes lines behind those it has, and others may not read it', (t) => {
  const file = path.join(makeDir(t), 'app.log')
  for (const line of ['one\n', 'two 日本\n']) {
    const { destination, states } = makeDestination(t, file)
    destination.write(line)
    destination.close()
    destination.write('after its end\n')
    assert.equal(destination.dropped, 1)
    assert.deepEqual(states, [])
  }
  assert.equal(fs.readFileSync(file, 'utf8'), 'one\ntwo 日本\n')
  assert.equal(fs.statSync(file).mode & 0o007, 0)
})

test('a file that is moved or deleted is begun anew within five seconds, and lines that went with it are counted', (t) => {
  const file = path.join(makeDir(t), 'app.log')
  const read = (/** @type {string} */ name) => fs.readFileSync(name, 'utf8')
  let atMs = 0
  const { destination, states } = makeDestination(t, file, () => atMs)
  destination.write('1\n')
  fs.renameSync(file, `${file}.1`)
  destination.write('2\n')
  assert.equal(read(`${file}.1`), '1\n2\n')
  atMs += 5000
  destination.write('3\n')
  assert.deepEqual([read(`${file}.1`), read(file), destination.dropped], ['1\n2\n', '3\n', 0])

  fs.rmSync(file)
  destination.write('4\n')
  atMs += 4999
  destination.write('5\n')
  assert.ok(!fs.existsSync(file))
  atMs += 1
  destination.write('6\n')
  assert.equal(read(file), '6\n')
  assert.equal(destination.dropped, 3, 'the third, fourth and fifth')
  assert.deepEqual(states, [])
})

test('a file that cannot be written is reported once, lines are counted as dropped, and nothing is thrown', (t) => {
  const dir = makeDir(t)
  fs.symlinkSync('/dev/full', path.join(dir, 'full'))
  for (const [target, code] of [[dir, 'EISDIR'], [path.join(dir, 'missing', 'app.log'), 'ENOENT'], [path.join(dir, 'full'), 'ENOSPC']]) {
    const { destination, states } = makeDestination(t, target)
    for (let i = 0; i < 10; i++) destination.write('line\n')
    assert.deepEqual(states.map((error) => error.code), [code])
    assert.equal(destination.dropped, 10)
  }
})
