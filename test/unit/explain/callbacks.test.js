'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { callbacksOf } = require('../../../lib/explain/work')
const { FrameTable } = require('../../../lib/explain/source/frame-table')

/** @param {string} text `name@file` */
const frame = (text) => {
  const [name, file] = text.split('@')
  return { function: name, file: file ?? null, line: 1, column: 1 }
}

/** @param {number} weightMs @param {string[]} names innermost first @param {string | null} [route] */
const stack = (weightMs, names, route = null) => /** @type {any} */ ({
  count: 1,
  weightMs,
  lateMs: 0,
  frames: names.map(frame),
  works: [{ work: null, request: route === null ? null : { id: 1, method: 'GET', route, startedAtMs: 0 }, weightMs }]
})

const TIMER = ['listOnTimeout@node:internal/timers', 'processTimers@node:internal/timers']
const REQUEST = ['emit@node:events', 'parserOnIncoming@node:_http_server']

test('the callbacks of a turn are listed with what ran them, their work and their time, heaviest first', () => {
  const told = callbacksOf([
    stack(20, ['report@/srv/a.js', ...REQUEST], '/report'),
    stack(50, ['hold@/srv/a.js', 'refresh@/srv/a.js', ...TIMER]),
    stack(25.04, ['refresh@/srv/a.js', ...TIMER]),
    stack(3, ['write@/srv/a.js', 'onStreamRead@node:internal/stream_base_commons'])
  ])
  assert.deepEqual(told?.map(({ kind, frame: { function: name }, work, weightMs }) => [kind, name, work, weightMs]),
    [['timer', 'refresh', null, 75], ['request', 'report', 'GET /report', 20]])
})

test('an event has its name: the end of a body is not any continuation', () => {
  const tick = 'processTicksAndRejections@node:internal/process/task_queues'
  const told = callbacksOf([
    stack(40, ['read@/srv/a.js', 'emit@node:events', 'endReadableNT@node:internal/streams/readable', tick], '/x'),
    stack(30, ['next@/srv/a.js', tick]),
    stack(20, ['take@/srv/a.js', 'emit@node:events', 'addChunk@node:internal/streams/readable', 'onStreamRead@node:net'])
  ])
  assert.deepEqual(told?.map(({ kind, event }) => [kind, event]), [['event', 'end'], ['continuation', undefined], ['event', 'data']])
})

test('an immediate of loopwatch itself is none of the application\'s', () => {
  const own = `#end@${require.resolve('../../../lib/host/work/http/iteration-clock')}`
  const stacks = [stack(50, ['refresh@/srv/a.js', ...TIMER]), stack(30, [own, 'processImmediate@node:internal/timers'])]
  assert.equal(callbacksOf(stacks), undefined)
})

test('a single callback is not listed, nor is what nothing is known of', () => {
  assert.equal(callbacksOf([]), undefined)
  assert.equal(callbacksOf([stack(50, ['refresh@/srv/a.js', ...TIMER]), stack(60, []), stack(60, ['set'])]), undefined)
  const cut = { ...stack(60, ['walk@/srv/a.js']), cut: true }
  assert.equal(callbacksOf([stack(50, ['walk@/srv/a.js', ...TIMER]), cut]), undefined, 'a stack that was cut')
})

test('a function without a name is one callback, whichever of its lines was sampled', () => {
  const table = new FrameTable((each) => each)
  const at = (/** @type {number} */ line, /** @type {string} */ start) =>
    ({ ...stack(50, []), frames: [table.get({ ...frame('@/srv/a.js'), function: null, line, start }), ...REQUEST.map(frame)] })
  assert.equal(callbacksOf([at(5, '4:3'), at(6, '4:3')], table), undefined)
  assert.deepEqual(callbacksOf([at(5, '4:3'), at(6, '6:1')], table)?.map((each) => each.frame.line), [5, 6])
})

test('many are bounded, and equal ones of several works are told apart', () => {
  const told = callbacksOf(Array.from({ length: 9 }, (_, i) => stack(20 + i, ['handle@/srv/a.js', ...REQUEST], `/${i}`)))
  assert.deepEqual(told?.map(({ work }) => work), ['GET /8', 'GET /7', 'GET /6', 'GET /5', 'GET /4'])
})
