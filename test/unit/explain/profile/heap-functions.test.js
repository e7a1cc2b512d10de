'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { heaviestFunctions } = require('../../../../lib/explain/profile/heap-functions')

const KB = 1024

/** @param {string} functionName @param {string} url @param {number} id @param {any[]} [children] */
const node = (functionName, url, id, children = []) =>
  ({ callFrame: { functionName, url, lineNumber: url === '' ? -1 : id, columnNumber: 4 }, id, children })

/** The application's cache, a package that it calls, and Node.js alone. */
const head = node('(root)', '', 1, [
  node('addSession', '/srv/app/cache.js', 2, [
    node('set', '', 3),
    node('clone', '/srv/app/node_modules/lodash/clone.js', 4)
  ]),
  node('render', '/srv/app/page.js', 5),
  node('readFileSync', 'node:fs', 6)
])

/** @param {number[]} nodeIds of samples of equal size, oldest first @param {(ordinal: number) => boolean} [isAlive] */
const profile = (nodeIds, isAlive = () => true) => JSON.stringify({
  head,
  samples: nodeIds.map((nodeId, i) => ({ nodeId, size: 512 * KB, ordinal: i + 1 }))
    .filter(({ ordinal }) => isAlive(ordinal))
})

/** @param {number} count @param {number} nodeId */
const times = (count, nodeId) => Array(count).fill(nodeId)

/** @param {string} text @param {boolean} isKept */
const sharesIn = (text, isKept) => heaviestFunctions(text, isKept, (frame) => frame)
  .map(({ function: name, file, line, share }) => `${name} ${file}:${line} ${share.toFixed(2)}`)

test('memory counts for the innermost function of the application, with what it calls', () => {
  const text = profile([...times(10, 2), ...times(20, 3), ...times(30, 4), ...times(30, 5), ...times(10, 6)])
  assert.deepEqual(sharesIn(text, false), ['addSession /srv/app/cache.js:3 0.60', 'render /srv/app/page.js:6 0.30'])
})

test('a function with less than a twentieth of the memory is not named', () => {
  assert.deepEqual(sharesIn(profile([...times(97, 2), ...times(3, 5)]), false), ['addSession /srv/app/cache.js:3 0.97'])
})

test('fewer than 20 samples name nobody', () => {
  assert.deepEqual(sharesIn(profile(times(19, 2)), false), [])
})

test('the newest quarter does not count as kept, as no collection of the whole heap has met it', () => {
  const nodeIds = Array.from({ length: 200 }, (_, i) => i % 4 === 0 ? 2 : 5)
  const text = profile(nodeIds, (ordinal) => ordinal > 150 || nodeIds[ordinal - 1] === 2)
  assert.deepEqual(sharesIn(text, true), ['addSession /srv/app/cache.js:3 1.00'])
})
