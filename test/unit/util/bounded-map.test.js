'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { BoundedMap } = require('../../../lib/util/bounded-map')

test('the item that was used least recently makes room for a new one', () => {
  const map = new BoundedMap({ mostItems: 3 })
  for (const key of ['a', 'b', 'c']) map.set(key, key.toUpperCase())
  assert.equal(map.get('a'), 'A')
  map.set('d', 'D')
  assert.deepEqual([...map.values()], ['C', 'A', 'D'])
  assert.equal(map.get('b'), undefined)
})

test('items are bounded by their weight, too; the one just put stays, even if it alone is too heavy', () => {
  const map = new BoundedMap({ mostItems: 100, mostWeight: 10 })
  map.set('a', 1, 6)
  map.set('b', 2, 4)
  map.set('c', 3, 4)
  assert.deepEqual([...map.values()], [2, 3], '14 were too many')
  map.set('heavy', 4, 99)
  assert.deepEqual([...map.values()], [4])
  map.set('d', 5, 1)
  assert.deepEqual([...map.values()], [5])
})

test('an item that is put again has its new weight only, and a map that was cleared has none', () => {
  const map = new BoundedMap({ mostItems: 100, mostWeight: 10 })
  for (let i = 0; i < 5; i++) map.set('a', i, 9)
  map.set('b', 'b', 1)
  assert.deepEqual([...map.values()], [4, 'b'])
  map.clear()
  map.set('c', 'c', 10)
  assert.deepEqual([...map.values()], ['c'])
})
