'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { lockedDatabase } = require('../../../../lib/util/kernel/sqlite-lock')

/** The open files of a process, by descriptor. @type {Record<string, { inode: number, file: string }>} */
const OPEN = {
  3: { inode: 101, file: '/srv/app/orders.db' },
  4: { inode: 102, file: '/srv/app/orders.db-wal' },
  5: { inode: 103, file: '/srv/app/orders.db-shm' },
  6: { inode: 104, file: '/srv/app/users.db' },
  7: { inode: 105, file: 'socket:[105]' }
}

/** @param {import('node:test').TestContext} t @param {string[]} locks of the machine */
function lockedBy (t, locks) {
  const rows = locks.map((lock, i) => `${i + 1}: ${lock}\n`).join('')
  const openAt = (/** @type {unknown} */ file) => OPEN[`${`${file}`.split('/').at(-1)}`]
  const mocks = [
    t.mock.method(fs, 'readFileSync', (/** @type {unknown} */ file) =>
      file === '/proc/locks' ? rows : `pos:\t0\nflags:\t02\nmnt_id:\t26\nino:\t${openAt(file).inode}\n`),
    t.mock.method(fs, 'readdirSync', () => Object.keys(OPEN)),
    t.mock.method(fs, 'readlinkSync', (/** @type {unknown} */ file) => openAt(file).file)
  ]
  try {
    return lockedDatabase('/proc/self')
  } finally {
    for (const { mock } of mocks) mock.restore()
  }
}

test('a database is locked while a connection has its bytes for writing', (t) => {
  assert.equal(lockedBy(t, ['POSIX  ADVISORY  WRITE 4711 fe:00:101 1073741825 1073741825']), '/srv/app/orders.db')
  assert.equal(lockedBy(t, ['POSIX  ADVISORY  WRITE 4711 fe:00:101 1073741826 1073742335']), '/srv/app/orders.db')
})

test('a database in WAL mode is locked by its shared memory', (t) => {
  const locks = ['POSIX  ADVISORY  WRITE 4711 fe:00:103 120 120', 'POSIX  ADVISORY  READ 4711 fe:00:103 128 128']
  assert.equal(lockedBy(t, locks), '/srv/app/orders.db')
})

test('two locked databases are both named', (t) => {
  const locks = ['104 1073741825 1073741825', '101 1073741824 1073741824'].map((lock) => `POSIX  ADVISORY  WRITE 4711 fe:00:${lock}`)
  assert.equal(lockedBy(t, locks), '/srv/app/orders.db or /srv/app/users.db')
})

test('readers, locks of other programs and databases of other processes do not count', (t) => {
  for (const lock of [
    'POSIX  ADVISORY  READ 4711 fe:00:101 1073741826 1073742335',
    'POSIX  ADVISORY  WRITE 4711 fe:00:101 0 EOF',
    'POSIX  ADVISORY  WRITE 4711 fe:00:101 120 120',
    'FLOCK  ADVISORY  WRITE 4711 fe:00:101 0 EOF',
    'POSIX  ADVISORY  WRITE 4711 fe:00:999 1073741825 1073741825'
  ]) assert.equal(lockedBy(t, [lock]), null, lock)
  assert.equal(lockedBy(t, []), null)
})
