'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { fill, makeMetrics } = require('../support/metrics')
const { makeRecord } = require('../support/record')
const { needs } = require('../support/tools')

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
