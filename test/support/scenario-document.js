'use strict'

const { summarise } = require('../../scenarios/harness/measure/stats')

/** What a run of `messaging` may have come to. @returns {import('../../scenarios/harness/interface').Document} */
exports.makeDocument = () => {
  const cell = {
    variant: 'fork-json',
    params: { payload: 'small', depth: 1 },
    unit: 'messages/s',
    better: /** @type {const} */ ('higher'),
    samples: [36000, 36425, 37000],
    median: 36425,
    min: 36000,
    max: 37000,
    ci95: /** @type {[number, number]} */ ([35230, 37720]),
    latencyMs: { p50: 0.02, p90: 0.03, p95: 0.04, p99: 0.1, max: 2 },
    process: [{ role: 'caller', cpuSeconds: 0.2, peakRssBytes: 8e7 }, { role: 'child', cpuSeconds: 0.1, peakRssBytes: 5e7 }],
    caller: { delayP50Ms: 0.5, delayP99Ms: 4.4, delayMaxMs: 10, blocks: 0 },
    extra: {},
    oracle: /** @type {const} */ ('passed'),
    error: null,
    skipped: null,
    oversubscribed: false
  }
  const none = {
    samples: [],
    median: null,
    min: null,
    max: null,
    ci95: null,
    latencyMs: null,
    process: [],
    caller: null,
    oracle: null
  }
  return {
    scenario: 'messaging',
    mode: 'default',
    startedAt: '2026-11-21T10:00:00.000Z',
    durationSeconds: 60,
    repeats: 3,
    seconds: null,
    interrupted: false,
    environment: { node: 'v20.20.2', v8: '11.3', cpu: 'a processor', cores: 2, kernel: 'Linux 6.18', platform: 'linux x64', memoryBytes: 8e9, loadAverage: 0.1, tools: {} },
    cells: [
      cell,
      { ...cell, variant: 'worker-clone', ...summarise([60000, 62647, 70000]), process: [{ role: 'caller', cpuSeconds: 0.2, peakRssBytes: 8e7 }, { role: 'worker thread', cpuSeconds: 0.1, peakRssBytes: null }] },
      { ...cell, ...none, variant: 'elsewhere', skipped: 'go is not on the PATH: https://go.dev/dl/' },
      { ...cell, ...none, variant: 'ring-json', error: 'the message that went round is not what it must be\n  at run', oracle: /** @type {const} */ ('failed'), oversubscribed: true }
    ],
    verdict: 'Send messages to a thread rather than to a process: it answers 1.72 times (1.68 to 1.76) as many small ones.',
    findings: ['Small messages, one in flight: a thread answers 62,647/s, a process 36,425/s (1.72 times).']
  }
}

/** Five runs around a figure, within so much of it. @param {number} middle @param {number} [spread] */
exports.around = (middle, spread = 0.02) => [-1, -0.5, 0, 0.5, 1].map((part) => middle * (1 + spread * part))

/**
 * The same in an order that has nothing to do with around()'s: a repeat of one cell and that of another are a pair.
 * @param {number} middle @param {number} [spread]
 */
exports.beside = (middle, spread) => [3, 0, 2, 4, 1].map((i) => exports.around(middle, spread)[i])

/**
 * @typedef {{ variant: string, params: Record<string, any>, samples: number[], extra?: Record<string, number[]>,
 * caller?: any, unit?: string }} Given
 */

/**
 * A run whose cells came to these samples.
 * @param {Given[]} given
 * @returns {import('../../scenarios/harness/interface').Document}
 */
exports.documentOf = (given) => {
  const document = exports.makeDocument()
  const [, cell] = document.cells
  const cells = given.map(({ samples, extra = {}, ...rest }) => ({
    ...cell,
    unit: 'requests/s',
    ...rest,
    ...summarise(samples),
    extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, summarise(values)]))
  }))
  return { ...document, cells }
}
