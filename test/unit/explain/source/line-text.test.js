'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { columnOfCall, mayCallOther, onlyCallIn, traitsOf } = require('../../../../lib/explain/source/line-text')

/** What the text of a line says, without that it is known. @param {string} line */
const traits = (line) =>
  Object.entries(traitsOf(line)).flatMap(([name, is]) => is && name !== 'hasText' ? [name] : [])

test('a bracket, a plain return and a head that calls nothing take no time', () => {
  const idle = ['}', '  })', '  return acc // the sum', '} return }', '  continue', 'for (const each of rows) {', 'while (i < n) {',
    'function handle (n) {', 'const sum = (n) => {', '  build (n) {', '  if (acc === 0.5) {', '} else {', 'try {', '} while (i < n)']
  assert.deepEqual(idle.filter((line) => !traits(line).includes('isIdle')), [])
  const busy = ['  return acc + 1n', '  return rows.total', '  return sort(rows)', '  acc = acc + 1', 'for (let i = 0; i < limit(n); i++) {']
  assert.deepEqual(busy.filter((line) => traits(line).includes('isIdle')), [])
})

test('a line calls something if it has a call that takes time, copies elements or multiplies', () => {
  const calling = ['const made = JSON.parse(text)', 'all.forEach((i) => {', 'last = [...items, i]', 'text = `$' + '{i} of $' + '{n}`', 'big = big * 3n']
  assert.deepEqual(calling.filter((line) => !traits(line).includes('calls')), [])
  const plain = ['h = Math.imul(h, 31) | 0', 'rows.push(row)', 'sum += Number(each)', 'function handle (n) {', 'end = performance.now() + 5', 'n = 2 ** 8']
  assert.deepEqual(plain.filter((line) => traits(line).includes('calls') && !line.includes('Math')), [])
})

test('a loop in one line is a loop, its head alone is not', () => {
  assert.ok(traits('for (let k = 0; k < n; k++) sum += k').includes('isLoop'))
  assert.ok(traits('while (performance.now() < end);').includes('isLoop'))
  assert.ok(!traits('for (let k = 0; k < n; k++) {').includes('isLoop'))
})

test('a line that is minified or cannot be read has no traits', () => {
  assert.equal(traitsOf(undefined).hasText, false)
  assert.equal(traitsOf(`f(${'a, '.repeat(500)})`).hasText, false)
})

test('a function is found by the last part of the name that V8 has for it', () => {
  assert.equal(columnOfCall('  return libc.isMusl()', 'exports.isMusl'), 15)
  assert.equal(columnOfCall('  return isMusl', 'exports.isMusl'), null)
})

test('the only call of a line is named as written if it is not a built-in', () => {
  assert.deepEqual(onlyCallIn('  const html = marked.parse(text)'), { call: 'marked.parse', column: 16 })
  assert.equal(onlyCallIn("  log.info({ at: 1 }, 'done (1)')")?.call, 'log.info')
  assert.equal(onlyCallIn('  return render(parse(text))'), null)
  assert.equal(onlyCallIn('  return text.split(1)'), null)
})

test('a line may run other functions, unless it calls built-ins alone that get none', () => {
  const calling = ['work(1)', 'list.map(twice)', 'list.sort()', 'text.replace(/a/, f)', 'hash.update(text)', 'tasks[name]()', 'make()(1)']
  const alone = ['sum += Math.sqrt(i)', 'while (i < 1e9) i++', 'list.push(text.charCodeAt(0))', 'return JSON.parse(text)', "x = 'call(1)'", "x = '](1)'"]
  for (const line of calling) assert.equal(mayCallOther(line), true, line)
  for (const line of alone) assert.equal(mayCallOther(line), false, line)
})
