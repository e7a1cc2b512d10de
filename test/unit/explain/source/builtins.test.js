'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { builtinIn } = require('../../../../lib/explain/source/builtins')

/** @param {string} line @param {Parameters<typeof builtinIn>[1]} [hints] */
const callIn = (line, hints) => builtinIn(line, hints)?.call ?? null

test('the built-in that does the work of a line is named, not those that only copy', () => {
  /** @type {[string, string | null][]} */
  const lines = [
    ['const all = JSON.parse(Buffer.concat(chunks).toString())', 'JSON.parse'],
    ['const page = JSON.parse(text).rows.slice(0, 10).join()', 'JSON.parse'],
    ['res.end(Buffer.from(JSON.stringify({ ...row })))', 'JSON.stringify'],
    ['const names = Object.keys(index).sort()', 'sort'],
    ['const copy = [...list].sort((a, b) => a - b)', 'sort'],
    ['const copy = JSON.parse(JSON.stringify(state))', 'JSON.parse(JSON.stringify())'],
    ['const copy = JSON.parse(await JSON.stringify(state).trim())', 'JSON.parse(JSON.stringify())'],
    ['if (JSON.parse(text).limit < Object.keys(cache).length) clear()', 'JSON.parse'],
    // Two that take long, one that does more than copy, and copies alone.
    ['const copy = JSON.parse(a) + JSON.stringify(b)', null],
    ['JSON.parse(text).sort()', null],
    ['const all = JSON.parse(text).filter((x) => list.includes(x))', null],
    ['all = { ...all, [key]: Object.keys(all) }', null],
    ['const all = JSON.parse(Buffer.concat(', 'JSON.parse']
  ]
  for (const [line, call] of lines) assert.equal(callIn(line), call, line)
})

test('built-ins that move, copy or format at each call are known, and a spread by its dots', () => {
  /** @type {[string, string | null][]} */
  const lines = [
    ['while (queue.length > 0) queue.shift()', 'shift'],
    ['list.unshift(row)', 'unshift'],
    ['list.splice(i, 1)', 'splice'],
    ['const { value } = segments.next()', 'next'],
    ['next()', null],
    ['out += price.toLocaleString("de-DE")', 'toLocaleString'],
    ['signal.addEventListener("abort", stop)', 'addEventListener'],
    ['all = { ...all, [key]: value }', 'spread'],
    ['  ...rows,', 'spread'],
    ['all = [...all, row]', 'spread'],
    ['const f = (...args) => g(args)', null],
    ['function f (a, ...rest) {', null],
    ['const { id, ...rest } = row', null]
  ]
  for (const [line, call] of lines) assert.equal(callIn(line), call, line)
})

test('where interrupts found the thread in one of them, it is that one', () => {
  const line = "const ok = pattern.test('a'.repeat(24))"
  assert.equal(callIn(line), null)
  assert.equal(callIn(line, { methods: new Set(['test']) }), 'test')
  assert.equal(callIn(line, { methods: new Set(['test', 'repeat']) }), null)
  assert.equal(callIn('all = { ...all, n: Object.keys(all) }', { methods: new Set(['keys']) }), 'Object.keys')
})

test('a search by a pattern that can be seen is a regular expression, as V8 calls it', () => {
  assert.equal(callIn('return /^(a+)+$/.test(text)'), '(regular expression)')
  assert.equal(callIn('return SLOW.test(text)', { rows: ['const SLOW = /^(a+)+$/'] }), '(regular expression)')
  assert.equal(callIn("return text.split(',')"), 'split')
  assert.equal(callIn('return form.test(text)'), 'test')
})
