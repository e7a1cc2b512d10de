'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { formatter, hasColors } = require('../../../../lib/export/log/pretty')

const LINE = JSON.stringify({ level: 30, time: 0, msg: 'watching' })

test('a terminal gets lines for people, a pipe and a file get JSON', () => {
  assert.match(formatter(undefined, 1, { env: {}, isTerminal: true })?.(LINE) ?? '', /^\[.*INFO.*watching\n$/)
  assert.equal(formatter(undefined, 1, { env: {}, isTerminal: false }), null)
  assert.equal(formatter(undefined, '/var/log/app.log'), null)
})

test('the option format decides whatever the log is written to', () => {
  assert.equal(formatter('json', 1, { isTerminal: true }), null)
  assert.match(formatter('pretty', '/var/log/app.log', { env: {} })?.(LINE) ?? '', /^\[[\d:.]+\] INFO {2}watching\n$/, 'and no colours')
})

test('colours are for terminals, unless NO_COLOR or FORCE_COLOR say otherwise', () => {
  for (const [env, isTerminal, expected] of /** @type {[NodeJS.ProcessEnv, boolean, boolean][]} */ ([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ NODE_DISABLE_COLORS: '1' }, true, false],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: 'false' }, true, false]
  ])) {
    assert.equal(hasColors(env, isTerminal), expected, JSON.stringify([env, isTerminal]))
  }
})
