'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { builtinIn, callLines, columnOfCall, loopingCalleesIn, mayCallOther, onlyCallIn } = require('../../../../lib/explain/source/native-call')

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
    // Of other values than the one that is parsed, copied or sorted.
    ['if (JSON.parse(text).limit < Object.keys(cache).length) clear()', null],
    ['const copy = JSON.parse(a) + JSON.stringify(b)', null],
    ['JSON.parse(text).sort()', null],
    ['const all = JSON.parse(text).filter((x) => list.includes(x))', null],
    ['all = { ...all, [key]: Object.keys(all) }', null],
    ['const all = JSON.parse(Buffer.concat(', null]
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
  assert.equal(callIn('return SLOW.test(text)', { lines: ['const SLOW = /^(a+)+$/'] }), '(regular expression)')
  assert.equal(callIn("return text.split(',')"), 'split')
  assert.equal(callIn('return form.test(text)'), 'test')
})

test('a function is found by the last part of the name that V8 has for it', () => {
  assert.equal(columnOfCall('  return libc.isMusl()', 'exports.isMusl'), 15)
  assert.equal(columnOfCall('  return isMusl', 'exports.isMusl'), null)
})

test('a function with a loop that a line calls is found, one without is not', () => {
  const lines = ['function sum (n) {', '  for (const each of n) total += each', '}', 'const other = (n) => n', 'sum(1) + other(2)']
  assert.deepEqual(loopingCalleesIn(lines, lines[4]), [{ function: 'sum', line: 1, column: 14 }])
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

test('a function is called under its own name, or under another one that the file gives it', () => {
  const linesOf = (/** @type {string} */ before, /** @type {string} */ call) => {
    const lines = [before, 'function handle (rows) {', '  if (rows === null) gzipSync(rows)', `  ${call}`, '}']
    return callLines(lines, { line: 2, column: 17 }, 'exports.gzipSync')
  }
  for (const before of [
    'const pack = gzipSync', 'const pack = zlib.gzipSync; // faster', 'let pack = node.zlib.gzipSync.bind(null)',
    'const { gzipSync: pack } = require("node:zlib")', 'import { gzipSync as pack } from "node:zlib"',
    'const tools = { pack: zlib.gzipSync, other }', 'function make (pack = gzipSync) {', 'this.pack = gzipSync'
  ]) assert.deepEqual(linesOf(before, 'rows.map(tools.pack(rows))'), [3, 4], before)
  // V8 names a function by its key, which may be any text.
  for (const name of ['GET /orders(/:id', 'a*(', '[b', 'x\\\\', 'c|']) assert.deepEqual(callLines([`const rows = { '${name}': 1 }`], { line: 1, column: 1 }, name), [], name)
  for (const before of ['if (pack === gzipSync) {', 'const pack = gzipSync(rows)', 'const pack = gzipSyncs']) {
    assert.deepEqual(linesOf(before, 'pack(rows)'), [3], before)
  }
})
