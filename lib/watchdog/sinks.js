'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { BlockSpans } = require('./block-spans')
const { Health } = require('./health')
const { RequestTracking } = require('./requests/request-tracking')
const { BLOCK, FOLLOW, SPAN } = require('../bridge/messages')
const { LogBudget } = require('../export/log/budget')
const { summaryOf } = require('../store/record')
const { nowMs } = require('../util/clock')
const { endSentenceOf } = require('../util/sentence')

/**
 * @import { Cluster } from '../cluster/cluster'
 * @import { BlockLog } from '../export/log/log'
 * @import { Notifier } from '../export/notify/notify'
 * @import { OtlpExporter } from '../export/otlp/exporter'
 * @import { Metrics } from '../export/prometheus/metrics'
 * @import { ResolvedOptions } from '../options/table'
 * @import { FunctionHistory } from '../store/function-history'
 * @import { BlockMemory } from '../store/memory'
 * @import { BlockRecord } from '../types'
 * @import { Blocks } from './blocks'
 * @import { MainLoop } from './main-loop'
 * @import { PageFeed } from './page-feed/feed'
 * @import { BlockInterval } from './requests/recent-blocks'
 * @import { Scrape } from './scrape'
 * @import { SlowWatch } from './slow/slow-watch'
 * @import { TimelineKeeper } from './timeline/timeline'
 * @import { WorkerData } from './watchdog'
 * @import { FileWriter } from './writer/file-writer'
 */

/**
 * @typedef {object} Phases of a block, in this order
 * @property {(record: BlockRecord) => void} opened it is certainly a block
 * @property {(record: BlockRecord) => void} lasting a second later, and each second after that
 * @property {(record: BlockRecord) => void} stuck it has lasted for the option `stuck`
 * @property {(record: BlockRecord, interval: BlockInterval) => void} ended it has ended, its verdict still provisional
 * @property {(record: BlockRecord, endMs: number) => void} settled its verdict is final
 * @typedef {Phases & { withdrawn: (record: BlockRecord) => void }} ThreadPhases for threads; withdrawn: it was none
 * @typedef {ThreadPhases & { amended: (record: BlockRecord) => void }} AllPhases amended: more is known of a block that
 * settled
 * @typedef {Partial<AllPhases>} Sink receives some phases
 * @typedef {(sink: string, error: Error) => void} OnThrow a sink threw, which is a fault of ours
 * @typedef {object} Outputs out of this process, each null if the options do not want it
 * @property {BlockLog | null} log @property {FileWriter | null} file
 * @property {FunctionHistory | null} history next to the file
 * @property {TimelineKeeper | null} timelines next to the file @property {Notifier | null} notifier
 * @property {OtlpExporter | null} otlp @property {BlockSpans} spans
 */

/** Lines that the log left out in a burst of blocks are counted in the log after this long without a block. */
const QUIET_MS = 5000
/** As long as stop() waits: a receiver that is away must not hold up a function that is paid by the millisecond. */
const SENT_MS = 700

/**
 * Everything that receives blocks. To add a sink: open it here if the options want it, give it its phases in
 * mainSinks() or threadSinks(), and end it in stop() if it holds anything.
 */
class Sinks {
  #outputs
  /** Limits the blocks of worker threads in the file to as many as a person would read. */
  #budget = new LogBudget(nowMs())
  #quietAtMs = Infinity
  #tracking

  /**
   * @param {object} parts @param {WorkerData} parts.data @param {number} parts.startedAtMs of this watchdog
   * @param {Health} parts.health @param {BlockLog | null} parts.log
   * @param {MainLoop} parts.mainLoop @param {Cluster} parts.cluster @param {Blocks} parts.blocks
   * @param {PageFeed} parts.page @param {Scrape} parts.scrape @param {SlowWatch} parts.slow
   * @param {(message: object) => void} parts.post to the host
   */
  constructor ({ data, startedAtMs, health, log, mainLoop, cluster, blocks, page, scrape, slow, post }) {
    const { options, inspectorRefusal, escalates } = data
    const { metrics } = scrape
    const { main, threads } = blocks.memories
    const { history } = mainLoop.explainer
    const file = openFile(options, health, metrics, history)
    const otlp = openOtlp(data, health, scrape)
    const outputs = this.#outputs = {
      log,
      file,
      history,
      timelines: file && openTimelines(file, health, blocks, page, scrape),
      notifier: openNotifier(options, health, metrics),
      otlp,
      spans: openSpans(otlp, metrics, post)
    }
    const tracking = escalates ? new RequestTracking((on) => post({ code: FOLLOW, on }), health.say) : null
    this.#tracking = tracking
    const aborts = options.onStuck === 'abort'
    if (aborts) require('./end-process').warnOfInit(inspectorRefusal === null, health.say)
    const onThrow = (/** @type {string} */ sink, /** @type {Error} */ error) => {
      metrics.drop('sink')
      health.threw(sink, error)
    }
    const quiet = { settled: () => { this.#quietAtMs = nowMs() + QUIET_MS } }
    this.main = mainSinks({
      startedAtMs,
      memory: main,
      outputs,
      page,
      cluster,
      slow,
      tracking,
      metrics,
      mainLoop,
      aborts,
      quiet,
      post,
      onThrow
    })
    const budget = this.#budget
    this.threads = threadSinks({ memory: threads, outputs, budget, page, cluster, metrics, quiet, post, onThrow })
  }

  /** @param {number} now */
  poll (now) {
    const { log, file, history, timelines } = this.#outputs
    timelines?.poll(now)
    history?.poll(now, file)
    this.#tracking?.tick(now)
    if (now < this.#quietAtMs) return
    log?.flushSuppressed()
    this.#quietAtMs = Infinity
  }

  /** A sampled request that a block delayed. @param {Parameters<BlockSpans['waited']>[0]} request */
  waited (request) {
    this.#outputs.spans.waited(request)
  }

  /** The host no longer follows requests, as that costs too much. */
  tooCostly () {
    this.#tracking?.tooCostly(nowMs())
  }

  /** Losses since the last call, by reason in `events_dropped_total`. @returns {Record<string, number>} */
  takeLost () {
    const { log, file } = this.#outputs
    const unfiled = this.#budget.takeSuppressed()
    return { ...log?.takeDropped(), ...(file && { record: file.takeLost(), thread_record: unfiled }) }
  }

  /** Sends what waits for OTLP and `notify`. */
  async flush () {
    const sent = new AbortController()
    const late = sleep(SENT_MS, undefined, { signal: sent.signal }).catch(() => {})
    const { notifier, otlp } = this.#outputs
    await Promise.race([late, Promise.all([notifier?.flush(), otlp?.flush()])])
    sent.abort()
  }

  /** Ends everything but the log and the file, which the others may still write to. */
  async stop () {
    const { spans, notifier, otlp, timelines } = this.#outputs
    for (const output of [spans, notifier, otlp]) output?.stop()
    await timelines?.stop()
  }

  async close () {
    const { log, file, history } = this.#outputs
    log?.flushSuppressed()
    history?.poll(nowMs(), file)
    await Promise.all([log?.close(), file?.end()])
  }
}

// Each output is loaded only if it is wanted: together they are half of this thread's code.

/** @param {WorkerData} data @param {(message: object) => void} post to the host */
function openLog ({ options: { log: option }, isQuiet }, post) {
  const health = new Health(post)
  if (option === false) return { health, log: null }
  const { BlockLog } = require('../export/log/log')
  const log = new BlockLog({ log: option, isQuiet, nowMs, onState: health.listener('log'), open: openPath(option) })
  health.sayIn(log)
  return { health, log }
}

/**
 * Only a path needs a thread of its own. stdout and stderr are written from this one: it never waits for a pipe, and if
 * they are files on a disk that hangs, the application hangs as well, as it writes there itself.
 * @param {Exclude<ResolvedOptions['log'], false>} option
 */
function openPath (option) {
  if (option === true || typeof option.destination !== 'string') return undefined
  const { destination: target, creates } = option
  const { FileWriter } = require('./writer/file-writer')
  return (/** @type {unknown} */ path, /** @type {(error: Error | null) => void} */ onState) =>
    new FileWriter({ kind: 'log', target, creates, onState })
}

/**
 * @param {ResolvedOptions} options @param {Health} health @param {Metrics} metrics
 * @param {FunctionHistory | null} history
 */
function openFile ({ dir: target }, health, metrics, history) {
  if (target === undefined) return null
  const { FileWriter } = require('./writer/file-writer')
  return new FileWriter({
    kind: 'records',
    target,
    name: `blocks-${process.pid}-${Date.now()}`,
    onState: health.listener('dir'),
    history: history?.file,
    onHistory: history?.merge,
    onDamage: (reason) => {
      history?.forgetOthers()
      health.say('warn', { event: 'history' },
        `the history of blocked functions starts again, because the file in dir is damaged: ${reason}`)
    },
    onUnended: (record) => {
      if (record.ongoing) metrics.predecessorEnded()
      const { id, pid, startedAt, durationMs, cause } = record
      const fields = { event: 'predecessor', block: id, of: pid, startedAt, durationMs, cause }
      health.say('warn', fields, endSentenceOf(record))
    }
  })
}

/**
 * @param {FileWriter} file @param {Health} health @param {Blocks} blocks @param {PageFeed} page @param {Scrape} scrape
 */
function openTimelines (file, health, blocks, page, scrape) {
  const { TimelineKeeper } = require('./timeline/timeline')
  const onThrow = (/** @type {Error} */ error) => health.threw('timeline', error)
  const keep = (/** @type {string} */ id, /** @type {string} */ text) => file.keepTimeline(id, text)
  return new TimelineKeeper({ page, scrape, records: () => blocks.records(), keep, onThrow })
}

/** @param {ResolvedOptions} options @param {Health} health @param {Metrics} metrics */
function openNotifier ({ notify: url, notifyAbove: aboveMs, labels }, health, metrics) {
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
 * Spans go by OTLP if that is on, else to the application's own tracer provider.
 * @param {OtlpExporter | null} otlp @param {Metrics} metrics @param {(message: object) => void} post to the host
 */
function openSpans (otlp, metrics, post) {
  const sender = otlp?.hasSpans ? otlp : null
  return new BlockSpans({
    write: (span) => sender === null ? post({ code: SPAN, span }) : sender.span(span),
    writesOngoing: sender !== null,
    onDropped: () => metrics.drop('span')
  })
}

/** @type {(keyof Phases)[]} */
const PHASES = ['opened', 'lasting', 'stuck', 'ended', 'settled']
/** Phases in which the page and memory show a worker thread's block. @type {(keyof Phases)[]} */
const OF_THREAD = ['opened', 'lasting', 'settled']

/**
 * Each phase goes to all sinks that handle it, in order. One that throws stops neither the others nor the watchdog.
 * @param {Record<string, Sink | null>} sinks by name; null = none @param {OnThrow} onThrow @returns {AllPhases}
 */
function inOrder (sinks, onThrow) {
  /** @type {(keyof AllPhases)[]} */
  const phases = [...PHASES, 'withdrawn', 'amended']
  const present = Object.entries(sinks).flatMap(([name, sink]) => sink === null ? [] : [{ name, sink }])
  return /** @type {AllPhases} */ (Object.fromEntries(phases.map((phase) => [
    phase,
    (/** @type {BlockRecord} */ record, /** @type {any} */ detail) => {
      for (const { name, sink } of present) {
        try {
          sink[phase]?.(record, detail)
        } catch (error) {
          onThrow(name, error)
        }
      }
    }
  ])))
}

/** @param {(keyof AllPhases)[]} phases @param {(record: BlockRecord) => void} take @returns {Sink} */
const on = (phases, take) => Object.fromEntries(phases.map((phase) => [phase, take]))

/**
 * The sinks of a main thread's block, and their phases. Memory comes first, so that the block is there for anyone
 * that another sink notifies, then the log. Posting to the host, for agent.on('block'), comes last.
 * @param {object} parts @param {number} parts.startedAtMs of this watchdog @param {BlockMemory} parts.memory
 * @param {Outputs} parts.outputs @param {PageFeed} parts.page @param {Cluster} parts.cluster
 * @param {SlowWatch} parts.slow @param {RequestTracking | null} parts.tracking @param {Metrics} parts.metrics
 * @param {Pick<MainLoop, 'profiling' | 'heapProfiling' | 'origins' | 'queries'>} parts.mainLoop
 * @param {boolean} parts.aborts see onStuck @param {Sink} parts.quiet
 * @param {(message: object) => void} parts.post @param {OnThrow} parts.onThrow
 */
function mainSinks ({
  startedAtMs, memory, outputs, page, cluster, slow, tracking, metrics, mainLoop, aborts, quiet, post, onThrow
}) {
  const { log, file, history, timelines, notifier, otlp, spans } = outputs
  const { recent } = page
  const phases = inOrder({
    memory: on([...PHASES, 'amended'], (record) => memory.put(record)),
    log,
    page: { ...on(PHASES, (record) => page.put(record)), amended: (record) => page.amend(record) },
    cluster: on([...PHASES, 'amended'], (record) => cluster.block(record)),
    slow: on(['ended'], (record) => slow.blocked(record.durationMs)),
    tracking: on(['settled'], () => tracking?.settled(nowMs())),
    missed: { settled: (record, endMs) => { if (endMs < startedAtMs) metrics.drop('missed_block') } },
    metrics: on(['settled'], (record) => metrics.observeBlock(record)),
    history: on(['opened', 'lasting', 'settled'], (record) => {
      const change = history?.note(record)
      if (change) metrics.newSite(change.exact)
    }),
    recent: { ended: (record, interval) => recent.add(interval, record.id) },
    profile: {
      ended: (record, { endMs }) => mainLoop.profiling.ended(endMs),
      settled: (record, endMs) => mainLoop.profiling.settled(record, endMs)
    },
    heapProfile: on(['settled'], (record) => mainLoop.heapProfiling.settled(record)),
    origins: mainLoop.origins,
    queries: mainLoop.queries,
    file: on(['opened', 'lasting', 'stuck', 'settled', 'amended'], (record) =>
      file?.write(`${JSON.stringify(record)}\n`)),
    notifier: {
      ...on(['lasting', 'stuck'], (record) => notifier?.lasting(summaryOf(record))),
      settled: (record) => notifier?.settled(summaryOf(record))
    },
    otlp,
    spans,
    timelines,
    abort: aborts ? on(['stuck'], require('./end-process').endProcess) : null,
    quiet,
    host: on(['settled'], (record) => post({ code: BLOCK, record: summaryOf(record) }))
  }, onThrow)
  mainLoop.heapProfiling.onProfile = (heapProfile) => {
    const record = memory.get(heapProfile.block)
    if (!record?.evidence.memory) return
    const evidence = { ...record.evidence, memory: { ...record.evidence.memory, heapProfile } }
    phases.amended({ ...record, evidence })
  }
  /** @type {Phases['settled']} */
  const settled = (record, endMs) => phases.settled(recent.routed(record), endMs)
  return { ...phases, settled }
}

/**
 * The sinks of a worker thread's block, and their phases. All blocks are counted and the latest kept, in their own
 * memory. No sample shows what a thread does, so a block in progress may prove to be none: the log, files and
 * everything outside this process receive it at its end. Log and budget limit how many.
 * @param {object} parts @param {BlockMemory} parts.memory @param {Pick<Outputs, 'log' | 'file' | 'otlp'>} parts.outputs
 * @param {LogBudget} parts.budget for file, cluster, OTLP and host
 * @param {Pick<PageFeed, 'put' | 'drop'>} parts.page @param {Pick<Cluster, 'block'>} parts.cluster
 * @param {Pick<Metrics, 'observeBlock'>} parts.metrics @param {Sink} parts.quiet
 * @param {(message: object) => void} parts.post @param {OnThrow} parts.onThrow
 */
function threadSinks ({ memory, outputs, budget, page, cluster, metrics, quiet, post, onThrow }) {
  const { log, file, otlp } = outputs
  const bounded = inOrder({
    file: on(['settled'], (record) => file?.write(`${JSON.stringify(record)}\n`)),
    cluster: on(['settled'], (record) => cluster.block(record)),
    otlp: on(['settled'], (record) => otlp?.settled(record)),
    host: on(['settled'], (record) => post({ code: BLOCK, record: summaryOf(record) }))
  }, onThrow)
  return inOrder({
    memory: {
      ...on(OF_THREAD, (record) => memory.put(record)),
      withdrawn: ({ id }) => memory.delete(id)
    },
    page: {
      ...on(OF_THREAD, (record) => page.put(record)),
      withdrawn: ({ id }) => page.drop(id)
    },
    metrics: on(['settled'], (record) => metrics.observeBlock(record)),
    log: on(['settled'], (record) => log?.settled(record)),
    quiet,
    bounded: { settled: (record, endMs) => { if (budget.allows(record, nowMs())) bounded.settled(record, endMs) } }
  }, onThrow)
}

exports.Sinks = Sinks
exports.openLog = openLog
exports.inOrder = inOrder
exports.mainSinks = mainSinks
exports.threadSinks = threadSinks
