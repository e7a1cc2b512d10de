'use strict'

const { openBridge } = require('../bridge/memory')
const { FOLLOW, LEAD, RESOURCES, SHOW, THREAD_STARTED, THREAD_ENDED, THREAD_PROFILE, THREAD_WORK, WAITED } =
  require('../bridge/messages')
const { Cluster } = require('../cluster/cluster')
const { nowMs } = require('../util/clock')
const { Blocks, countIds, openMemories } = require('./blocks')
const { Endpoint, joinCluster } = require('./endpoint')
const { openStats } = require('./kernel/thread-stats')
const { PollScheduler } = require('./loop/poll-scheduler')
const { MainLoop } = require('./main-loop')
const { flush, makeBudget, openFile, openLog, openNotifier, openTelemetry, openTimelines, settle } =
  require('./outputs')
const { PageFeed } = require('./page-feed/feed')
const { Scrape } = require('./scrape')
const { mainSinks, threadSinks } = require('./sinks')
const { Upkeep } = require('./housekeeping')
const { makeThreads } = require('./threads/threads')

/**
 * @import { ResolvedOptions } from '../options/table'
 * @import { Role } from '../types'
 * @import { Question } from './loop/sampler'
 * @import { LoopParts } from './main-loop'
 */

/**
 * @typedef {object} WorkerData what the host starts its watchdog with
 * @property {SharedArrayBuffer} memory @property {ResolvedOptions} options
 * @property {boolean} mayInspect @property {boolean} profilesItself @property {boolean} namesRequests
 * @property {boolean} ownProfile the host takes its CPU profile itself (v8.startCpuProfile())
 * @property {boolean} escalates requests are followed from the first block on
 * @property {boolean} stripsTypes @property {boolean} compilesAll @property {Role} role
 * @property {{ threadId: number }[]} threads that already run; those seen from outside have their hello
 * @property {number} begunAtMs when its thread was begun, monotonic
 * @property {number} starts of a watchdog in this process before this one
 * @property {boolean} isQuiet a preload that nobody has asked for: see lib/host/presence.js
 * @property {boolean} isShown whether it has an endpoint all the same
 * @property {Question} [question] the question that was put before this watchdog was loaded
 */

/** Why blocks lack their requests, unless the option says otherwise. */
const UNNAMED = { message: `Node.js ${process.versions.node} has CVE-2025-59466; update it, or set requests: 'on'` }

/** Why causes lack the kernel's evidence. Reported on Linux only: other systems never have it. */
const HIDDEN = { message: '/proc is hidden from this process, or has no schedstat of its threads' }

/** A process that ends earlier, and in which nothing blocks, does without a fifth of this thread's modules. */
const LOAD_REST_MS = 2000

/** Polls the heartbeat, asks the host where it is while a beat is overdue, and passes what it learns on to sinks. */
class Watchdog {
  #parts

  /** @param {WorkerData} data @param {(message: object) => void} post to the host */
  constructor (data, post) {
    const startedAtMs = nowMs()
    const parts = watch(data, post)
    const { health, scheduler, threads, cluster, memories, page, scrape } = parts
    const { metrics } = scrape
    const outputs = openOutputs(parts)
    const { sinks, threadSinks, upkeep } = makeSinks(parts, outputs, startedAtMs)
    this.#parts = { ...parts, ...outputs, sinks, upkeep }

    if (!data.namesRequests) health.set('requests', UNNAMED)
    if (process.platform === 'linux' && !parts.stats.isTold) health.set('proc', HIDDEN)
    threads?.start({ threads: data.threads, labelOf: (name) => metrics.threadLabel(name), sinks: threadSinks })
    joinCluster(cluster, { scrape, metrics, memories, page, endpoint: outputs.endpoint, health, post })
    scheduler.start({ quickCheck: (now) => this.#quickCheck(now), poll: (now, selfLate) => this.#poll(now, selfLate) })
    parts.bridge.counters.add('heard', 1)
    setTimeout(() => parts.mainLoop.loadRest(), LOAD_REST_MS).unref()
    this.#show(data.isShown)
  }

  /** @param {number} now @returns {number | null} */
  #quickCheck (now) {
    const { mainLoop, page, scrape } = this.#parts
    const wakeAtMs = now >= page.dueAtMs ? null : mainLoop.quickCheck(now)
    if (scrape.isFilling) scrape.drainWork()
    return wakeAtMs
  }

  /** @param {number} now @param {boolean} selfLate @returns {{ wakeAtMs: number, dueAtMs: number }} */
  #poll (now, selfLate) {
    const { mainLoop, threads, page, timelines, scrape, upkeep, sinks } = this.#parts
    scrape.drainGc()
    const { wakeAtMs, eventful } = mainLoop.poll(now, selfLate, sinks)
    // The first line about a block comes before everything else; at most 0.1 s.
    if (mainLoop.monitor.isAboutToReport) return { wakeAtMs, dueAtMs: now }
    scrape.drainWork()
    page.poll(now)
    timelines?.poll(now)
    upkeep.poll(now, eventful)
    return { wakeAtMs, dueAtMs: Math.min(threads?.poll(now, selfLate) ?? Infinity, page.dueAtMs) }
  }

  /** A worker of a cluster listens itself if it finds no primary. @param {boolean} isShown */
  #show (isShown) {
    const { data: { role }, endpoint } = this.#parts
    if (role.kind === 'worker') return
    if (isShown) endpoint.listen()
    else endpoint.close()
  }

  /** Takes a message of the host. @param {any} message */
  receive (message) {
    const { mainLoop, threads, cluster, spans, upkeep } = this.#parts
    if (message.code === SHOW) this.#show(message.isShown)
    else if (message.code === LEAD) cluster.lead()
    else if (message.code === THREAD_STARTED) threads?.begun(message)
    else if (message.code === THREAD_ENDED) threads?.ended(message.threadId)
    else if (message.code === THREAD_PROFILE) threads?.profiled(message)
    else if (message.code === THREAD_WORK) threads?.works(message.threadId, message.work)
    else if (message.code === FOLLOW) upkeep.followingIsCostly()
    else if (message.code === RESOURCES) upkeep.waitsFor(message)
    else if (message.code === WAITED) spans.waited(message)
    else mainLoop.receive(message)
  }

  /** Answers a call of the host. @param {string} method @returns {Promise<unknown>} */
  async answer (method) {
    if (method === 'metrics') return this.#parts.scrape.render()
    // A question may be read before a poll that is overdue.
    this.#poll(nowMs(), false)
    if (method === 'blocks') return this.#parts.blocks.list()
    return method === 'flush' ? flush(this.#parts) : settle(this.#parts.mainLoop)
  }

  /** Stops, up to date with all that has ended; a block in progress is recorded as far as it has come. */
  async stop () {
    const { stats, scheduler, mainLoop, threads, cluster, page, scrape, upkeep, sinks } = this.#parts
    const { log, file, timelines, notifier, otlp, spans, endpoint, bridge } = this.#parts
    const now = nowMs()
    scheduler.stop()
    this.#poll(now, true)
    mainLoop.stop(now, sinks)
    threads?.stop()
    scrape.drainWork(Infinity)
    upkeep.count(now)
    for (const part of [page, endpoint]) part.close()
    spans.stop()
    notifier?.stop()
    otlp?.stop()
    await Promise.all([cluster.stop(), timelines?.stop()])
    log?.flushSuppressed()
    stats.close()
    await Promise.all([log?.close(), file?.end()])
    bridge.counters.add('released', 1)
  }
}

/**
 * The loops, threads and cluster that are monitored, and their stores.
 * @param {WorkerData} data @param {(message: object) => void} post to the host
 */
function watch (data, post) {
  const { options, role } = data
  const bridge = openBridge(data.memory)
  const { health, log } = openLog(data, post)
  const stats = openStats()
  const scheduler = new PollScheduler(() => stats.own.times(), () => stats.host.times().runQueueMs ?? 0)
  const common = { data, bridge, health, stats, scheduler, nextId: countIds(data.starts), post }

  const mainLoop = new MainLoop(common)
  const threads = makeThreads({ ...common, mainLoop })
  const cluster = new Cluster(role)
  const memories = openMemories(options.keep)
  const blocks = new Blocks(memories, () => ongoingOf(mainLoop, threads, cluster))
  const page = makePage({ ...common, mainLoop, blocks, cluster })
  const scrape = new Scrape({ ...common, mainLoop, threads, cluster, page })
  const file = openFile(options, health, scrape.metrics)
  return { ...common, log, file, mainLoop, threads, cluster, memories, blocks, page, scrape }
}

/** Outputs other than log and file: notifications, OTLP, traces, endpoint. @param {ReturnType<typeof watch>} parts */
function openOutputs (parts) {
  const { data, health, scrape, post } = parts
  return {
    notifier: openNotifier(data.options, health, scrape.metrics),
    ...openTelemetry(data, health, scrape, post),
    timelines: openTimelines(parts),
    endpoint: new Endpoint(parts)
  }
}

/**
 * @param {ReturnType<typeof watch>} parts @param {ReturnType<typeof openOutputs>} outputs @param {number} startedAtMs
 */
function makeSinks (parts, { notifier, otlp, spans, timelines }, startedAtMs) {
  const { data: { options, escalates }, bridge, health, log, file, mainLoop, cluster, threads, page, scrape } = parts
  const { post } = parts
  const { metrics } = scrape
  const budget = makeBudget()
  const slow = {
    frameIn: mainLoop.frameIn,
    wantProfile: () => mainLoop.profiling.want(),
    finished: () => scrape.finished,
    queuedMs: parts.stats.host.queuedMs,
    threads: () => threads?.states() ?? new Map(),
    page
  }
  const { lateness } = parts.scheduler
  const upkeep = new Upkeep({
    bridge, health, lateness, metrics, log, file, cluster, threads, budget, escalates, post, slow
  })
  const onThrow = (/** @type {string} */ sink, /** @type {Error} */ error) => {
    metrics.drop('sink')
    health.threw(sink, error)
  }
  const receivers = { page, cluster, metrics, file, upkeep, onThrow }
  const aborts = options.onStuck === 'abort'
  const own = { startedAtMs, memory: parts.memories.main, recent: scrape.blocks }
  return {
    upkeep,
    sinks: mainSinks({ ...receivers, ...own, mainLoop, timelines, notifier, log, otlp, spans, aborts, post }),
    threadSinks: threadSinks({ ...receivers, log, otlp, post, memory: parts.memories.threads, budget })
  }
}

/** @param {MainLoop} mainLoop @param {ReturnType<typeof makeThreads>} threads @param {Cluster} cluster */
function ongoingOf ({ monitor: { ongoing } }, threads, cluster) {
  return [...(ongoing === null ? [] : [ongoing]), ...threads?.ongoing ?? [], ...cluster.ongoing]
}

/** @param {LoopParts & { mainLoop: MainLoop, blocks: Blocks, cluster: Cluster }} parts */
function makePage ({ data: { options }, bridge, health, mainLoop, blocks, cluster }) {
  return new PageFeed({
    options,
    bridge,
    loop: () => mainLoop.monitor.state,
    blocks: () => blocks.records(),
    ongoing: () => blocks.ongoing,
    inFlight: () => bridge.counters.get('inFlight'),
    degraded: () => health.entries(),
    workers: () => cluster.blockedMs
  })
}

exports.Watchdog = Watchdog
