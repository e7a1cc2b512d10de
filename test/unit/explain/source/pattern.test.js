'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { hasNestedQuantifiers, patternsIn } = require('../../../../lib/explain/source/pattern')

test('a group without end within a group without end is found', () => {
  for (const { source } of [/^(a+)+$/, /(\w*\s?)*$/, /((ab)*c)*/, /(?:x{2,})+y/, /([^,]+,?)+;/, /(a|(b+))*/]) assert.ok(hasNestedQuantifiers(source), source)
  for (const { source } of [/a+b+/, /(ab)+c*/, /(a+)?b/, /(a+){2}/, /[(a+)+]+/, /\(a+\)+/, /(a{3})+/, /^([\w.-]+)@([\w-]+\.)[a-z]+$/]) assert.ok(!hasNestedQuantifiers(source), source)
})

test('the patterns of a line are its literals and those of the constants it names', () => {
  const file = ['const NAME = /^(a+)+$/u', "const text = 'x / y / z'", 'const half = total / 2 / count']
  assert.deepEqual(patternsIn('return /b+/.test(name) && NAME.test(other)', file), ['/b+/', '/^(a+)+$/u'])
  assert.deepEqual(patternsIn("text.replace(NAME, '')", file), ['/^(a+)+$/u'])
  assert.deepEqual(patternsIn('const x = total / 2 / count', file), [])
  assert.deepEqual(patternsIn('made().test(name)', file), [])
})
