'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { drawnStacks } = require('../../../../lib/explain/profile/profiled')
const { makeRecord } = require('../../../support/record')

const FILE = '/srv/app/prices.js'
const NATIVE = { ...makeRecord().evidence, nativeMs: 300 }

/** @param {string | null} name @param {string | null} [file] @param {number | null} [line] */
const frame = (name, file = null, line = null) => ({ function: name, file, line, column: line && 3 })
/** @param {number} weightMs @param {ReturnType<typeof frame>[]} frames */
const stack = (weightMs, ...frames) => ({ count: 1, weightMs, frames })

const HANDLER = frame('handler', FILE, 40)
const HEAD_OF_HANDLER = frame('handler', FILE, 38)
const verdict = (/** @type {number} */ line, /** @type {string | null} */ call = null) => ({ frame: frame('load', FILE, line), call })

/**
 * What is drawn of a record by its verdict and profile, innermost first.
 * @param {object} record
 * @param {ReturnType<typeof verdict>} told
 * @param {any[]} profiled
 */
const drawn = (record, told, profiled) => drawnStacks(makeRecord({ frame: { ...frame('load', FILE, 11), exact: false }, ...record }), told, profiled)
  .map(({ frames }) => frames.map(({ function: name, line }) => `${name}${line === null ? '' : `:${line}`}`).join(' < '))

test('a stack taken after a native call gives way to the profile, with the call, its line and those of its callers', () => {
  const late = { cause: 'native', evidence: NATIVE, stacks: [stack(300, frame('slice'), frame('load', FILE, 11), HANDLER)] }
  const profiled = [stack(290, frame('load', FILE, 10), HEAD_OF_HANDLER, frame('emit', 'node:events', 518))]
  assert.deepEqual(drawn(late, verdict(10, 'JSON.parse'), profiled), ['JSON.parse < load:10 < handler:40 < emit:518'])
  const anonymous = { ...late, stacks: [stack(300, frame('slice'), frame('load', FILE, 11), frame(null, FILE, 21), frame(null, FILE, 31))] }
  const twice = [stack(290, frame('load', FILE, 10), frame(null, FILE, 20), frame('inlined', FILE, 25), frame(null, FILE, 30))]
  assert.deepEqual(drawn(anonymous, verdict(10, 'sort'), twice), ['sort < load:10 < null:21 < inlined:25 < null:31'])
  const wrapped = [stack(290, frame('execSync', 'node:child_process', 937), frame('load', FILE, 8), HEAD_OF_HANDLER)]
  const below = { ...late, cause: 'sync-io', evidence: makeRecord().evidence, stacks: [stack(300, frame('getStderr'), frame('execSync', 'node:child_process', 940), frame('load', FILE, 10), HANDLER)] }
  assert.deepEqual(drawn(below, verdict(10, 'execSync'), wrapped), ['execSync:937 < load:10 < handler:40'])
  assert.deepEqual(drawn(late, verdict(10, 'JSON.parse'), []), ['slice < load:11 < handler:40'], 'without a profile')
})

test('a collection is drawn where the profile saw it', () => {
  const late = { cause: 'gc', stacks: [stack(300, frame('get size'), frame('load', FILE, 10), HANDLER)] }
  const profiled = [stack(200, frame('(garbage collector)'), frame('load', FILE, 8), HEAD_OF_HANDLER)]
  assert.deepEqual(drawn(late, verdict(10), profiled), ['(garbage collector) < load:10 < handler:40'])
})

test('stacks that interrupts took in time stay if they agree, at the line of the loop that had the time', () => {
  const timely = { frame: { ...frame('load', FILE, 11), exact: true }, stacks: [stack(200, frame('shift'), frame('load', FILE, 11), HANDLER), stack(100, frame('load', FILE, 11), HANDLER)] }
  const profiled = [stack(290, frame('load', FILE, 12), HEAD_OF_HANDLER)]
  assert.deepEqual(drawn(timely, verdict(11, 'shift'), profiled), ['shift < load:11 < handler:40', 'load:11 < handler:40'])
  assert.deepEqual(drawn(timely, verdict(12), profiled), ['shift < load:12 < handler:40', 'load:12 < handler:40'])
  assert.deepEqual(drawn(timely, { frame: frame('other', FILE, 3), call: null }, [stack(290, frame('other', FILE, 3))]), ['other:3'])
})
