'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { makeMetrics } = require('../support/metrics')
const { makeRecord } = require('../support/record')
const { needs } = require('../support/tools')

/** One of everything that is counted. @param {ReturnType<typeof makeMetrics>} made */
function fill ({ metrics, host }) {
  host.delays.record(12)
  metrics.observeBlock(makeRecord())
  metrics.observeGc('major', 30)
  metrics.drop('record')
  metrics.requestSeries('/report/:id', 'GET', '2xx').observe(0.3)
  metrics.requestBlockedSeries('/report/:id').observe(0)
}

test('promtool finds nothing wrong with the metrics', async (t) => {
  if (!needs(t, 'promtool')) return
  const made = makeMetrics({ labels: { service: 'a "quoted"\nname' }, routes: 1 })
  for (const full of [false, true]) {
    if (full) {
      fill(made)
      made.metrics.observeBlock(makeRecord({ cause: 'gc', request: { method: 'GET', route: '/other', startedAt: '' } }))
    }
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: await made.metrics.render(), encoding: 'utf8' })
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' })
  }
})
