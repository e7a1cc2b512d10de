'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { MetricsUnion } = require('../../../../lib/cluster/metrics/union')
const { counter, histogram, routes } = require('../../../support/lib/series')

/** @typedef {import('../../../../lib/types').Metric} Metric */

test('a histogram whose workers have died adds up bucket by bucket and keeps an exemplar', () => {
  /** @param {number[]} counts @param {number} sum @param {any} [exemplar] @returns {Metric} */
  const histogram = (counts, sum, exemplar) => ({
    name: 'h',
    help: 'h',
    type: 'histogram',
    values: [...counts.map((value, i) => ({ metricName: 'h_bucket', labels: { le: [1, 2, '+Inf'][i], thread: 'main' }, value, exemplar })), { metricName: 'h_sum', labels: { thread: 'main' }, value: sum }, { metricName: 'h_count', labels: { thread: 'main' }, value: counts[2] }]
  })
  const metricsUnion = new MetricsUnion()
  const exemplar = { labelSet: { block_id: '1-1' }, value: 0.5, timestamp: 1 }
  metricsUnion.join(1, 'a')
  metricsUnion.leave(1, 'a', [histogram([1, 2, 3], 6, exemplar)])
  metricsUnion.join(1, 'b')
  const [{ groups: [{ values }] }] = metricsUnion.of([], new Map([[1, [histogram([0, 1, 1], 1.5)]]]))
  assert.deepEqual(values.map(({ value }) => value), [1, 3, 4, 7.5, 4])
  assert.deepEqual(values[0].exemplar, exemplar)
})

test('workers that die for ever leave a bounded number of series', () => {
  const metricsUnion = new MetricsUnion()
  let total = 0
  for (let life = 0; life < 300; life++) {
    metricsUnion.join(1, `${life}`)
    metricsUnion.leave(1, `${life}`, [{ ...counter(0), values: Array.from({ length: 50 }, (_, i) => ({ labels: { route: `/${life}/${i}` }, value: 1 })) }])
    total += 50
  }
  const [{ groups: [{ values }] }] = metricsUnion.of([], new Map())
  // Those of the dead, (other), and of the last one all: it is no dead one before somebody has its slot.
  assert.ok(values.length <= 5000 + 1 + 50, `${values.length} series`)
  assert.equal(values.reduce((sum, { value }) => sum + value, 0), total)
})

test('a histogram beyond the bound of what the dead leave goes to (other) whole', () => {
  const metricsUnion = new MetricsUnion()
  const lives = 5
  for (let life = 0; life < lives; life++) {
    metricsUnion.join(1, `${life}`)
    metricsUnion.leave(1, `${life}`, [histogram(routes(life * 301, 301))])
  }
  metricsUnion.join(1, 'last')
  for (const living of [[], [histogram(routes(0, 301))], [histogram(routes(1e6, 3))]]) {
    const [{ groups: [{ values }] }] = metricsUnion.of([], new Map([[1, living]]))
    /** @type {Map<string, number[]>} */
    const byRoute = new Map()
    for (const { labels: { route }, metricName, value } of values) {
      const all = byRoute.get(`${route}`) ?? []
      byRoute.set(`${route}`, all)
      all.push(value)
      assert.equal(metricName, ['h_bucket', 'h_bucket', 'h_bucket', 'h_bucket', 'h_sum', 'h_count'][all.length - 1], `${route}`)
    }
    for (const [route, [low, middle, high, all, sum, count]] of byRoute) {
      assert.deepEqual([middle, high, all, count], [2 * low, 3 * low, 4 * low, 4 * low], route)
      assert.equal(sum, low, route)
    }
    assert.ok(byRoute.has('(other)') && byRoute.size < 1005)
    const total = [...byRoute.values()].reduce((all, [low]) => all + low, 0)
    assert.equal(total, lives * 301 + living.flatMap(({ values: [...all] }) => all).length / 6)
  }
})

test('what the dead have left takes no room from the living: each of their series stays, and grows', () => {
  // In other buckets, too, as another version of the application has them.
  for (const missing of [undefined, 1]) {
    const metricsUnion = new MetricsUnion()
    metricsUnion.join(1, 'first')
    metricsUnion.leave(1, 'first', [histogram(routes(0, 10))])
    metricsUnion.join(1, 'second')
    /** @type {Map<string, number>} */
    let before = new Map()
    for (const count of [10, 800, 900, 1500]) {
      const living = histogram(routes(0, count), count)
      living.values = living.values.filter(({ labels }) => missing === undefined || labels.le !== missing)
      const [{ groups: [{ values }] }] = metricsUnion.of([], new Map([[1, [living]]]))
      const now = new Map(values.map(({ labels: { route, le }, metricName, value }) => [`${metricName} ${route} ${le}`, value]))
      for (const [series, value] of before) assert.ok(Number(now.get(series)) >= value, `${series}: ${value}, then ${now.get(series)}`)
      assert.equal(now.size, missing === undefined ? count * 6 : count * 5 + 10)
      before = now
    }
  }
})

test('totals of another version with other buckets are kept as series of their own', () => {
  const metricsUnion = new MetricsUnion()
  metricsUnion.join(1, 'a')
  metricsUnion.leave(1, 'a', [histogram(['/a', '/b'])])
  metricsUnion.join(1, 'b')
  const other = histogram(['/a'])
  other.values = other.values.filter(({ labels }) => labels.le !== 1)
  const [{ groups: [{ values }] }] = metricsUnion.of([], new Map([[1, [other]]]))
  assert.deepEqual(values.map(({ value }) => value), [2, 4, 3, 8, 2, 8, 1, 2, 3, 4, 1, 4])
})
