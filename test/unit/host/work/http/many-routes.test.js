'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const diagnosticsChannel = require('node:diagnostics_channel')
const { EventEmitter } = require('node:events')
const v8 = require('node:v8')
const vm = require('node:vm')
const { createMemory, openBridge } = require('../../../../../lib/bridge/memory')
const { Requests } = require('../../../../../lib/host/work/http/requests')
const { RecentBlocks } = require('../../../../../lib/watchdog/requests/recent-blocks')
const { RequestStats } = require('../../../../../lib/watchdog/requests/stats')
const { makeMetrics } = require('../../../../support/metrics')
const { parseExposition } = require('../../../../support/exposition')

v8.setFlagsFromString('--expose-gc')
const collectGarbage = vm.runInNewContext('gc')

const PATHS = 1e6
const MB = 1024 * 1024

/** Without what could be collected. */
function usedBytes () {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('a million paths, no two of them alike, take no more memory than a thousand', async (t) => {
  const memory = createMemory()
  const requests = new Requests(openBridge(memory), { routes: 50 })
  t.after(() => requests.stop())
  const { metrics } = makeMetrics()
  const stats = new RequestStats(openBridge(memory), metrics, new RecentBlocks())
  const start = diagnosticsChannel.channel('http.server.request.start')
  const finish = diagnosticsChannel.channel('http.server.response.finish')
  const socket = new EventEmitter()
  const response = { statusCode: 200 }
  let heapBytes = 0
  for (let i = 0; i < PATHS; i++) {
    // Letters only: nothing in them looks like an id.
    const path = `/${i.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)])}/page`
    const request = { method: 'GET', url: path, rawHeaders: [], socket, httpVersionMajor: 1 }
    start.publish({ request, response, socket })
    finish.publish({ request, response, socket })
    if (i % 4000 === 3999) stats.drain(Infinity)
    if (i === PATHS / 10) heapBytes = usedBytes()
  }
  stats.drain(Infinity)
  const grownMb = (usedBytes() - heapBytes) / MB
  assert.ok(grownMb < 5, `${grownMb} MB more than after a tenth of them`)
  const counts = parseExposition(await metrics.render()).samples.filter(({ name }) => name === 'loopwatch_http_request_duration_seconds_count')
  assert.equal(counts.length, 51)
  assert.equal(counts.reduce((total, { value }) => total + value, 0), PATHS)
  assert.equal(counts.find(({ labels }) => labels.route === '(other)')?.value, PATHS - 50)
})
