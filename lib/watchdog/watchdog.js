'use strict'

const { openBridge } = require('../bridge/memory')
const { FOLLOW, LEAD, RESOURCES, SHOW, THREAD_STARTED, THREAD_ENDED, THREAD_PROFILE, THREAD_WORK, WAITED, WAITS } =
  require('../bridge/messages')
const { Cluster } = require('../cluster/cluster')
const { nowMs } = require('../util/clock')
const { Blocks, countIds } = require('./blocks')
const { Endpoint } = require('./endpoint')
const { Housekeeping } = require('./housekeeping')
const { openStats } = require('./kernel/thread-stats')
const { PollScheduler } = require('./loop/poll-scheduler')
const { MainLoop } = require('./main-loop')
const { PageFeed } = require('./page-feed/feed')
const { Scrape } = require('./scrape')
const { Sinks, openLog } = require('./sinks')
const { SlowWatch } = require('./slow/slow-watch')
const { WatchedThreads } = require('./threads/threads')

/**
 * @import { ResolvedOptions } from '../options/table'
 * @import { Role } from '../types'
 * @import { Question } from './loop/sampler'
 */

/**
 * @typedef {object} WorkerData what the host starts its watchdog with
 * @property {SharedArrayBuffer} memory @property {ResolvedOptions} options
 * @property {string | null} inspectorRefusal why the host may not be asked via its inspector
 * @property {boolean} profilesItself @property {boolean} namesRequests
 * @property {boolean} ownProfile the host takes its CPU profile itself (v8.startCpuProfile())
 * @property {boolean} escalates requests are followed from the first block on
 * @property {boolean} stripsTypes @property {boolean} compilesAll @property {Role} role
 * @property {{ threadId: number }[]} threads that already run; those seen from outside have their hello
 * @property {string | null} main the main file, null with -e and the like
 * @property {number} begunAtMs when its thread was begun, monotonic
 * @property {number} starts of a watchdog in this process before this one
 * @property {boolean} isQuiet a preload that nobody has asked for: see lib/host/presence.js
 * @property {boolean} isShown whether it has an endpoint all the same
 * @property {Question} [question] the question that was put before this watchdog was loaded
 */

/** The reason why blocks lack their requests, unless the option says otherwise. */
const UNNAMED = { message: `Node.js ${process.versions.node} has CVE-2025-59466: update it, or set requests: 'on'` }

/** The reason why causes lack the kernel's evidence, on Linux: other systems never have it. */
const HIDDEN = { message: 'the file schedstat of the main thread in /proc cannot be read' }

/** A process that ends earlier, and in which nothing blocks, does without a fifth of this thread's modules. */
const LOAD_REST_MS = 2000

/** A block without a profile settles within this time (SETTLE_MS of loop/monitor.js), with a poll. */
const FLUSHED_MS = 600
/** A block with a profile settles within this time: the host may be slow to take it. */
const SETTLED_MS = 3000

/** Polls the heartbeat, asks the host where it is while a beat is overdue, and passes what it learns on to sinks. */
class Watchdog {
  #parts

  /** @param {WorkerData} data @param {(message: object) => void} post to the host */
  constructor (data, post) {
    const startedAtMs = nowMs()
    const { options } = data
    const bridge = openBridge(data.memory)
    const { health, log } = openLog(data, post)
    const stats = openStats()
    const scheduler = new PollScheduler(() => stats.own.times(), () => stats.host.times().runQueueMs ?? 0)
    const { lateness } = scheduler
    const nextId = countIds(data.starts)

    const mainLoop = new MainLoop({ data, bridge, health, stats, lateness, nextId, post })
    const { monitor, sources, explainer } = mainLoop
    const threads = options.threads === 'off'
      ? null
      : new WatchedThreads({
        options,
        shared: stats.shared,
        lateness,
        sources,
        explainer,
        health,
        nextId,
        post,
        isMainFree: () => monitor.blockedMs === 0,
        onNew: () => scheduler.hurry()
      })
    const cluster = new Cluster(data.role)
    const readOngoing = () => [monitor.ongoing ?? [], threads?.ongoing ?? [], cluster.ongoing].flat()
    const blocks = new Blocks(options.keep, readOngoing)

    const page = new PageFeed({ options, bridge, monitor, blocks, health, cluster })
    const scrape = new Scrape({ data, bridge, health, stats, mainLoop, threads, cluster, page })
    const slow = new SlowWatch({ bridge, health, stats, mainLoop, threads, page, scrape, post })
    const sinks = new Sinks({ data, startedAtMs, health, log, mainLoop, cluster, blocks, page, scrape, slow, post })
    const { metrics } = scrape
    const housekeeping = new Housekeeping({ bridge, health, lateness, metrics, cluster, threads, sinks })
    const endpoint = new Endpoint({ data, health, mainLoop, cluster, blocks, page, scrape, post })
    this.#parts = {
      bridge,
      stats,
      scheduler,
      mainLoop,
      threads,
      cluster,
      blocks,
      page,
      scrape,
      slow,
      housekeeping,
      sinks,
      endpoint
    }
    if (!data.namesRequests) health.set('requests', UNNAMED)
    if (process.platform === 'linux' && !stats.hasSchedstat) health.set('proc', HIDDEN)
    this.#start(data)
  }

  /** @param {WorkerData} data */
  #start (data) {
    const { bridge, scheduler, mainLoop, threads, scrape: { metrics }, sinks, endpoint } = this.#parts
    threads?.start({ threads: data.threads, labelOf: (name) => metrics.threadLabel(name), sinks: sinks.threads })
    endpoint.joinCluster()
    scheduler.start({ quickCheck: (now) => this.#quickCheck(now), poll: (now, selfLate) => this.#poll(now, selfLate) })
    bridge.counters.add('heard', 1)
    setTimeout(() => mainLoop.loadRest(), LOAD_REST_MS).unref()
    endpoint.show(data.isShown)
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
    const { mainLoop, threads, page, scrape, slow, housekeeping, sinks } = this.#parts
    scrape.drainGc()
    const { wakeAtMs, eventful } = mainLoop.poll(now, selfLate, sinks.main)
    // The first line about a block comes before everything else; at most 0.1 s.
    if (mainLoop.monitor.isAboutToReport) return { wakeAtMs, dueAtMs: now }
    scrape.drainWork()
    page.poll(now)
    slow.poll(now)
    housekeeping.poll(now, eventful)
    sinks.poll(now)
    return { wakeAtMs, dueAtMs: Math.min(threads?.poll(now, selfLate) ?? Infinity, page.dueAtMs) }
  }

  /** Takes a message of the host. @param {any} message */
  receive (message) {
    const { mainLoop, threads, cluster, slow, sinks, endpoint } = this.#parts
    if (message.code === SHOW) endpoint.show(message.isShown)
    else if (message.code === LEAD) cluster.lead()
    else if (message.code === THREAD_STARTED) threads?.begun(message)
    else if (message.code === THREAD_ENDED) threads?.ended(message.threadId)
    else if (message.code === THREAD_PROFILE) threads?.profiled(message)
    else if (message.code === THREAD_WORK) threads?.works(message.threadId, message.work)
    else if (message.code === FOLLOW) sinks.tooCostly()
    else if (message.code === RESOURCES) slow.answered(message)
    else if (message.code === WAITS) slow.waits(message)
    else if (message.code === WAITED) sinks.waited(message)
    else mainLoop.receive(message)
  }

  /** Answers a call of the host. @param {string} method @returns {Promise<unknown>} */
  async answer (method) {
    const { mainLoop, blocks, scrape, sinks } = this.#parts
    if (method === 'metrics') return scrape.render()
    // A question may be read before a poll that is overdue.
    this.#poll(nowMs(), false)
    if (method === 'blocks') return blocks.list()
    await mainLoop.settle(method === 'flush' ? FLUSHED_MS : SETTLED_MS)
    if (method === 'flush') await sinks.flush()
  }

  /** Stops, up to date with all that has ended; a block in progress is recorded as far as it has come. */
  async stop () {
    const { bridge, stats, scheduler, mainLoop, threads, cluster, page, scrape, housekeeping, sinks, endpoint } =
      this.#parts
    const now = nowMs()
    scheduler.stop()
    this.#poll(now, true)
    mainLoop.stop(now, sinks.main)
    threads?.stop()
    scrape.drainWork(Infinity)
    housekeeping.count(now)
    for (const part of [page, endpoint]) part.close()
    await Promise.all([cluster.stop(), sinks.stop()])
    stats.close()
    await sinks.close()
    bridge.counters.add('released', 1)
  }
}

exports.Watchdog = Watchdog
