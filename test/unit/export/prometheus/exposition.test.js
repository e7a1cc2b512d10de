'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { familiesOf, renderFamilies } = require('../../../../lib/export/prometheus/exposition')
const { parseExposition } = require('../../../support/exposition')

/** @typedef {import('../../../../lib/types').Metric} Metric */

/** @param {Partial<Metric>} differences @returns {Metric} */
const makeMetric = (differences) => ({ name: 'a_total', help: 'A', type: 'counter', values: [], ...differences })

test('a metric without labels has none, and odd values are written as Prometheus reads them', async () => {
  const metric = makeMetric({
    values: [NaN, Infinity, -Infinity, 1e21].map((value) => ({ labels: {}, value }))
  })
  assert.equal(await renderFamilies(familiesOf([metric]), false), [
    '# HELP a_total A', '# TYPE a_total counter', 'a_total NaN', 'a_total +Inf', 'a_total -Inf', 'a_total 1e+21', '', ''
  ].join('\n'))
})

test('OpenMetrics names a counter without its suffix and ends with EOF; the text format keeps the name', async () => {
  const families = familiesOf([makeMetric({ values: [{ labels: { b: 'c' }, value: 1 }] })])
  const openMetrics = '# HELP a A\n# TYPE a counter\na_total{b="c"} 1\n# EOF\n'
  const text = '# HELP a_total A\n# TYPE a_total counter\na_total{b="c"} 1\n\n'
  for (const isOpen of [true, false, true]) {
    assert.equal(await renderFamilies(families, isOpen), isOpen ? openMetrics : text)
  }
})

test('a series has the label of its worker, once', async () => {
  /** @type {Metric['values']} */
  const values = [{ labels: { b: 'c' }, value: 1 }, { labels: {}, value: 2 }, { labels: { worker: '7' }, value: 3 }]
  const family = { name: 'a', help: 'A', type: 'gauge', groups: [{ worker: 'primary', values }, { worker: null, values }] }
  const { samples } = parseExposition(await renderFamilies([family], false))
  assert.deepEqual(samples.map(({ labels }) => labels), [
    { worker: 'primary', b: 'c' }, { worker: 'primary' }, { worker: '7' }, { b: 'c' }, {}, { worker: '7' }
  ])
})

test('a large metric is one family, and others get turns of the loop while it is printed', async () => {
  const values = Array.from({ length: 5500 }, (_, i) => ({ labels: { i }, value: i }))
  let turns = 0
  const tick = () => {
    turns++
    next = setImmediate(tick)
  }
  let next = setImmediate(tick)
  const text = await renderFamilies(familiesOf([makeMetric({ values })]), false)
  clearImmediate(next)
  assert.ok(turns >= 5, `${turns} turns`)
  const { families, samples } = parseExposition(text)
  assert.deepEqual([...families.keys()], ['a_total'])
  assert.deepEqual(samples.map(({ value }) => value), values.map(({ value }) => value))
  assert.equal(text.split('# TYPE').length, 2)
})
