'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { BlockSpans } = require('./block-spans')
const { Health } = require('./health')
const { SPAN } = require('../bridge/messages')
const { LogBudget } = require('../export/log/budget')
const { nowMs } = require('../util/clock')
const { endSentenceOf } = require('../util/sentence')

/**
 * @import { Metrics } from '../export/prometheus/metrics'
 * @import { ResolvedOptions as Options } from '../options/table'
 * @import { BlockRecord } from '../types'
 * @import { Blocks } from './blocks'
 * @import { MainLoop } from './main-loop'
 * @import { PageFeed } from './page-feed/feed'
 * @import { Scrape } from './scrape'
 * @import { WorkerData } from './watchdog'
 */

/**
 * @param {Pick<WorkerData, 'options' | 'mayInspect' | 'isQuiet'>} data
 * @param {(message: object) => void} post to the host
 */
exports.openLog = ({ options, mayInspect, isQuiet }, post) => {
  const health = new Health(post)
  const log = options.log === false ? null : makeLog(options.log, health, isQuiet)
  if (log !== null) health.sayIn(log)
  if (options.onStuck === 'abort') require('./end-process').warnOfInit(mayInspect, health.say)
  return { health, log }
}

// Each output is loaded only if it is wanted: together they are half of this thread's code.

/** @param {Exclude<Options['log'], false>} option @param {Health} health @param {boolean} isQuiet */
function makeLog (option, health, isQuiet) {
  const { BlockLog } = require('../export/log/log')
  return new BlockLog({ log: option, isQuiet, nowMs, onState: health.listener('log'), open: openPath(option) })
}

/**
 * Only a path needs a thread of its own. stdout and stderr are written from this one: it never waits for a pipe, and if
 * they are files on a disk that hangs, the application hangs as well, as it writes there itself.
 * @param {Exclude<Options['log'], false>} option
 */
const openPath = (option) => {
  if (option === true || typeof option.destination !== 'string') return undefined
  const { destination: target, creates } = option
  const { FileWriter } = require('./writer/file-writer')
  return (/** @type {unknown} */ path, /** @type {(error: Error | null) => void} */ onState) =>
    new FileWriter({ kind: 'log', target, creates, onState })
}

/** Limits the blocks of worker threads in the file to as many as a person would read. */
exports.makeBudget = () => new LogBudget(nowMs())

/** @param {Options} options @param {Health} health @param {Metrics} metrics */
exports.openFile = ({ dir }, health, metrics) => {
  if (dir === undefined) return null
  const { FileWriter } = require('./writer/file-writer')
  const writer = new FileWriter({
    kind: 'records',
    target: dir,
    name: `blocks-${process.pid}-${Date.now()}`,
    onState: health.listener('dir'),
    onUnended: (record) => {
      metrics.predecessorEnded()
      const { id, pid, startedAt, durationMs, cause } = record
      const fields = { event: 'predecessor', block: id, of: pid, startedAt, durationMs, cause }
      health.say('warn', fields, endSentenceOf(record))
    }
  })
  return {
    append: (/** @type {BlockRecord} */ record) => writer.write(`${JSON.stringify(record)}\n`),
    keepTimeline: (/** @type {string} */ id, /** @type {string} */ text) => writer.keepTimeline(id, text),
    takeLost: () => writer.takeLost(),
    end: () => writer.end()
  }
}

/**
 * @param {object} parts @param {ReturnType<typeof exports.openFile>} parts.file @param {Health} parts.health
 * @param {Blocks} parts.blocks @param {Scrape} parts.scrape
 * @param {PageFeed} parts.page
 */
exports.openTimelines = ({ file, health, blocks, scrape, page }) => {
  if (file === null) return null
  const { TimelineKeeper } = require('./timeline/timeline')
  return new TimelineKeeper({
    page,
    scrape,
    records: () => blocks.records(),
    keep: (id, text) => file.keepTimeline(id, text),
    onThrow: (error) => health.threw('timeline', error)
  })
}

/** @param {Options} options @param {Health} health @param {Metrics} metrics */
exports.openNotifier = ({ notify: url, notifyAbove: aboveMs, labels }, health, metrics) => {
  if (url === undefined) return null
  const { Notifier } = require('../export/notify/notify')
  const onState = health.listener('notify')
  return new Notifier({ url, aboveMs, labels, onState, onLost: (messages) => metrics.drop('notification', messages) })
}

/** @param {WorkerData} data @param {Health} health @param {Scrape} scrape */
function openOtlp ({ options: { otlp: settings, labels }, role }, health, scrape) {
  if (settings === false) return null
  const { OtlpExporter } = require('../export/otlp/exporter')
  return new OtlpExporter({
    settings,
    labels,
    isWorker: role.kind === 'worker',
    snapshot: () => scrape.snapshot(),
    nowMs,
    onState: health.listener('otlp'),
    onLost: (reason, count) => scrape.metrics.drop(reason, count)
  })
}

/**
 * OTLP, and the spans of blocks. Spans go by OTLP if that is on, else to the application's own tracer provider.
 * @param {WorkerData} data @param {Health} health @param {Scrape} scrape
 * @param {(message: object) => void} post to the host
 */
exports.openTelemetry = (data, health, scrape, post) => {
  const otlp = openOtlp(data, health, scrape)
  const sender = otlp?.hasSpans ? otlp : null
  const spans = new BlockSpans({
    write: (span) => sender === null ? post({ code: SPAN, span }) : sender.span(span),
    writesOngoing: sender !== null,
    onDropped: () => scrape.metrics.drop('span')
  })
  return { otlp, spans }
}

/** A block without a profile settles within this time (SETTLE_MS of loop/monitor.js), with a poll. */
const FLUSHED_MS = 600
/** With a profile, which the host may be slow to take. */
const SETTLED_MS = 3000
const LOOK_MS = 5
/** As long as stop() waits: a receiver that is away must not hold up a function that is paid by the millisecond. */
const SENT_MS = 700

/** Waits for the final records of blocks that have ended. @param {MainLoop} mainLoop */
exports.settle = async ({ monitor }, mostMs = SETTLED_MS) => {
  const untilMs = nowMs() + mostMs
  while (!monitor.isSettled && nowMs() < untilMs) await sleep(LOOK_MS)
}

/**
 * Waits for final records, then sends what is waiting for OTLP and `notify`.
 * @param {{ mainLoop: MainLoop, notifier: ReturnType<typeof exports.openNotifier>,
 *   otlp: ReturnType<typeof openOtlp> }} parts
 */
exports.flush = async ({ mainLoop, notifier, otlp }) => {
  await exports.settle(mainLoop, FLUSHED_MS)
  const sent = new AbortController()
  const late = sleep(SENT_MS, undefined, { signal: sent.signal }).catch(() => {})
  await Promise.race([late, Promise.all([notifier?.flush(), otlp?.flush()])])
  sent.abort()
}
