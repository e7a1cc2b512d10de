'use strict'

const { LogBudget, Progress } = require('../log/budget')
const { Outbox } = require('../outbox')
const { makePauses } = require('../pauses')
const { logRecord, otlpSpan } = require('./block-signals')
const { otlpMetric } = require('./metrics')
const { StandardMetrics } = require('./standard-metrics')
const { randomUUID } = require('node:crypto')
const os = require('node:os')
const { keyValues } = require('./values')
const { version } = require('../../../package.json')

/** @import { OtlpSettings, Signal } from '../../options/otlp' */
/** @import { BlockRecord, BlockSpan, Metric } from '../../types' */
/** @import { Answer } from '../http-client' */
/** @import { Phase } from './block-signals' */
/** @import { Times } from './metrics' */

/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const RETRYABLE = new Set([429, 502, 503, 504])

/** Most log records, and most spans, that wait for a receiver: about 2 MB. */
const WAITING = 1000
/** The latest reading and the one being sent. Values are cumulative, so the latest has everything. */
const READINGS = 2
/** Values encoded between two polls of the loop: about 2 ms of work. */
const VALUES_A_TURN = 1000

/** @typedef {{ metrics: Metric[], times: Times }} Reading */

/** Sends from the watchdog's thread, even while the application is stuck. Never throws. */
class OtlpExporter {
  #parts
  #resource
  #standard = new StandardMetrics()
  #startMs = Date.now()
  #budget
  #progress = new Progress()
  #timer
  /** @type {Map<string, string>} by signal, or `settings` */
  #failures = new Map()
  /** @type {{ logs: Outbox<object> | null, traces: Outbox<object> | null, metrics: Outbox<Reading> | null }} */
  #outboxes

  /**
   * @param {object} parts
   * @param {OtlpSettings} parts.settings
   * @param {Record<string, string>} parts.labels the option
   * @param {boolean} parts.isWorker of a cluster
   * @param {() => Promise<Metric[]>} parts.snapshot of the metrics of this process
   * @param {() => number} parts.nowMs the clock of all threads
   * @param {(error: { message: string } | null) => void} parts.onState
   * @param {(reason: string, count: number) => void} parts.onLost
   * @param {number} [parts.delayMs] for tests @param {number} [parts.retryMs] for tests
   */
  constructor (parts) {
    this.#parts = parts
    const { settings, labels, isWorker, nowMs, onState } = parts
    const resource = this.#resource = resourceOf({ attributes: settings.attributes, labels, isWorker })
    this.#budget = new LogBudget(nowMs())
    this.#outboxes = {
      logs: this.#open('logs', 'otlp_log', (logRecords) =>
        JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] })),
      traces: this.#open('traces', 'otlp_span', (spans) =>
        JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] })),
      metrics: this.#open('metrics', 'otlp_metrics', ([reading]) =>
        this.#metrics(reading), { most: READINGS, batch: 1, delayMs: 0 })
    }
    if (settings.failures.length > 0) this.#failures.set('settings', settings.failures.join('; '))
    const faults = [...settings.failures, ...settings.faults]
    if (faults.length > 0) onState({ message: faults.join('; ') })
    this.#timer = setInterval(() => this.#read(), settings.intervalMs)
  }

  /**
   * @template T @param {Signal} signal @param {string} reason under which losses are counted
   * @param {(items: T[]) => Promise<string> | string} encode
   * @param {{ most: number, batch: number, delayMs?: number }} [bounds]
   * @returns {Outbox<T> | null} null if the signal is not sent
   */
  #open (signal, reason, encode, bounds = { most: WAITING, batch: 200 }) {
    const { settings, onLost, delayMs, retryMs } = this.#parts
    const own = settings.signals[signal]
    if (own === null) return null
    return new Outbox({
      target: { ...own, isRetryable: (status) => RETRYABLE.has(status) },
      encode,
      read: (answer, { length }) => readAnswer(new URL(own.url).host, answer, length),
      delayMs,
      retryMs,
      ...bounds,
      onState: (error) => this.#state(signal, error),
      onLost: (count) => onLost(reason, count)
    })
  }

  /** @param {Signal} signal @param {Error | null} error */
  #state (signal, error) {
    if (error === null) this.#failures.delete(signal)
    else this.#failures.set(signal, `${signal}: ${error.message}${protocolHint(error)}`)
    const [message] = this.#failures.values()
    this.#parts.onState(message === undefined ? null : { message })
  }

  /** Blocks at startup are sent when they settle. @param {BlockRecord} record */
  opened (record) {
    if (!record.startup) this.#log('opened', record)
  }

  /** @param {BlockRecord} record */
  lasting (record) {
    if (this.#progress.isDue(record)) this.#log('lasting', record)
  }

  /** @param {BlockRecord} record */
  stuck (record) {
    this.#outboxes.logs?.add(logRecord('stuck', record, Date.now()))
  }

  /** @param {BlockRecord} record */
  settled (record) {
    this.#progress.ended(record.id)
    this.#log('settled', record)
    const suppressed = this.#budget.takeSuppressed()
    if (suppressed > 0) this.#parts.onLost('otlp_suppressed', suppressed)
  }

  /** Sends the same phases as the log. @param {Phase} phase @param {BlockRecord} record */
  #log (phase, record) {
    if (record.allowed) {
      this.#budget.pass(record)
    } else if (this.#budget.allows(record, this.#parts.nowMs())) {
      this.#outboxes.logs?.add(logRecord(phase, record, Date.now()))
    }
  }

  /** @param {BlockSpan} span */
  span (span) {
    this.#outboxes.traces?.add(otlpSpan(span))
  }

  get hasSpans () {
    return this.#outboxes.traces !== null
  }

  async #read () {
    const { metrics } = this.#outboxes
    if (metrics === null) return
    try {
      const read = await this.#parts.snapshot()
      metrics.add({ metrics: read, times: { startMs: this.#startMs, nowMs: Date.now() } })
    } catch (error) {
      this.#state('metrics', error)
    }
  }

  /** @param {Reading} reading */
  async #metrics ({ metrics, times }) {
    const parts = this.#standard.of(metrics, times).map((metric) => JSON.stringify(metric))
    const pauseAfter = makePauses(VALUES_A_TURN)
    for (const metric of metrics) {
      if (metric.values.length === 0) continue
      parts.push(JSON.stringify(otlpMetric(metric, times, this.#parts.labels)))
      await pauseAfter(metric.values.length)
    }
    const head = JSON.stringify({ resource: this.#resource }).slice(0, -1)
    const ofScope = `"scope":${JSON.stringify(scope)}`
    return `{"resourceMetrics":[${head},"scopeMetrics":[{${ofScope},"metrics":[${parts}]}]}]}`
  }

  async flush () {
    await this.#read()
    await Promise.all(Object.values(this.#outboxes).map((outbox) => outbox?.flush()))
  }

  async stop () {
    clearInterval(this.#timer)
    await this.#read()
    await Promise.all(Object.values(this.#outboxes).map((outbox) => outbox?.stop()))
  }
}

/** Advice for a gRPC server, whose answer Node.js cannot parse. @param {Error} error */
const protocolHint = ({ cause }) => /** @type {NodeJS.ErrnoException} */ (cause)?.code?.startsWith('HPE_')
  ? '. It does not speak HTTP/1.1. Is this the gRPC port (4317)? OTLP over HTTP usually uses 4318'
  : ''

/**
 * A receiver may lose some of what it accepted. Some receivers give no answer, or one in protobuf.
 * @param {string} host @param {Answer} answer @param {number} items sent
 * @returns {{ error: Error | null, lost: number }}
 */
const readAnswer = (host, { text, type = '' }, items) => {
  if (text.trim() === '' || type.startsWith('application/x-protobuf')) return { error: null, lost: 0 }
  const partial = partialSuccess(text)
  if (partial === null) return { error: new Error(`${host} sent a response that is not OTLP`), lost: items }
  const { rejectedSpans, rejectedLogRecords, rejectedDataPoints, errorMessage = '' } = partial
  const rejected = Number(rejectedSpans ?? rejectedLogRecords ?? rejectedDataPoints ?? 0)
  if (!(rejected > 0)) return { error: null, lost: 0 }
  return {
    error: new Error(`${host} rejected ${rejected}: ${`${errorMessage}`.slice(0, 200)}`),
    lost: Math.min(items, rejected)
  }
}

/** @param {string} text @returns {Record<string, any> | null} null if no receiver answers so */
function partialSuccess (text) {
  try {
    const answer = JSON.parse(text)
    if (typeof answer !== 'object' || answer === null) return null
    return answer.partialSuccess ?? answer.partial_success ?? {}
  } catch {
    return null
  }
}

const scope = { name: 'loopwatch', version }

/**
 * @param {object} parts
 * @param {Record<string, string>} parts.attributes of the environment; they win
 * @param {Record<string, string>} parts.labels the option; `service` names the application
 * @param {boolean} parts.isWorker of a cluster: its processes share one environment
 */
const resourceOf = ({ attributes, labels: { service, ...labels }, isWorker }) => {
  const id = attributes['service.instance.id']
  return {
    attributes: keyValues({
      'service.name': service ?? `unknown_service:${process.release.name}`,
      'service.instance.id': randomUUID(),
      'host.name': os.hostname(),
      'process.pid': process.pid,
      'process.runtime.name': 'nodejs',
      'process.runtime.version': process.versions.node,
      'telemetry.sdk.name': 'loopwatch',
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.version': version,
      ...labels,
      ...attributes,
      ...(id !== undefined && isWorker && { 'service.instance.id': `${id}/${process.pid}` })
    }),
    droppedAttributesCount: 0
  }
}

exports.OtlpExporter = OtlpExporter
