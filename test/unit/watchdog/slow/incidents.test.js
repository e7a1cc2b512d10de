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
    incidents.tell(what(true), startMs, startMs + 300)
    incidents.tell(what(false), startMs, startMs + 1000)
  }
  assert.equal(counted, 4)
  assert.deepEqual(said, [
    'pool_full full', 'pool_free free', 'pool_full full; 2 more times since the last such line 2', 'pool_free free'
  ])
})
