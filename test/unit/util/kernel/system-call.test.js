'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const os = require('node:os')
const {
  callOf, callText, childText, descriptorText, lockText, pathOf, polledOf, polledText, socketTables, socketText
} = require('../../../../lib/util/kernel/system-call')
const { callsOf, table } = require('../../../../lib/tables/system-calls')

const REST = '0x7ffe150c3000 0x7fef3703cc4a\n'
/** @param {string} text @param {string} [arch] */
const named = (text, arch = 'x64') => callOf(text, arch)?.name

test('a call is named by its number, on each processor by its own', () => {
  assert.equal(named(`0 0x1a 0x2f40d790 0xa 0x0 0x0 0x0 ${REST}`), 'read')
  assert.equal(named(`63 0x1a 0x2f40d790 0xa 0x0 0x0 0x0 ${REST}`, 'arm64'), 'read')
  assert.equal(named(`63 0x1a 0x2f40d790 0xa 0x0 0x0 0x0 ${REST}`), 'system call 63')
  assert.equal(named(`202 0x7fcd 0x80 0x0 0x0 0x0 0x0 ${REST}`), 'futex')
  assert.equal(named(`98 0x7fcd 0x80 0x0 0x0 0x0 0x0 ${REST}`, 'arm64'), 'futex')
  assert.equal(named(`9999 0x7fcd 0x80 0x0 0x0 0x0 0x0 ${REST}`), 'system call 9999')
  assert.equal(named('-1 0x7ffe150c3000 0x7fef3703cc4a\n'), 'page fault')
})

test('a running thread, an unreadable file and an unknown processor have no system call', () => {
  for (const text of ['running\n', '', null, 'nonsense', 'x 0x1 0x2']) assert.equal(callOf(text, 'x64'), null, `${text}`)
  assert.equal(callOf(`0 0x1a 0x2f40d790 0xa 0x0 0x0 0x0 ${REST}`, 'mips'), null)
})

test('no number stands for two calls', () => {
  for (const column of /** @type {const} */ ([2, 3])) {
    const numbers = table.flatMap((row) => row[column])
    assert.deepEqual(numbers, [...new Set(numbers)])
  }
  for (const [arch, calls] of Object.entries(callsOf)) {
    assert.ok(calls.size > 50, arch)
    for (const { waited, preposition } of calls.values()) assert.equal(preposition === '', ['nothing', 'lock', 'database'].includes(waited))
  }
})

test('a call reads as a person would say it', () => {
  const call = (/** @type {string} */ text) => /** @type {import('../../../../lib/util/kernel/system-call').Call} */ (callOf(text, 'x64'))
  assert.equal(callText(call(`1 0x1 ${REST}`), 'fd 1 (pipe)'), 'write to fd 1 (pipe)')
  assert.equal(callText(call(`7 0x7ffe 0x1 0x1388 ${REST}`), 'a UDP socket to 10.0.0.2:53'), 'poll on a UDP socket to 10.0.0.2:53')
  assert.equal(callText(call(`61 0x10 ${REST}`), childText(16, 'sleep')), 'wait4 for child process 16 (sleep)')
  assert.equal(callText(call(`202 0x10 ${REST}`), lockText([0x10, 0x80, 0])), 'futex (Atomics.wait or a native wait)')
  assert.equal(callText(call(`0 0x10 ${REST}`), null), 'read')
  assert.equal(lockText([0x10, 0x80, 2]), 'a lock')
  assert.equal(lockText([0x10, 0x189, 2]), 'Atomics.wait or a native wait')
  assert.equal(childText(16, null), 'child process 16')
  assert.equal(childText(16, 'sh', 'git'), 'child process 16 (sh, running git)')
  assert.equal(childText(16, 'git', 'git'), 'child process 16 (git)')
})

test('a descriptor is named by what it is open on', () => {
  const none = () => 'a socket'
  assert.equal(descriptorText(17, '/mnt/nfs/x', none), '/mnt/nfs/x')
  assert.equal(descriptorText(1, '/var/log/shop.log', none), 'fd 1 (/var/log/shop.log)')
  assert.equal(descriptorText(1, 'pipe:[106934]', none), 'fd 1 (pipe)')
  assert.equal(descriptorText(22, 'pipe:[106934]', none), 'fd 22 (pipe)')
  assert.equal(descriptorText(22, 'anon_inode:[eventpoll]', none), 'fd 22 (eventpoll)')
  assert.equal(descriptorText(22, 'anon_inode:inotify', none), 'fd 22 (inotify)')
  assert.equal(descriptorText(22, 'socket:[77]', (inode) => `a socket to ${inode}`), 'a socket to 77')
  assert.equal(descriptorText(0, 'socket:[77]', none), 'fd 0 (socket)')
  assert.equal(descriptorText(22, `/${'x'.repeat(1000)}`, none).length, 161)
})

test('a socket is named by its other end, else by its own', { skip: os.endianness() !== 'LE' }, () => {
  const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
  const rest = '00000000:00000000 00:00000000 00000000     0        0'
  const tcp = `${head}   0: 0100007F:1F90 00000000:0000 0A ${rest} 41 1 0000\n   1: 0100007F:A0E2 0200000A:0050 01 ${rest} 42 1 0000\n`
  assert.equal(socketText('42', 'tcp', tcp), 'a socket to 10.0.0.2:80')
  assert.equal(socketText('41', 'tcp', tcp), 'a socket at 127.0.0.1:8080')
  assert.equal(socketText('4', 'tcp', tcp), null)
  assert.equal(socketText('42', 'udp', tcp), 'a UDP socket to 10.0.0.2:80')
  const tcp6 = `${head}   0: 00000000000000000000000001000000:1F90 00000000000000000000000001000000:0035 01 ${rest} 43 1 0000\n`
  assert.equal(socketText('43', 'tcp6', tcp6), 'a socket to [::1]:53')
  const unix = 'Num       RefCount Protocol Flags    Type St Inode Path\n0000000000000000: 00000002 00000000 00010000 0001 01 21 /run/x.sock\n0000000000000000: 00000003 00000000 00000000 0001 03 22\n'
  assert.equal(socketText('21', 'unix', unix), 'a Unix socket /run/x.sock')
  assert.equal(socketText('22', 'unix', unix), 'a Unix socket')
  assert.deepEqual(socketTables, ['tcp', 'tcp6', 'udp', 'udp6', 'unix'])
})

test('paths and lists of descriptors are read out of memory as far as they go', () => {
  assert.equal(pathOf(Buffer.from('/mnt/nfs/x\0/other')), '/mnt/nfs/x')
  assert.equal(pathOf(Buffer.from('/mnt/nfs')), '/mnt/nfs')
  assert.equal(pathOf(Buffer.from('\0')), null)
  assert.equal(pathOf(Buffer.alloc(0)), null)
  for (const path of ['../data/a.json', 'a.json', '/srv/my files/ö', '.']) assert.equal(pathOf(Buffer.from(`${path}\0`)), path)
  for (const text of ['Bearer s3cr3t', '{"a":1}\n', '/a\nb', 'a\u{1b}b']) assert.equal(pathOf(Buffer.from(`${text}\0`)), null, text)
  assert.equal(pathOf(Buffer.from([0x2f, 0xff, 0xfe, 0])), null)
  const bytes = Buffer.alloc(20)
  bytes.writeInt32LE(17, 0)
  bytes.writeInt32LE(-1, 8)
  assert.deepEqual(polledOf(bytes), [17])
  assert.equal(polledText(['a', 'b', 'c']), 'a, b, c')
  assert.equal(polledText(['a', 'b', 'c', 'd', 'e']), 'a, b, c and 2 more')
})
