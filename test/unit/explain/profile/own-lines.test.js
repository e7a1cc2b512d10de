'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { ownTicks } = require('../../../../lib/explain/profile/stacks')

test('a function ends where its last bracket does, whatever brackets strings, comments and regular expressions hold', () => {
  const source = ["const f = (a, b = ')') => { // }", '  const x = /[}/]}/.test(a) ? `}` : "}"', '  /* } */ return x', '}, g = a => a +', '  1, h', 'function next () {']
  const lastOf = (/** @type {number} */ line, /** @type {number} */ column) =>
    ownTicks(
      source.map((_, i) => ({ line: i + 1, ticks: 1 })),
      { line, column },
      source
    ).at(-1)?.line
  assert.equal(lastOf(1, source[0].indexOf('(') + 1), 4)
  assert.equal(lastOf(4, source[3].indexOf('a =>') + 1), 5)
  assert.equal(lastOf(6, source[5].indexOf('(') + 1), 6)
})
