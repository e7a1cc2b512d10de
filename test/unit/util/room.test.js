'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { lackOfRoom } = require('../../../lib/util/room')

test('a thread is started where there are no limits, and where the limits leave room', () => {
  assert.equal(lackOfRoom(8, { room: () => ({ threads: Infinity, addressSpaceMb: Infinity }) }), null)
  assert.equal(lackOfRoom(8, { room: () => ({ threads: 8, addressSpaceMb: 1024 }) }), null)
})

test('the reason against a thread names the limit and what it leaves', () => {
  assert.match(lackOfRoom(8, { room: () => ({ threads: 7, addressSpaceMb: Infinity }) }) ?? '', /^only 7 more threads .*ulimit -u/)
  assert.match(lackOfRoom(8, { room: () => ({ threads: -3, addressSpaceMb: Infinity }) }) ?? '', /^only 0 more threads/)
  assert.match(lackOfRoom(8, { room: () => ({ threads: Infinity, addressSpaceMb: 99.6 }) }) ?? '', /^only 100 MB .*ulimit -v/)
})

test('where nothing tells the limits, there are none', () => {
  assert.equal(lackOfRoom(8, { room: () => { throw new Error('replaced') } }), null)
})
