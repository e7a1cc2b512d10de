'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { MetricsUnion } = require('../../../../lib/cluster/metrics/union')
const { renderFamilies } = require('../../../../lib/export/prometheus/exposition')
const { counter, gauge, histogram } = require('../../../support/lib/series')

/** @param {import('../../../../lib/types').Family[]} families @param {string} name @param {string} worker */
const valueOf = (families, name, worker) =>
  families
    .find((family) => family.name === name)
    ?.groups.filter((group) => group.worker === worker)
    .flatMap(({ values }) => values)
    .reduce((/** @type {number | undefined} */ total, { value }) => (total ?? 0) + value, undefined)

test('counters of a slot grow over all who had it; gauges are of the living', () => {
  const metricsUnion = new MetricsUnion()
  metricsUnion.join(1, 'a')
  const first = metricsUnion.of([counter(100)], new Map([[1, [counter(5), gauge(1)]]]))
  assert.deepEqual([valueOf(first, 'a_total', 'primary'), valueOf(first, 'a_total', '1'), valueOf(first, 'b', '1')], [100, 5, 1])
  metricsUnion.leave(1, 'a', [counter(6), gauge(1)])
  const without = metricsUnion.of([], new Map())
  assert.deepEqual([valueOf(without, 'a_total', '1'), valueOf(without, 'b', '1')], [6, undefined])
  metricsUnion.join(1, 'b')
  const again = metricsUnion.of([], new Map([[1, [counter(2), gauge(7)]]]))
  assert.deepEqual([valueOf(again, 'a_total', '1'), valueOf(again, 'b', '1')], [8, 7])
  // A connection that was lost and made again is not counted twice.
  metricsUnion.leave(1, 'b', [counter(3)])
  metricsUnion.join(1, 'b')
  assert.equal(valueOf(metricsUnion.of([], new Map([[1, [counter(4)]]])), 'a_total', '1'), 10)
})

test('the union reads as an exposition', async () => {
  const metricsUnion = new MetricsUnion()
  const union = metricsUnion.of([histogram(['/a'])], new Map([[1, [histogram(['/a'])]]]))
  assert.equal((await renderFamilies(union, true)).split('\n').length, 2 + 12 + 2)
})
