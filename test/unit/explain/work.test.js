'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { workOf } = require('../../../lib/explain/work')

/** @param {string} name @returns {import('../../../lib/types').Frame} */
const frame = (name) => ({ function: name, file: '/srv/app.js', line: 1, column: 1 })

/** @param {string} route @param {number} [id] @returns {any} */
const request = (route, id = 1) => ({ id, method: 'GET', route, startedAtMs: 0 })

/**
 * @param {number} weightMs
 * @param {string[]} names innermost first
 * @param {any} of the request
 * @returns {import('../../../lib/explain/fold').Stack}
 */
const stack = (weightMs, names, of) => ({ count: 1, weightMs, lateMs: 0, frames: names.map(frame), works: [{ work: null, request: of, weightMs }] })

/** @param {import('../../../lib/explain/fold').Stack[]} stacks @param {string | null} blamed */
const told = (stacks, blamed) => {
  const { request: of, exact } = workOf(stacks, blamed === null ? null : frame(blamed))
  return [of?.route ?? null, exact]
}

test('the work is that in which the blamed function was seen, and none if it was seen in none', () => {
  const stacks = [stack(75, ['refresh'], null), stack(20, ['report'], request('/report'))]
  assert.deepEqual(told(stacks, 'refresh'), [null, true])
  assert.deepEqual(told(stacks, 'report'), ['/report', true])
})

test('a function that is to blame in no stack has the work of those that it is in, else that of all with a doubt', () => {
  const stacks = [stack(20, ['check', 'load'], request('/load')), stack(75, ['refresh'], null)]
  assert.deepEqual(told(stacks, 'load'), ['/load', true])
  assert.deepEqual(told([stack(20, ['report'], request('/report'))], 'refresh'), ['/report', false])
})

test('many requests of one route are certain, those of several are not', () => {
  const of = (/** @type {string[]} */ routes) => routes.map((route, i) => stack(10, ['handle'], request(route, i)))
  assert.deepEqual(told(of(['/a', '/a', '/a']), 'handle'), ['/a', true])
  assert.deepEqual(told(of(['/a', '/b', '/c']), 'handle'), ['/a', false])
})

test('without a blamed function all stacks tell', () => {
  assert.deepEqual(told([stack(60, [], request('/stop')), stack(10, [], null)], null), ['/stop', true])
})
