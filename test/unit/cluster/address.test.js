'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { addressOf, checkFolder, prepareFolder, sweepFolder } = require('../../../lib/cluster/address')

test('the folder of the sockets is this user\'s alone', (t) => {
  const tmpdir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-test-'))
  t.after(() => fs.rmSync(tmpdir, { recursive: true }))
  const address = addressOf({ tmpdir, pid: 4242 })
  const folder = path.dirname(address)
  assert.equal(/** @type {any} */ (checkFolder(address))?.code, 'ENOENT')
  assert.equal(prepareFolder(address), null)
  assert.equal(fs.statSync(folder).mode & 0o777, 0o700)
  fs.chmodSync(folder, 0o701)
  assert.match(`${prepareFolder(address)}`, /open to other users \(mode 701/)
  fs.chmodSync(folder, 0o700)
  if (process.getuid?.() === 0) {
    fs.chownSync(folder, 12345, 0)
    assert.match(`${prepareFolder(address)}`, /belongs to another user/)
  }
  fs.rmdirSync(folder)
  fs.symlinkSync(os.tmpdir(), folder)
  assert.match(`${prepareFolder(address)}`, /is not a folder/)
  fs.unlinkSync(folder)
  assert.match(`${prepareFolder(addressOf({ tmpdir: path.join(tmpdir, 'x'.repeat(100)), pid: 1 }))}`, /ENOENT|too long/)
})

test('sockets of ended processes and of an earlier watchdog are removed, those of other processes are not', (t) => {
  const tmpdir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-test-'))
  t.after(() => fs.rmSync(tmpdir, { recursive: true }))
  const mine = addressOf({ tmpdir, pid: process.pid })
  prepareFolder(mine)
  // Above the largest pid there can be.
  const dead = addressOf({ tmpdir, pid: 4194305 })
  const living = addressOf({ tmpdir, pid: process.ppid })
  const other = path.join(path.dirname(mine), '4194305-1.sock')
  for (const file of [mine, dead, living, other]) fs.writeFileSync(file, '')
  sweepFolder(mine)
  assert.deepEqual([mine, dead, living, other].map((file) => fs.existsSync(file)), [false, false, true, true])
})
