'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createMemory, openBridge } = require('../../../../../lib/bridge/memory')
const { RouteNumbers } = require('../../../../../lib/host/work/http/route-numbers')

/** @param {number} [most] */
function makeNumbers (most) {
  const { routes } = openBridge(createMemory())
  const numbers = new RouteNumbers(routes, most)
  /**
   * @param {string} route
   * @param {{ isGuess?: boolean, status?: number }} [request]
   * @returns the label, null for (other)
   */
  return (route, { isGuess = false, status = 200 } = {}) => routes.stringOf(numbers.numberOf(route, isGuess, status))
}

test('configured routes and guessed paths have separate bounds, and keep their names', () => {
  const labelOf = makeNumbers(2)
  const guess = { isGuess: true }
  for (const route of ['/a.js', '/b.js', '/c.js']) labelOf(route, guess)
  assert.deepEqual(['/a', '/b', '/c'].map((route) => labelOf(route)), ['/a', '/b', null])
  assert.deepEqual(['/a.js', '/b.js', '/c.js'].map((route) => labelOf(route, guess)), ['/a.js', '/b.js', null])
})

test('a name that is both a guess and a route takes one place', () => {
  const labelOf = makeNumbers(1)
  labelOf('/a', { isGuess: true })
  assert.deepEqual([labelOf('/a'), labelOf('/b'), labelOf('/b', { isGuess: true })], ['/a', '/b', '/b'])
})

test('a guessed path that is turned away is (unmatched), unless it is known to be there', () => {
  const labelOf = makeNumbers(1)
  const labels = (/** @type {string} */ route) =>
    [301, 308, 400, 401, 499].map((status) => labelOf(route, { isGuess: true, status }))
  assert.deepEqual(labels('/report'), Array(5).fill('(unmatched)'))
  assert.deepEqual([200, 302, 500].map((status) => labelOf('/report', { isGuess: true, status })), Array(3).fill('/report'))
  assert.deepEqual(labels('/report'), Array(5).fill('/report'))
  assert.deepEqual(labels('/other'), Array(5).fill('(unmatched)'))
})

test('a route keeps its name whatever it answers', () => {
  const labelOf = makeNumbers(1)
  assert.equal(labelOf('/report', { status: 404 }), '/report')
})

test('(unmatched) is a label even after the routes have used up their bound', () => {
  const labelOf = makeNumbers(1)
  assert.deepEqual([labelOf('/a'), labelOf('/x', { isGuess: true, status: 404 }), labelOf('/b')], ['/a', '(unmatched)', null])
})
