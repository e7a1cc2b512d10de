'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const tls = require('node:tls')
const { openResources } = require('../../../../lib/host/work/open-resources')
const { makeDir } = require('../../../support/files')

test('sockets to other hosts are counted by address and state, and those of clients are not', async (t) => {
  const server = net.createServer((socket) => t.after(() => socket.destroy())).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = /** @type {net.AddressInfo} */ (server.address())
  const plain = [1, 2].map(() => net.connect(port, '127.0.0.1'))
  const secure = tls.connect({ port, host: '127.0.0.1' })
  t.after(() => [...plain, secure].forEach((socket) => socket.destroy()))
  assert.deepEqual(openResources().filter(([kind]) => kind.startsWith('sockets')), [['sockets that are connecting', 3]])
  await Promise.all([...plain, secure].map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  assert.deepEqual(openResources().filter(([kind]) => kind.startsWith('sockets')), [
    [`sockets to 127.0.0.1:${port}`, 2], [`sockets in a TLS handshake with 127.0.0.1:${port}`, 1]
  ])
})

test('a pool with public counters that a module of the application exports is listed, and no getter is run', (t) => {
  const file = path.join(makeDir(t), 'pools.js')
  fs.writeFileSync(file, `
    exports.pg = { totalCount: 10, idleCount: 0, options: { max: 10 }, get waitingCount () { return 7 } }
    exports.tarn = { max: 2, numUsed: () => 1, numPendingAcquires: () => 3 }
    exports.calm = { totalCount: 1, idleCount: 1, options: { max: 10 }, waitingCount: 0 }
    exports.isRead = 0
    Object.defineProperty(exports, 'lazy', { enumerable: true, get () { exports.isRead++ } })`)
  const exported = require(file)
  t.after(() => { delete require.cache[file] })
  assert.deepEqual(openResources().filter(([kind]) => kind.startsWith('waits')), [
    ['waits for a connection of a pool (10 of 10 in use)', 7], ['waits for a connection of a pool (1 of 2 in use)', 3]
  ])
  assert.equal(exported.isRead, 0)
})
