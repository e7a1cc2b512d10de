'use strict'

const { nowMs } = require('../../util/clock')

/**
 * @import { Trace } from '../../export/timeline/trace-events'
 * @import { BlockRecord } from '../../types'
 * @import { Scrape } from '../scrape'
 * @import { Timeline } from './timeline'
 */

/** @typedef {{ fromMs: number, toMs: number }} Range Unix times in ms */

/**
 * @param {object} parts @param {{ timeline: Pick<Timeline, 'within'> }} parts.page
 * @param {() => BlockRecord[]} parts.records newest first, those in progress included
 * @param {Pick<Scrape, 'drainGc' | 'drainWork'>} parts.scrape that fills the timeline
 * @param {Range} range @returns {Trace}
 */
exports.gatherTrace = ({ page, records, scrape }, { fromMs, toMs }) => {
  scrape.drainGc()
  scrape.drainWork()
  const wallOffsetMs = Date.now() - nowMs()
  const range = { fromMs: fromMs - wallOffsetMs, toMs: toMs - wallOffsetMs }
  return {
    pid: process.pid,
    title: `node ${process.pid}`,
    wallOffsetMs,
    ...range,
    ...page.timeline.within(range.fromMs, range.toMs),
    blocks: records().filter((record) => overlaps(record, fromMs, toMs))
  }
}

/** @param {BlockRecord} record @param {number} fromMs @param {number} toMs */
function overlaps ({ startedAt, durationMs }, fromMs, toMs) {
  const startMs = Date.parse(startedAt)
  return startMs <= toMs && startMs + durationMs >= fromMs
}
