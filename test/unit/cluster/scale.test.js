'use strict'

// What a primary holds and says of many workers.
const test = require('node:test')
const assert = require('node:assert/strict')
const { MetricsUnion } = require('../../../lib/cluster/metrics/union')
const { SeriesReader, SeriesWriter } = require('../../../lib/cluster/metrics/series')
const { renderFamilies } = require('../../../lib/export/prometheus/exposition')

/** @typedef {import('../../../lib/types').Metric} Metric */

/** Six samples a set: the bound of 5000 series falls within one. */
const BOUNDS = [0.1, 0.5, 1, '+Inf']

/** @param {string[]} routes @param {number} [count] @returns {Metric} */
const histogram = (routes, count = 1) => ({
  name: 'h',
  help: 'h',
  type: 'histogram',
  values: routes.flatMap((route) => [
    ...BOUNDS.map((le, i) => ({ metricName: 'h_bucket', labels: { le, route }, value: count * (i + 1) })),
    { metricName: 'h_sum', labels: { route }, value: count },
    { metricName: 'h_count', labels: { route }, value: count * BOUNDS.length }
  ])
})

/** @param {number} from @param {number} count */
const routes = (from, count) => Array.from({ length: count }, (_, i) => `/${from + i}`)

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

test('what another version leaves in other buckets is kept beside', () => {
  const metricsUnion = new MetricsUnion()
  metricsUnion.join(1, 'a')
  metricsUnion.leave(1, 'a', [histogram(['/a', '/b'])])
  metricsUnion.join(1, 'b')
  const other = histogram(['/a'])
  other.values = other.values.filter(({ labels }) => labels.le !== 1)
  const [{ groups: [{ values }] }] = metricsUnion.of([], new Map([[1, [other]]]))
  assert.deepEqual(values.map(({ value }) => value), [2, 4, 3, 8, 2, 8, 1, 2, 3, 4, 1, 4])
})

test('a worker\'s metrics count once they have come whole', () => {
  const writer = new SeriesWriter()
  const reader = new SeriesReader()
  const first = writer.changes([histogram(['/a'])])
  for (const message of first.slice(0, -1)) {
    assert.equal(reader.apply(message), false)
    assert.equal(reader.snapshot().flatMap(({ values }) => values).length, 0)
  }
  assert.equal(reader.apply(first.at(-1) ?? { t: '' }), true)
  for (const message of writer.changes([histogram(['/a'], 2)]).slice(0, -1)) {
    reader.apply(message)
    assert.deepEqual(reader.snapshot()[0].values.map(({ value }) => value), [1, 2, 3, 4, 1, 4])
  }
})

test('series that would write over others, or never end, are refused', () => {
  const metric = [0, 'a_total', 'help', 'counter']
  const series = [0, 0, 'a_total', {}]
  for (const message of [
    { metrics: [metric, [1, 'a_total', 'help', 'counter']] },
    { metrics: [metric, [0, 'b_total', 'help', 'counter']] },
    { metrics: Array.from({ length: 1001 }, (_, i) => [i, `a${i}`, 'help', 'counter']) },
    { metrics: [metric], series: [series, series] },
    { metrics: [metric], series: [[0, 0, 'a_total', { worker: '1' }]] },
    { metrics: [metric], series: [[0, 0, 'a_total', { x: 'x'.repeat(5000) }]] },
    { metrics: [metric], series: [series], values: Array.from({ length: 50_001 }, () => [0, 1]) }
  ]) {
    assert.throws(() => new SeriesReader().apply(/** @type {any} */ ({ t: 'metrics', ...message })), /that is none/, JSON.stringify(message).slice(0, 200))
  }
})

test('series with long labels travel in lines that are not too long, or not at all', () => {
  const long = (/** @type {number} */ length) => ({ ...histogram(Array.from({ length: 400 }, (_, i) => `${i}${'\u20ac'.repeat(length)}`)) })
  const lines = new SeriesWriter().changes([long(3900)]).map((message) => Buffer.byteLength(JSON.stringify(message)))
  assert.ok(lines.length > 50 && Math.max(...lines) < 500_000, `${Math.max(...lines)}`)
  assert.ok(new SeriesWriter().changes([long(5000)]).every(({ series = [] }) => series.length === 0))
})

test('the union reads as an exposition', async () => {
  const metricsUnion = new MetricsUnion()
  const union = metricsUnion.of([histogram(['/a'])], new Map([[1, [histogram(['/a'])]]]))
  assert.equal((await renderFamilies(union, true)).split('\n').length, 2 + 12 + 2)
})
