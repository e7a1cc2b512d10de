'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { isAlive } = require('../../../lib/util/processes')

test('a number that cannot be a process id is never signalled: 0 would be the own group, -1 everybody', () => {
  for (const pid of [0, -1, -7, NaN, 1.5, Infinity]) assert.equal(isAlive(pid, () => assert.fail(`${pid} was signalled`)), false)
})
