'use strict'

const { BLOCK } = require('../bridge/messages')
const { summaryOf } = require('../store/record')
const { nowMs } = require('../util/clock')

/**
 * @import { Cluster } from '../cluster/cluster'
 * @import { LogBudget } from '../export/log/budget'
 * @import { BlockLog } from '../export/log/log'
 * @import { Notifier } from '../export/notify/notify'
 * @import { OtlpExporter } from '../export/otlp/exporter'
 * @import { Metrics } from '../export/prometheus/metrics'
 * @import { BlockFile } from '../store/block-file'
 * @import { BlockMemory } from '../store/memory'
 * @import { BlockRecord } from '../types'
 * @import { BlockSpans } from './block-spans'
 * @import { Upkeep } from './housekeeping'
 * @import { MainLoop } from './main-loop'
 * @import { PageFeed } from './page-feed/feed'
 * @import { Interval, RecentBlocks } from './requests/recent-blocks'
 * @import { TimelineKeeper } from './timeline/timeline'
 */

/**
 * @typedef {object} Phases of a block, in this order
 * @property {(record: BlockRecord) => void} opened it is certainly a block
 * @property {(record: BlockRecord) => void} lasting a second later, and each second after that
 * @property {(record: BlockRecord) => void} stuck it has lasted for the option `stuck`
 * @property {(record: BlockRecord, interval: Interval) => void} ended it is over, its verdict still provisional
 * @property {(record: BlockRecord, endMs: number) => void} settled its verdict is final
 * @typedef {Phases & { withdrawn: (record: BlockRecord) => void }} ThreadPhases for threads; withdrawn: it was none
 * @typedef {Partial<ThreadPhases>} Sink receives some phases
 * @typedef {(sink: string, error: Error) => void} OnThrow a sink threw, which is a fault of ours
 */

/** @type {(keyof Phases)[]} */
const PHASES = ['opened', 'lasting', 'stuck', 'ended', 'settled']
/** Those of a worker thread's block that show it. @type {(keyof Phases)[]} */
const OF_THREAD = ['opened', 'lasting', 'settled']

/**
 * Each phase goes to all sinks that handle it, in order. One that throws stops neither the others nor the watchdog.
 * @param {Record<string, Sink | null>} sinks by name; null = none @param {OnThrow} onThrow @returns {ThreadPhases}
 */
function inOrder (sinks, onThrow) {
  /** @type {(keyof ThreadPhases)[]} */
  const phases = [...PHASES, 'withdrawn']
  const present = Object.entries(sinks).flatMap(([name, sink]) => sink === null ? [] : [{ name, sink }])
  return /** @type {ThreadPhases} */ (Object.fromEntries(phases.map((phase) => [
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

/** @param {(keyof ThreadPhases)[]} phases @param {(record: BlockRecord) => void} take @returns {Sink} */
const on = (phases, take) => Object.fromEntries(phases.map((phase) => [phase, take]))

/**
 * Which sink receives which phase of a main thread's block. Memory comes first, so that the block is there for anyone
 * that another sink notifies, then the log. Posting to the host, for agent.on('block'), comes last.
 * @param {object} parts @param {number} parts.startedAtMs of this watchdog @param {boolean} parts.aborts see onStuck
 * @param {BlockMemory} parts.memory @param {PageFeed} parts.page
 * @param {Cluster} parts.cluster @param {OnThrow} parts.onThrow
 * @param {Metrics} parts.metrics
 * @param {RecentBlocks} parts.recent to compare with requests and work
 * @param {Notifier | null} parts.notifier
 * @param {Pick<MainLoop, 'profiling' | 'origins'>} parts.mainLoop
 * @param {Pick<BlockFile, 'append'> | null} parts.file
 * @param {BlockLog | null} parts.log @param {(message: object) => void} parts.post
 * @param {OtlpExporter | null} parts.otlp
 * @param {TimelineKeeper | null} parts.timelines next to the file
 * @param {BlockSpans} parts.spans @param {Upkeep} parts.upkeep
 */
exports.mainSinks = ({
  startedAtMs, memory, page, cluster, metrics, recent, notifier, mainLoop, file, timelines, log, otlp, spans,
  upkeep, aborts, post, onThrow
}) => routed(recent, inOrder({
  memory: on(PHASES, (record) => memory.put(record)),
  log,
  page: on(PHASES, (record) => page.put(record)),
  cluster: on(PHASES, (record) => cluster.block(record)),
  requests: on(['settled'], (record) => upkeep.mainSettled(record)),
  missed: { settled: (record, endMs) => { if (endMs < startedAtMs) metrics.drop('missed_block') } },
  metrics: on(['settled'], (record) => metrics.observeBlock(record)),
  recent: { ended: (record, interval) => recent.add(interval, record.id) },
  profile: {
    ended: (record, { endMs }) => mainLoop.profiling.ended(endMs),
    settled: (record, endMs) => mainLoop.profiling.settled(record, endMs)
  },
  origins: mainLoop.origins,
  file: on(['opened', 'lasting', 'stuck', 'settled'], (record) => file?.append(record)),
  notifier: {
    ...on(['lasting', 'stuck'], (record) => notifier?.lasting(summaryOf(record))),
    settled: (record) => notifier?.settled(summaryOf(record))
  },
  otlp,
  spans,
  timelines,
  abort: aborts ? on(['stuck'], require('./end-process').endProcess) : null,
  upkeep,
  host: on(['settled'], (record) => post({ code: BLOCK, record: summaryOf(record) }))
}, onThrow))

/** @param {RecentBlocks} recent @param {Phases} phases @returns {Phases} */
const routed = (recent, phases) =>
  ({ ...phases, settled: (record, endMs) => phases.settled(recent.routed(record), endMs) })

/**
 * Which sink receives which phase of a worker thread's block. All are counted and the latest kept, in a memory of their
 * own. No sample shows what a thread does, so a block may prove to be none while it lasts: the log, files and
 * everything outside this process receive it at its end. Log and budget limit how many.
 * @param {object} parts @param {BlockMemory} parts.memory @param {OnThrow} parts.onThrow
 * @param {Pick<PageFeed, 'put' | 'drop'>} parts.page
 * @param {Pick<Metrics, 'observeBlock'>} parts.metrics
 * @param {Pick<BlockLog, 'settled'> | null} parts.log
 * @param {LogBudget} parts.budget for all that follow
 * @param {Pick<BlockFile, 'append'> | null} parts.file
 * @param {Pick<Cluster, 'block'>} parts.cluster
 * @param {Pick<OtlpExporter, 'settled'> | null} parts.otlp
 * @param {Pick<Upkeep, 'settled'>} parts.upkeep @param {(message: object) => void} parts.post
 */
exports.threadSinks = ({
  memory, page, metrics, log, budget, file, cluster, otlp, upkeep, post, onThrow
}) => {
  const bounded = inOrder({
    file: on(['settled'], (record) => file?.append(record)),
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
    upkeep,
    bounded: { settled: (record, endMs) => { if (budget.allows(record, nowMs())) bounded.settled(record, endMs) } }
  }, onThrow)
}

exports.inOrder = inOrder
