'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { isAlive, ownership } = require('../../lib/util/processes')

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
