'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const net = require('node:net')
const os = require('node:os')
const { setTimeout: wait } = require('node:timers/promises')
const { clockTime, follow, tellAll } = require('../../../lib/cli/attach/follow')
const { findInspector, impostor } = require('../../../lib/cli/attach/inspector')
const { parseAddress } = require('../../../lib/util/socket-address')
const { objection } = require('../../../lib/cli/attach/target-process')
const { makeRecord } = require('../../support/record')

test('blocks are printed once each, at their end, with a note if some are missing', (t) => {
  const said = t.mock.method(process.stderr, 'write', () => true)
  const printed = t.mock.method(process.stdout, 'write', () => true)
  const [first, second, third] = ['1-1', '1-2', '1-3'].map((id) => makeRecord({ id, durationMs: 60 }))
  const lines = () => {
    const texts = printed.mock.calls.map(({ arguments: [text] }) => String(text))
    printed.mock.resetCalls()
    return texts.filter((text) => !text.startsWith('    at')).length
  }
  let told = tellAll([{ ...second, ongoing: true }, first], new Map())
  const counts = [lines()]
  told = tellAll([{ ...second, ongoing: true }, first], told)
  counts.push(lines())
  told = tellAll([second, first], told)
  counts.push(lines())
  const saidBefore = said.mock.callCount()
  tellAll([third], told)
  const texts = said.mock.calls.map(({ arguments: [text] }) => String(text))
  t.mock.restoreAll()
  assert.deepEqual([counts, saidBefore, texts], [[2, 0, 1], 0, ['more blocks ended than the agent keeps: some are not shown\n']])
})

test('a line has the time at which its block had that length, and only the five latest earlier blocks are printed', (t) => {
  assert.equal(clockTime('2026-11-21T10:00:00.123Z', '2026-11-21T23:59:59.999Z'), '10:00:00.123')
  assert.equal(clockTime('2026-11-20T10:00:00.123Z', '2026-11-21T00:00:00.000Z'), '2026-11-20 10:00:00.123')
  const said = t.mock.method(process.stderr, 'write', () => true)
  const printed = t.mock.method(process.stdout, 'write', () => true)
  const newestFirst = [8, 7, 6, 5, 4, 3, 2, 1].map((second) => makeRecord({ id: `1-${second}`, startedAt: `2020-01-01T10:00:0${second}.000Z`, durationMs: 123, stacks: [] }))
  const told = tellAll(newestFirst, new Map(), Date.parse('2020-01-01T10:00:08.100Z'))
  tellAll(newestFirst, told)
  const lines = printed.mock.calls.map(({ arguments: [text] }) => String(text).slice(0, 23))
  const texts = said.mock.calls.map(({ arguments: [text] }) => String(text))
  t.mock.restoreAll()
  // The last one was not over by then.
  assert.deepEqual(lines, [3, 4, 5, 6, 7, 8].map((second) => `2020-01-01 10:00:0${second}.123`))
  assert.deepEqual(texts, ['2 earlier blocks are not shown\n'])
})

test('a block that has not ended, or began before the agent came, has at least its duration, at a time of its own', (t) => {
  const printed = t.mock.method(process.stdout, 'write', () => true)
  const record = makeRecord({ startedAt: '2020-01-01T10:00:00.000Z', durationMs: 1100, ongoing: true, stacks: [] })
  const told = tellAll([record], new Map())
  tellAll([{ ...record, durationMs: 6200, ongoing: false }], told)
  tellAll([{ ...record, id: '1-9', durationMs: 6200, ongoing: false, startup: true }], new Map())
  const lines = printed.mock.calls.map(({ arguments: [text] }) => String(text).replace(/: .*\n/, ''))
  t.mock.restoreAll()
  assert.deepEqual(lines, [
    '2020-01-01 10:00:01.100 event loop blocked for at least 1.1 s so far',
    '2020-01-01 10:00:06.200 event loop was blocked for 6.2 s',
    '2020-01-01 10:00:06.200 event loop was blocked for at least 6.2 s'
  ])
})

test('an agent on a port that fetch() refuses is not waited for', { timeout: 10000 }, async () => {
  const signals = /** @type {any} */ ({ isOver: false, sleep: wait })
  await assert.rejects(follow('http://127.0.0.1:10080', undefined, process.pid, signals), { code: 'LOOPWATCH_ERR_ATTACH', message: /:10080: fetch\(\) refuses port 10080/ })
})

test('connected to is the address that was asked, whatever its answer names, and nothing that is not the process', async (t) => {
  const server = http.createServer((request, response) => response.end(JSON.stringify([{ webSocketDebuggerUrl: 'ws://inspector.example:81/4711-ab' }]))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const silent = net.createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => silent.close())
  const stuck = { host: '127.0.0.1', port: /** @type {import('node:net').AddressInfo} */ (silent.address()).port, isLoopback: true }
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const place = { host, port, isLoopback: true }
    assert.deepEqual(await findInspector([stuck, place]), { place, address: `ws://127.0.0.1:${port}/4711-ab` })
  }
  assert.equal(impostor({ value: 12 }, 12, false), null)
  assert.match(String(impostor({ value: 13 }, 12, true)), /another process/)
  assert.match(String(impostor({ thrown: 'x' }, 12, true)), /another process/)
  assert.equal(impostor(null, 12, true), null, 'busy, and the kernel says whose port it is')
  assert.match(String(impostor(null, 12, false)), /does not say/)
})

test('addresses in the kernel\'s tables are read in this machine\'s byte order', { skip: os.endianness() !== 'LE' }, () => {
  const read = (/** @type {string} */ text) => Object.values(parseAddress(text)).join()
  assert.equal(read('0100007F:240D'), '127.0.0.1,9229,true')
  assert.equal(read('00000000:0050'), '0.0.0.0,80,false')
  assert.equal(read('0A00000A:1F90'), '10.0.0.10,8080,false')
  assert.equal(read('00000000000000000000000001000000:240D'), '[::1],9229,true')
  assert.equal(read('00000000000000000000000000000000:240D'), '[::],9229,false')
  assert.equal(read('0000000000000000FFFF00000100007F:240D'), '127.0.0.1,9229,true')
  assert.equal(read('B80D0120000000000000000001000000:0001'), '[2001:db8::1],1,false')
})

test('the kernel\'s facts decide whether SIGUSR1 may be sent', () => {
  const facts = /** @type {import('../../../lib/cli/attach/target-process').Facts} */ ({ exe: '/usr/bin/node', status: 'State:\tS (sleeping)\nSigCgt:\t0000000108004a02\n', flags: 'node app.js ', isSameNetwork: true, isSameFiles: true })
  assert.equal(objection(facts), null)
  assert.equal(objection({ ...facts, exe: '/opt/node24 (deleted)' }), null)
  assert.equal(objection({ ...facts, flags: 'node --inspect-port=127.0.0.1:0 app.js ' }), null)
  assert.match(String(objection({ ...facts, exe: '/usr/bin/bash' })), /it runs bash/)
  assert.match(String(objection({ ...facts, status: facts.status.replace('4a02', '4802') })), /does not handle SIGUSR1/)
  assert.match(String(objection({ ...facts, status: facts.status.replace('S (', 'T (') })), /kill -CONT/)
  assert.match(String(objection({ ...facts, isSameNetwork: false })), /container.*docker exec/)
  assert.match(String(objection({ ...facts, flags: 'node app.js NODE_OPTIONS=--inspect-port=0.0.0.0:9229' })), /would open its inspector on 0\.0\.0\.0/)
})
