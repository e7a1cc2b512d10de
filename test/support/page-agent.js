'use strict'

const { createMemory, openBridge } = require('../../lib/bridge/memory')
const { nowMs } = require('../../lib/util/clock')
const { HttpServer } = require('../../lib/export/http/server')
const { answerTimeline } = require('../../lib/export/timeline/answer')
const { gatherTrace } = require('../../lib/watchdog/timeline/timeline')
const { makePaths } = require('../../lib/export/http/paths')
const { resolveOptions } = require('../../lib/options/table')
const { PageFeed } = require('../../lib/watchdog/page-feed/feed')
const { makeDetail } = require('../../lib/watchdog/page-feed/block-detail')
const { readSource } = require('../../lib/util/files')

const NO_SCRAPE = { drainGc: () => {}, drainWork: () => {} }

/**
 * The page's side of an agent over a list of records, without a host: for what takes too long to
 * happen for real.
 * @param {import('node:test').TestContext} t
 * @param {import('../../lib/types').BlockRecord[]} [records] newest first
 */
exports.startPageAgent = async (t, records = []) => {
  const ongoing = () => records.filter((record) => record.ongoing)
  const page = new PageFeed({
    options: resolveOptions({}, {}),
    bridge: openBridge(createMemory()),
    monitor: {
      get state () {
        const halfMs = performance.now() / 2
        return { activeMs: halfMs, idleMs: halfMs, inProgressMs: ongoing()[0]?.durationMs ?? 0, heartbeatAgeMs: 0 }
      }
    },
    blocks: { records: () => records, get ongoing () { return ongoing() } },
    health: { entries: () => [] },
    cluster: { blockedMs: null }
  })
  const poll = setInterval(() => page.poll(nowMs()), 50)
  const detailOf = (/** @type {string} */ id) => makeDetail({
    options: { token: undefined, host: '127.0.0.1', source: 'on' },
    block: (each) => records.find((record) => record.id === each),
    records: () => records,
    waitsFor: (each) => page.recent.waitsFor(each),
    sourceRows: (file) => readSource(file)?.split('\n') ?? null
  })(id)
  const trace = (/** @type {import('../../lib/watchdog/timeline/timeline').Range} */ range) =>
    gatherTrace({ page, records: () => records, scrape: NO_SCRAPE }, range)
  /** @type {HttpServer} */
  let server
  const url = await new Promise((resolve) => {
    server = new HttpServer({
      options: { host: '127.0.0.1', port: 0, allowHosts: [] },
      paths: makePaths({
        incidents: () => page.incidents,
        metrics: /** @type {any} */ ({}),
        blockedMs: () => 0,
        workers: () => null,
        blocks: () => records,
        block: (id) => records.find((record) => record.id === id),
        detail: (id) => detailOf(id),
        records: () => records,
        timeline: (query) => answerTimeline(query, trace),
        recording: () => { throw new Error('not of this agent') },
        page
      }),
      onState: resolve
    })
  })
  t.after(() => {
    clearInterval(poll)
    page.close()
    server.close()
  })
  return { url: `${url}/`, page, records }
}
