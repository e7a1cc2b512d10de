'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Counters } = require('../../../../lib/bridge/counters')
const { LoopLoad } = require('../../../../lib/host/shedding/loop-load')
const { createMiddleware } = require('../../../../lib/host/shedding/middleware')

/** A load that says what it is told. @param {number} delayMs @param {number} utilization */
function fixed (delayMs, utilization) {
  const load = new LoopLoad()
  load.delayMs = () => delayMs
  load.utilization = () => utilization
  return { load, counters: new Counters(new SharedArrayBuffer(Counters.BYTES), 0) }
}

/** @param {ReturnType<typeof fixed>} gauge @param {object} options @param {boolean} [headersSent] */
function ask (gauge, options, headersSent = false) {
  /** @type {Record<string, unknown>} */
  const response = { headersSent, setHeader: () => {}, end: () => {} }
  let passed = false
  createMiddleware(gauge, options)({}, response, () => { passed = true })
  assert.notEqual(passed, response.statusCode === 503)
  return passed ? 'passed' : 'shed'
}

test('a limit counts from above it, each by itself', () => {
  assert.equal(ask(fixed(100, 0.5), {}), 'passed')
  assert.equal(ask(fixed(1e9, 1), {}), 'passed')
  assert.equal(ask(fixed(100, 1), { maxDelay: 100, maxUtilization: 1 }), 'passed')
  assert.equal(ask(fixed(101, 0), { maxDelay: 100, maxUtilization: 1 }), 'shed')
  assert.equal(ask(fixed(0, 0.1), { maxUtilization: 0 }), 'shed')
  assert.equal(ask(fixed(101, 0), { maxDelay: 100 }, true), 'passed')
  assert.equal(ask(fixed(101, 0), { maxDelay: 100, exempt: () => { throw new Error('mine') } }), 'passed')
})
