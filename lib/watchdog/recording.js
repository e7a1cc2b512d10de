'use strict'

const { setImmediate } = require('node:timers/promises')
const { profileOf } = require('../export/profiles/profiles')
const { rangeOf } = require('../export/timeline/answer')
const { writeTrace } = require('../export/timeline/trace-events')
const { hiderOf, shownOptions } = require('../options/shown')
const { Json, packRecording } = require('../store/recording')
const { version } = require('../../package.json')

/**
 * @import { Trace } from '../export/timeline/trace-events'
 * @import { ResolvedOptions } from '../options/table'
 * @import { BlockRecord } from '../types'
 * @import { PageFeed } from './page-feed/feed'
 * @import { Scrape } from './scrape'
 */

/** Blocks whose source and advice are recorded, the longest ones: those that somebody will open. */
const DETAILS = 100

/**
 * Everything that this thread knows, as one file: what is needed to see an incident without the process.
 * @param {object} sources @param {ResolvedOptions} sources.options
 * @param {() => BlockRecord[]} sources.records newest first, with all their stacks
 * @param {(id: string) => object | null} sources.detail @param {Pick<PageFeed, 'snapshot'>} sources.page
 * @param {Pick<Scrape, 'render'>} sources.metrics @param {(range: ReturnType<typeof rangeOf>) => Trace} sources.trace
 * @returns {Promise<Buffer>}
 */
exports.makeRecording = ({ options, records, detail, page, metrics, trace }) => {
  const blocks = records()
  const { node, v8 } = process.versions
  return packRecording({
    recordedAt: () => new Date().toISOString(),
    versions: () => ({ loopwatch: version, node, v8, platform: process.platform, arch: process.arch }),
    process: () => ({ pid: process.pid }),
    settings: () => shownOptions(options),
    page: () => page.snapshot(),
    blocks: () => blocks,
    details: () => detailsOf(blocks, detail),
    profile: async () => new Json(`${(await profileOf(blocks, new URLSearchParams())).body}`),
    timeline: async () => new Json(await writeTrace(trace(rangeOf(new URLSearchParams(), Date.now())))),
    metrics: () => metrics.render()
  }, hiderOf(options))
}

/** @param {BlockRecord[]} blocks @param {(id: string) => object | null} detail */
async function detailsOf (blocks, detail) {
  /** @type {Record<string, object>} */
  const details = {}
  for (const { id } of [...blocks].sort((a, b) => b.durationMs - a.durationMs).slice(0, DETAILS)) {
    // The block itself is in `blocks` already.
    const { block, ...rest } = /** @type {any} */ (detail(id) ?? {})
    if (block !== undefined) details[id] = rest
    await setImmediate()
  }
  return details
}
