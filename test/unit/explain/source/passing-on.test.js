'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { callsParameter } = require('../../../../lib/explain/source/frame-table')

/** Whether the call at `<` only goes on to what its caller was given. @param {string} source */
const passes = (source) => callsParameter(source.replace('<', ''), source.indexOf('<'))

test('a call of a parameter goes on to what was given', () => {
  for (const source of [
    'app.use((req, res, next) => <next())',
    'app.use(function log (req, res, next) {\n  console.log(req.url)\n  return <next()\n})',
    'app.use(async (ctx, next) => {\n  const t = now()\n  await <next()\n})',
    'app.use(async ctx_next => <ctx_next(1))',
    'const wrap = (fn) => (req, res) => <fn(req, res)',
    'const wrap = (fn) => function () { return fn.<apply(this, arguments) }',
    'function once (fn) { return (...args) => Reflect.<apply(fn, null, args) }',
    'const timed = (name: string, fn: () => void): void => {\n  <fn()\n}',
    'class A { handle (request, done) { this.count++; <done(null, 1) } }'
  ]) assert.equal(passes(source), true, source)
})

test('a call of anything else is the caller\'s own doing', () => {
  for (const source of [
    'app.get("/x", (req, res) => res.<json(rows))',
    'app.get("/x", (req, res) => { <render(rows) })',
    'const load = (yaml, text) => yaml.<parse(text)',
    'function go (next) { const next = make(); <next() }',
    'if (next) { <next() }',
    'function a (b) { return b }\nfunction c () { return <d(1) }',
    'const run = (fn) => crypto.<pbkdf2Sync(fn)'
  ]) assert.equal(passes(source), false, source)
})

test('a minified line is not looked at', () => {
  assert.equal(passes(`${'a;'.repeat(600)}(next) => <next()`), false)
})
