'use strict'

// The load driver against real servers, and what the scenarios with servers decide on plain data.
const test = require('node:test')
const assert = require('node:assert/strict')
const { drive } = require('../../../scenarios/load/drive')
const { readSummary } = require('../../../scenarios/load/k6/k6')
const { bytes, duration, k6Lines } = require('../../../scenarios/load/k6/k6-lines')
const { betweenLoads, readLoad } = require('../../../scenarios/load/target/remote-agent')
const { percentile, summarise } = require('../../../scenarios/load/summary')
const { bodyBytes, FULL_BODY_BYTES, receivedBytes, sentBytes } = require('../../../scenarios/cluster-http/database/rows')
const { calibrate, kernels } = require('../../../scenarios/goroutines/kernels')
const { findScenarios } = require('../../../scenarios/harness/registry')
const { makeDocument } = require('../../support/scenario-document')
const { listen } = require('../../support/scenarios/server')

const scenarioOf = (/** @type {string} */ name) =>
  /** @type {import('../../../scenarios/harness/interface').Scenario} */ (
    findScenarios().find((each) => each.name === name)
  )

test('percentiles lie at p * (n - 1), between their neighbours', () => {
  assert.deepEqual([0, 0.5, 0.9, 1].map((p) => percentile([10, 20, 30, 40], p)), [10, 25, 37, 40])
  assert.deepEqual(summarise([4, 1, 3, 2]), {
    avg: 2.5,
    min: 1,
    med: 2.5,
    max: 4,
    p90: 3.7,
    p95: 3.8499999999999996,
    p99: 3.9699999999999998
  })
  assert.equal(summarise([]).max, 0)
})

test('a connection for each request is one, and its handshake is timed', async (t) => {
  const { url, counts } = await listen(t, (_, response) => response.end('x'))
  const load = await drive({ url, users: 2, seconds: 0.2, keepAlive: false })
  assert.deepEqual(counts(), { requests: load.requests, connections: load.requests })
  assert.ok(load.connectingMs.med > 0 && load.blockedMs.med >= load.connectingMs.med)
})

test('wrong answers are failures with their reason, and no figures', async (t) => {
  const { url } = await listen(t, ({ url }, response) => url === '/500' ? response.writeHead(500).end('no') : response.end('other'))
  const wrong = await drive({ url, users: 1, seconds: 0.05, expect: { body: 'right' } })
  assert.ok(wrong.requests === 0 && wrong.failed > 0)
  assert.deepEqual(Object.keys(wrong.errors), ['wrong body other, not right'])
  assert.deepEqual(Object.keys((await drive({ url, users: 1, seconds: 0.05, expect: { bodyBytes: 4 } })).errors), ['5 bytes, not 4'])
  assert.deepEqual(Object.keys((await drive({ url: `${url}500`, users: 1, seconds: 0.05 })).errors), ['status 500'])
  assert.deepEqual(Object.keys((await drive({ url: 'http://127.0.0.1:1/', users: 1, seconds: 0.05 })).errors), ['ECONNREFUSED'])
})

test('an open loop charges a pause of the server to every request that was due in it', async (t) => {
  const PAUSE_MS = 400
  let isFirst = true
  const { url } = await listen(t, (_, response) => {
    setTimeout(() => response.end('x'), isFirst ? PAUSE_MS : 0)
    isFirst = false
  })
  const order = { url, users: 1, seconds: 0.6 }
  const open = await drive({ ...order, ratePerSecond: 100 })
  assert.ok(open.requests + open.late === 60 && open.failed === 0)
  // At 100 a second forty are due while the first is waited for; a closed loop would send one.
  assert.ok([...open.latenciesMs].filter((ms) => ms > PAUSE_MS / 4).length > 15, `${[...open.latenciesMs].map(Math.round)}`)
  assert.ok(open.requests > 1 && open.durationMs.med < open.latencyMs.med)
})

test('a request that a timer sends before it is due takes no less than from its sending', async (t) => {
  const { url } = await listen(t, (_, response) => response.end('x'))
  const { latenciesMs, durationMs } = await drive({ url, users: 4, seconds: 0.5, ratePerSecond: 370 })
  assert.ok(Math.min(...latenciesMs) >= durationMs.min, `${Math.min(...latenciesMs)} ms, ${durationMs.min} from sending on`)
})

test('what is under way at the end has its grace and no more', async (t) => {
  const { url } = await listen(t, () => {})
  const { failed, seconds } = await drive({ url, users: 3, seconds: 0.05, graceSeconds: 0.2 })
  assert.equal(failed, 3)
  assert.ok(seconds >= 0.2 && seconds < 5)
})

test('the lines are those of k6', () => {
  assert.deepEqual([0, 881e-6, 0.00648, 290.9, 50.23, 1330].map(duration), ['0s', '881ns', '6.48µs', '290.9ms', '50.23ms', '1.33s'])
  assert.deepEqual([80, 827000, 1.2e6, 425e6].map(bytes), ['80 B', '827 kB', '1.2 MB', '425 MB'])
  const part = { avg: 290.9, min: 50.23, med: 331.05, max: 363.4, p90: 344.15, p95: 347.43, p99: 350 }
  const lines = k6Lines(
    /** @type {any} */ ({
      requests: 10337,
      failed: 0,
      seconds: 60.325,
      bytesReceived: 425e6,
      bytesSent: 827e3,
      users: 50,
      blockedMs: part,
      connectingMs: part,
      durationMs: part,
      receivingMs: part,
      sendingMs: part,
      waitingMs: part
    })
  )
  assert.equal(lines[0], 'data_received..................: 425 MB 7 MB/s')
  assert.equal(lines[4], 'http_req_duration..............: avg=290.9ms min=50.23ms med=331.05ms max=363.4ms p(90)=344.15ms p(95)=347.43ms')
  assert.match(lines[9], /^http_reqs\.+: 10337 171\.355/)
})

test('of k6\'s summary failures are apart from what was answered', () => {
  const trend = { values: { avg: 2, min: 1, med: 2, max: 3, 'p(90)': 2.9, 'p(95)': 2.95, 'p(99)': 3 } }
  const load = readSummary(
    {
      http_reqs: { values: { count: 100 } },
      http_req_failed: { values: { passes: 4 } },
      http_req_duration: trend,
      data_received: { values: { count: 5 } }
    },
    { users: 2, durationMs: 2000, cpuSeconds: 1 }
  )
  assert.deepEqual(
    [load.requests, load.failed, load.perSecond, load.durationMs.p95, load.sendingMs.max],
    [96, 4, 48, 2.95, 0]
  )
})

test('workers are told apart, and a primary is none', () => {
  const text = (/** @type {number} */ active) => [
    `loopwatch_eventloop_time_seconds_total{worker="primary",thread="main",state="active"} ${active}`,
    `loopwatch_eventloop_time_seconds_total{worker="1",thread="main",state="active"} ${active}`,
    'loopwatch_eventloop_time_seconds_total{worker="1",thread="main",state="idle"} 1',
    `loopwatch_http_request_duration_seconds_count{worker="1",method="GET",route="/",status_class="2xx"} ${active * 10}`,
    `loopwatch_http_request_duration_seconds_count{worker="1",method="GET",route="/x",status_class="2xx"} ${active}`
  ].join('\n')
  assert.deepEqual(betweenLoads(readLoad(text(1)), readLoad(text(3))), [{ worker: '1', utilization: 1, requests: 22 }])
})

test('bytes match the original\'s two runs to 1%, and its gain is 50.8%', () => {
  assert.deepEqual([FULL_BODY_BYTES, bodyBytes(1)], [43010, 53])
  for (const [requests, received, sent] of [[10337, 425e6, 827e3], [15550, 650e6, 1.244e6]]) {
    assert.ok(
      Math.abs(receivedBytes(requests) / received - 1) < 0.01 && Math.abs(sentBytes(requests) / sent - 1) < 0.01
    )
  }
  const { compare } = scenarioOf('cluster-http')
  const [, cell] = makeDocument().cells
  const [table] = compare?.({ ...makeDocument(), cells: ['single', 'cluster'].map((variant, i) => ({ ...cell, variant, median: 100 * (i + 1), params: { users: 50 }, extra: {} })) }) ?? []
  assert.match(String(table.notes?.[0]), /\+50\.8% in the original, which says \+30%; here \+100\.0%/)
  assert.deepEqual(table.rows[0].slice(0, 2), ['http_reqs', '10,337'])
})

test('a step of a kernel is calibrated to what it takes', () => {
  // What a busy machine takes from a calibration makes its steps too few, never too many.
  const perMs = Math.max(...Array.from({ length: 3 }, () => calibrate('sha256')))
  const fromMs = performance.now()
  kernels.sha256(Math.round(perMs * 20))
  assert.ok(performance.now() - fromMs > 2, 'twenty milliseconds of it were over at once')
})
