'use strict'

const { BlockSpans } = require('./block-spans')
const { warnOfInit } = require('./end-process')
const { Health } = require('./health')
const { SPAN } = require('../bridge/messages')
const { LogBudget } = require('../export/log/budget')
const { nowMs } = require('../util/clock')

/** @typedef {import('../options/table').ResolvedOptions} Options */

/**
 * The log, null where none is wanted, and what tells in it which parts do not work.
 * @param {Pick<import('./watchdog').WorkerData, 'options' | 'mayInspect'>} data
 * @param {(message: object) => void} post to the host
 */
exports.openLog = ({ options, mayInspect }, post) => {
  const health = new Health(post)
  const log = options.log === false ? null : makeLog(options.log, health)
  if (log !== null) health.sayIn(log)
  warnOfInit(options, mayInspect, health.say)
  return { health, log }
}

// Each of these is loaded only where it is wanted: they are half of the code of this thread.

/** @param {Exclude<Options['log'], false>} option @param {Health} health */
function makeLog (option, health) {
  const { BlockLog } = require('../export/log/log')
  return new BlockLog({ log: option, nowMs, onState: health.listener('log'), open: isPath(option) ? openPath : undefined })
}

/**
 * stdout and stderr are written from this thread: a pipe is never waited for, and a file on a disk that hangs would
 * stop the application, too, which writes there itself.
 * @param {Exclude<Options['log'], false>} option
 */
const isPath = (option) => option !== true && typeof option.destination === 'string'

/**
 * @param {1 | 2 | string} path
 * @param {(error: Error | null) => void} onState
 */
function openPath (path, onState) {
  const { FileWriter } = require('./writer/file-writer')
  return new FileWriter({ kind: 'log', target: `${path}`, onState })
}

/** Bounds how many blocks of worker threads are filed, to as many as a person would read. */
exports.makeBudget = () => new LogBudget(nowMs())

/**
 * Records on disk, null where none are wanted.
 * @param {Options} options
 * @param {Health} health
 */
exports.openFile = ({ dir }, health) => {
  if (dir === undefined) return null
  const { FileWriter } = require('./writer/file-writer')
  const writer = new FileWriter({
    kind: 'records',
    target: dir,
    name: `blocks-${process.pid}-${Date.now()}`,
    onState: health.listener('dir')
  })
  return {
    append: (/** @type {import('../types').BlockRecord} */ record) => writer.write(`${JSON.stringify(record)}\n`),
    takeLost: () => writer.takeLost(),
    end: () => writer.end()
  }
}

/**
 * Posts long blocks while they last, null where that is not wanted.
 * @param {Options} options
 * @param {Health} health
 * @param {import('../export/prometheus/metrics').Metrics} metrics
 */
exports.openNotifier = ({ notify: url, notifyAbove: aboveMs, labels }, health, metrics) => {
  if (url === undefined) return null
  const { Notifier } = require('../export/notify/notify')
  const onState = health.listener('notify')
  return new Notifier({ url, aboveMs, labels, onState, onLost: (messages) => metrics.drop('notification', messages) })
}

/**
 * Sends metrics, logs and spans by OTLP, null where that is not wanted.
 * @param {import('./watchdog').WorkerData} data
 * @param {Health} health
 * @param {import('./scrape').Scrape} scrape
 */
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
 * OTLP, and the spans of blocks: they go by OTLP if that is on, else to the application's own tracer provider.
 * @param {import('./watchdog').WorkerData} data
 * @param {Health} health
 * @param {import('./scrape').Scrape} scrape
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
