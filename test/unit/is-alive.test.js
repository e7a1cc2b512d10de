'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { isAlive, ownership } = require('../lib/is-alive')

/** @param {string} code */
const refusing = (code) => () => { throw Object.assign(new Error(code), { code }) }

test('a process lives until it has ended, whoever it belongs to', () => {
  assert.equal(isAlive(process.pid), true)
  assert.equal(isAlive(spawnSync(process.execPath, ['-e', '']).pid), false)
  assert.equal(isAlive(7, refusing('EPERM')), true, 'of another user')
  assert.deepEqual([ownership(process.pid), ownership(7, refusing('EPERM')), ownership(7, refusing('ESRCH'))], ['own', 'foreign', null])
  assert.equal(isAlive(7, refusing('ESRCH')), false)
  assert.equal(isAlive(7, refusing('EINVAL')), false)
})

test('what is no number of a process asks the kernel nothing: 0 would be the own group, -1 everybody', () => {
  for (const pid of [0, -1, -7, NaN, 1.5, Infinity]) assert.equal(isAlive(pid, () => assert.fail(`${pid} was signalled`)), false)
})
