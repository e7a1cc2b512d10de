'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Incidents } = require('../../../../lib/watchdog/slow/incidents')

test('incidents of a kind are logged at most once in ten seconds, and the next line counts those without one', () => {
  /** @type {string[]} */
  const said = []
  let counted = 0
  const incidents = new Incidents({
    say: (_, /** @type {any} */ { event, unlogged }, message) => said.push(`${event} ${message}${unlogged ? ` ${unlogged}` : ''}`),
    post () {},
    metrics: { slowIncident: () => { counted++ } },
    page: { showSlow () {} }
  })
  const what = (/** @type {boolean} */ ongoing) => /** @type {any} */ ({ kind: 'thread_pool', ongoing, message: ongoing ? 'full' : 'free' })
  for (const startMs of [20000, 23000, 26000, 40000]) {
    incidents.report(what(true), startMs, startMs + 300)
    incidents.report(what(false), startMs, startMs + 1000)
  }
  assert.equal(counted, 4)
  assert.deepEqual(said, [
    'pool_full full', 'pool_free free', 'pool_full full; 2 more times since the last such line 2', 'pool_free free'
  ])
})

test('incidents of two pools at a time are told apart: each end is that of a beginning which was logged', () => {
  /** @type {string[]} */
  const said = []
  const incidents = new Incidents({
    say: (_, /** @type {any} */ { event, thread }) => said.push(`${event} ${thread}`),
    post () {},
    metrics: { slowIncident () {} },
    page: { showSlow () {} }
  })
  const tell = (/** @type {string} */ thread, /** @type {boolean} */ ongoing, /** @type {number} */ endMs) =>
    incidents.report(/** @type {any} */ ({ kind: 'worker_threads', thread, ongoing, message: '' }), 10_000, endMs)
  tell('resize', true, 20_000)
  tell('mail', true, 23_000)
  tell('mail', false, 24_000)
  tell('resize', false, 30_000)
  assert.deepEqual(said, ['threads_busy resize', 'threads_busy mail', 'threads_free mail', 'threads_free resize'])
})
