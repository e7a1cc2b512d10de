'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { SeriesReader, SeriesWriter } = require('../../../../lib/cluster/metrics/series')
const { LINE_BYTES } = require('../../../../lib/cluster/wire')
const { seeded } = require('../../../support/simulated-host')
const { counter, histogram } = require('../../../support/lib/series')

/** @typedef {import('../../../../lib/types').Metric} Metric */

test('a snapshot arrives as it was sent, whatever changes, comes and goes between two', () => {
  const random = seeded(7)
  const writer = new SeriesWriter()
  const reader = new SeriesReader()
  /** @type {Map<string, Metric>} */
  const registry = new Map(['x_total', 'y', 'z_seconds'].map((name, i) => [name, { name, help: `${name}?`, type: ['counter', 'gauge', 'histogram'][i], values: [] }]))
  for (let round = 0; round < 200; round++) {
    for (const metric of registry.values()) {
      if (random() < 0.3) metric.values.push({ labels: { n: `${round}"\n`, le: round / 2 }, value: random(), metricName: metric.type === 'histogram' ? `${metric.name}_bucket` : undefined, exemplar: null })
      if (random() < 0.1) metric.values.splice(Math.floor(random() * metric.values.length), 1)
      for (const value of metric.values) {
        if (random() < 0.2) value.value = random() < 0.1 ? NaN : random()
        if (random() < 0.1) value.exemplar = { labelSet: { block_id: `${round}` }, value: random(), timestamp: round }
      }
    }
    for (const message of writer.changes([...registry.values()])) reader.apply(JSON.parse(JSON.stringify(message)))
    const plain = (/** @type {Metric[]} */ metrics) => JSON.parse(JSON.stringify(
      metrics
        .filter(({ values }) => values.length > 0)
        .sort((a, b) => a.name < b.name ? -1 : 1)
        .map((metric) => ({
          ...metric,
          values: metric.values.map((value) => ({ ...value, exemplar: value.exemplar ?? null }))
        }))
    ))
    assert.deepEqual(plain(reader.snapshot()), plain([...registry.values()]), `round ${round}`)
  }
})

test('a snapshot that has not changed is not sent again', () => {
  const writer = new SeriesWriter()
  const many = { ...counter(1), values: Array.from({ length: 5000 }, (_, i) => ({ labels: { i: `${i}` }, value: i })) }
  const first = writer.changes([many]).map((message) => JSON.stringify(message).length)
  assert.ok(Math.max(...first) < LINE_BYTES / 4)
  assert.ok(JSON.stringify(writer.changes([many])).length < 100)
})

const series = { index: 0, name: 'a_total', help: 'help', type: 'counter', metricName: 'a_total', labels: {} }

test('series that no worker would send are refused, as are those that never end', () => {
  for (const message of [
    ...[
      { index: '0' }, { index: 1.5 }, { name: 'a b' }, { name: ['a_total'] }, { type: 'thing' }, { help: null },
      { help: 'x'.repeat(2000) }, { metricName: 'other' }, { metricName: 'a_total 1\n' }, { labels: null },
      { labels: { 'x="1"} 1\ny': 'z' } }, { labels: { x: {} } }, { labels: { worker: '1' } },
      { labels: { x: 'x'.repeat(5000) } }
    ].map((wrong) => ({ series: [{ ...series, ...wrong }] })),
    { series: 1 },
    { series: [series], values: [[0, 'x']] },
    { series: [series], values: [[0, 1, { labelSet: 1 }]] },
    { series: [series], values: [[0, 1, { labelSet: { 'x"': 'y' }, value: 1, timestamp: 1 }]] },
    { series: [series], values: [[0, 1, { labelSet: {}, value: '1', timestamp: 1 }]] },
    { series: [series], values: Array.from({ length: 50_001 }, () => [0, 1]) },
    { series: Array.from({ length: 50_001 }, (_, index) => ({ ...series, index })) },
    { gone: {} }
  ]) {
    assert.throws(() => new SeriesReader().apply(/** @type {any} */ ({ t: 'metrics', ...message })), /that are not valid|iterable/, JSON.stringify(message).slice(0, 200))
  }
  assert.equal(new SeriesReader().apply({ t: 'metrics', series: [series], values: [[0, 1]], gone: [] }), true)
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

test('series with long labels travel in lines that are not too long, or not at all', () => {
  const long = (/** @type {number} */ length) => ({ ...histogram(Array.from({ length: 400 }, (_, i) => `${i}${'\u20ac'.repeat(length)}`)) })
  const lines = new SeriesWriter().changes([long(3900)]).map((message) => Buffer.byteLength(JSON.stringify(message)))
  assert.ok(lines.length > 50 && Math.max(...lines) < 500_000, `${Math.max(...lines)}`)
  assert.ok(new SeriesWriter().changes([long(5000)]).every(({ series = [] }) => series.length === 0))
})
