'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { flameRows } = require('../../../../lib/cli/mcp/flame-rows')

/** @typedef {import('../../../../lib/export/profiles/flame-tree').FlameNode} FlameNode */

/**
 * @param {string} name
 * @param {string | null} file
 * @param {number} value
 * @param {FlameNode[]} [children]
 * @returns {FlameNode}
 */
const node = (name, file, value, children = []) => ({ name, file, value, children })

const tree = node('all', null, 1000, [
  node('run node:internal', 'node:internal/timers', 900, [
    node('handle app.js:1', '/srv/app.js', 500, [node('parse', null, 300), node('sum app.js:9', '/srv/app.js', 100)]),
    node('dispatch', '/srv/node_modules/x/index.js', 400, [
      node('handle app.js:1', '/srv/app.js', 400, [node('sum app.js:9', '/srv/app.js', 250), node('sort app.js:20', '/srv/app.js', 90)])
    ])
  ]),
  node('tick app.js:3', '/srv/app.js', 100)
])

test('functions of the application stand below their callers, each once, the heaviest first', () => {
  assert.deepEqual(flameRows(tree, 10), {
    rows: ['90% 900 ms handle app.js:1', '  35% 350 ms sum app.js:9', '  9% 90 ms sort app.js:20', '10% 100 ms tick app.js:3'],
    left: 0
  })
})

test('the heaviest so many are shown, and what comes next is counted', () => {
  const { rows, left } = flameRows(tree, 2)
  assert.deepEqual(rows, ['90% 900 ms handle app.js:1', '  35% 350 ms sum app.js:9'])
  assert.equal(left, 2)
  assert.deepEqual(flameRows(node('all', null, 0), 5), { rows: [], left: 0 })
})
