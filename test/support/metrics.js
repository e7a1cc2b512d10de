'use strict'

const { DelayCounts } = require('../../lib/bridge/delay-counts')
const { WaitCounts } = require('../../lib/bridge/wait-counts')
const { Metrics } = require('../../lib/export/prometheus/metrics')
const { parseExposition } = require('./exposition')
const { makeRecord } = require('./record')

/**
 * Metrics of a made-up host whose state is the test's to set.
 * @param {Partial<import('../../lib/export/prometheus/metrics').Sources>} [differences]
 */
const makeMetrics = (differences = {}) => {
  const delays = new DelayCounts(new SharedArrayBuffer(DelayCounts.BYTES), 0)
  const waits = new WaitCounts(new SharedArrayBuffer(WaitCounts.BYTES), 0)
  const peers = { stringOf: (/** @type {number} */ number) => number === 0 ? 'GET api:443' : null }
  const host = {
    loop: { activeMs: 1500, idleMs: 8500, heartbeatAgeMs: 12, inProgressMs: 0 },
    /** @type {Record<string, { user: number, system: number } | null>} */
    cpu: { main: { user: 1.25, system: 0.5 }, watchdog: { user: 0.1, system: 0.05 } },
    cluster: { workers: { answering: 3, silent: 0 }, restarts: new Map([[1, 2]]) },
    degraded: /** @type {[string, boolean][]} */ ([['endpoint', false], ['dir', true]]),
    shed: { delay: 0, utilization: 0 },
    delays,
    waits
  }
  const metrics = new Metrics({
    loop: () => host.loop,
    cpuSeconds: () => host.cpu,
    degraded: () => host.degraded,
    inFlight: () => 3,
    workInFlight: () => 2,
    heap: () => ({ usedBytes: 30e6, limitBytes: 4e9, externalBytes: 2e6, allocatedBytes: null }),
    originTracking: () => true,
    profiling: () => true,
    shed: () => host.shed,
    cluster: () => host.cluster,
    delays,
    waits: () => waits.read(peers),
    thresholdMs: 50,
    routes: 50,
    labels: {},
    version: '1.2.3',
    ...differences
  })
  return {
    metrics,
    host,
    samples: async (openMetrics = false) => parseExposition(await metrics.render(openMetrics)).samples
  }
}

/** One of everything that is counted. @param {ReturnType<typeof makeMetrics>} made */
function fill ({ metrics, host }) {
  host.delays.record(12)
  for (let i = 0; i < 2; i++) host.waits.begin(0)
  host.waits.end(0, 20)
  metrics.observeBlock(makeRecord())
  metrics.observeGc('major', 30)
  metrics.observePoolDelay('thread_pool', 3)
  metrics.slowIncident('thread_pool')
  metrics.drop('record')
  metrics.requestSeries('/report/:id', 'GET', '2xx').observe(0.3)
  metrics.requestBlockedSeries('/report/:id').observe(0)
  const { duration, blocked } = metrics.workSeries('email:send', 'job')
  duration.observe(1.5)
  blocked.observe(0.2)
}

exports.makeMetrics = makeMetrics
exports.fill = fill
