'use strict'

const { place } = require('../../util/place-text')
const { counted, duration } = require('../../util/sentence')
const { RESTS_SAMPLED, TURNS } = require('../../bridge/beat')
const { RESOURCES } = require('../../bridge/messages')
const { Activity } = require('../../util/activity')
const { nowMs } = require('../../util/clock')
const { MS_PER_S, US_PER_MS } = require('../../util/units')
const { BusyIncident, BusyThreads } = require('./busy-incident')
const { Incidents } = require('./incidents')
const { PoolWatch } = require('./pool-watch')

/**
 * @import { Bridge } from '../../bridge/memory'
 * @import { Frame } from '../../types'
 * @import { Health } from '../health'
 * @import { Stats } from '../kernel/thread-stats'
 * @import { MainLoop } from '../main-loop'
 * @import { PageFeed } from '../page-feed/feed'
 * @import { Scrape } from '../scrape'
 * @import { WatchedThreads } from '../threads/threads'
 * @import { BusyEvent } from './busy-incident'
 * @import { IncidentDetails } from './incidents'
 * @import { Filling, PoolKind } from './pool-filling'
 * @import { FullPool } from './pool-watch'
 * @import { Look, WaitingWatch } from './waiting-watch'
 */

/** Advice for each kind; docs/operate/slow-without-a-block.md has more. */
exports.advice = {
  thread_pool: 'Add threads (UV_THREADPOOL_SIZE) if they wait; add CPUs or a queue in front if they compute. ' +
    'Use dns.resolve() or keep-alive connections instead of dns.lookup().',
  dns_lookups: 'Keep connections alive, or use dns.resolve(), which needs no thread; otherwise cache the addresses. ' +
    'Only half of the threads that UV_THREADPOOL_SIZE adds will help.',
  busy_loop: 'Do less for each request or event, batch the events, or add processes: each request waits for ' +
    'the others.',
  collecting: 'If the heap is full, release what keeps the memory, or raise the limit (--max-old-space-size). ' +
    'Otherwise allocate less for each request or event.',
  worker_threads: 'If tasks wait for them, add threads (up to the number of CPUs) or make the tasks shorter.',
  waiting: 'Set a timeout for each call. If a pool is used up, find what holds the connections (a long ' +
    'transaction, one that is not released) before you enlarge the pool. If no peer is named, look at what is open.'
}

/** @param {PoolKind} kind @param {FullPool} full @param {number} requests in flight meanwhile */
exports.poolText = (kind, { startMs, endMs, ongoing, longestMs, filling }, requests) => {
  const lasted = duration(endMs - startMs)
  if (ongoing) {
    return kind === 'thread_pool'
      ? `the thread pool is full, work has been waiting for ${lasted}${filling}`
      : `DNS lookups have filled their half of the thread pool, one has been waiting for ${lasted}${filling}`
  }
  const full = kind === 'thread_pool' ? 'the thread pool was full' : 'DNS lookups filled their half of the thread pool'
  const waited = requests > 0 ? `, ${counted(requests, 'request')} meanwhile` : ''
  return `${full} for ${lasted}${filling}; work waited for up to ${duration(longestMs)}${waited}`
}

/** @param {BusyEvent} event @param {string} thread their name @param {number} threads how many */
exports.threadsText = ({ startMs, endMs, share }, thread, threads) => {
  const who = threads === 1 ? `worker thread ${thread} was` : `all ${threads} worker threads ${thread} were`
  return `${who} ${Math.round(share * 100)}% busy for ${duration(endMs - startMs)}: tasks may be waiting`
}

/** @param {BusyEvent} event @param {Frame | null} frame @param {number} gcMs garbage collection in this time */
exports.busyText = (event, frame, gcMs) => {
  const { startMs, endMs, share, turns } = event
  const gcPercent = Math.round(100 * gcMs / (endMs - startMs))
  const what = exports.isCollecting(event, gcMs) ? `; ${gcPercent}% was garbage collection` : ''
  const many = turns > 0 ? ` in ${turns.toLocaleString('en')} turns` : ''
  const most = frame === null ? '' : `; most of it in ${place(frame)}`
  return `the event loop was ${Math.round(share * 100)}% busy for ${duration(endMs - startMs)}${many}, without a ` +
    `single long block${what}${most}`
}

/** Garbage collection keeps a loop busy if it takes this share of the time. */
const COLLECTING_SHARE = 0.5

/** @param {BusyEvent} event @param {number} gcMs */
exports.isCollecting = ({ startMs, endMs }, gcMs) => gcMs >= COLLECTING_SHARE * (endMs - startMs)

/** While the application works, each whole poll measures the pool: four times per second. */
const PROBE_MS = 200
/** The end of an incident is detected within this many polls. */
const POLLS = 8
/** Pace while the loop turns but has little to do. While it rests, the pool is not measured. */
const CALM_MS = 1000
/** A loop that rests while V8 samples it turns now and then. Without a rest for this long, it turns continuously. */
const RESTED_MS = 2000
/** Requests wait for a peer while the loop is active, blocked, or without a CPU for less than these shares of time. */
const IDLE_SHARE = 0.5
const IDLE_BLOCKED_SHARE = 0.1
const IDLE_TIMES_MS = [3000, 10_000]
/** CPU time of the process above this share means work: a computing thread of the pool takes all it gets. */
const CPU_SHARE = 0.25

/**
 * @typedef {object} SlowWatchParts
 * @property {Bridge} bridge @property {Health} health @property {Stats} stats
 * @property {MainLoop} mainLoop @property {WatchedThreads | null} threads
 * @property {PageFeed} page @property {Scrape} scrape
 * @property {(message: object) => void} post to the host
 */

/**
 * Detects what makes an application slow without a block: a full thread pool, a loop busy with short turns, or a peer
 * that requests wait for.
 */
class SlowWatch {
  #parts
  #incidents
  #pool
  #lookups
  /** @type {WaitingWatch | null} loaded when a request is slow */
  #waiting = null
  #busy = new BusyIncident()
  /** @type {Map<string, BusyThreads>} by name */
  #threads = new Map()
  /** @type {Frame | null} of the busy loop */
  #frame = null
  /** Requests that had ended when an incident began, by kind. @type {Map<string, number>} */
  #finished = new Map()
  /** Requests begun so far, at the latest polls. @type {{ atMs: number, begun: number }[]} */
  #begun = []
  #probedAtMs = -Infinity
  #secondAtMs = 0
  #last = { cpuMs: 0, nowMs: 0, inFlight: 0 }
  #activity = new Activity()
  #resourcesAtMs = -Infinity
  #busyBeats = -1
  #restedAtMs = -Infinity
  #now = 0
  #blockedMs = 0

  /** @param {SlowWatchParts} parts */
  constructor (parts) {
    this.#parts = parts
    const { health, page, scrape, post } = parts
    this.#incidents = new Incidents({ say: health.say, metrics: scrape.metrics, page, post })
    this.#pool = this.#watch('thread_pool', () => false)
    this.#lookups = this.#watch('dns_lookups', () => this.#pool.isOpen)
  }

  /** Whether nothing else explains that requests are slow. */
  get #isIdle () {
    if (this.#pool.isOpen || this.#lookups.isOpen) return false
    const { mainLoop, stats } = this.#parts
    const { activeMs, inProgressMs } = mainLoop.monitor.state
    const atMs = nowMs()
    const blockedMs = this.#blockedMs + inProgressMs
    // The totals of the latest second may be two seconds old.
    const totals = { atMs, activeMs, blockedMs, queuedMs: stats.host.queuedMs(atMs), turns: 0 }
    return IDLE_TIMES_MS.every((ms) => {
      const { share, blockedShare, queuedShare } = this.#busy.recent(ms, totals)
      return share < IDLE_SHARE && blockedShare < IDLE_BLOCKED_SHARE && queuedShare < IDLE_SHARE
    })
  }

  /** @param {PoolKind} kind @param {() => boolean} isCovered */
  #watch (kind, isCovered) {
    const { scrape: { metrics }, post } = this.#parts
    return new PoolWatch(kind, {
      isCovered,
      observe: (delayMs) => metrics.observePoolDelay(kind, delayMs),
      askHost: () => {
        if (this.#resourcesAtMs === this.#now) return
        this.#resourcesAtMs = this.#now
        post({ code: RESOURCES })
      },
      report: (full) => {
        const { ongoing, longestMs, resources, threads } = full
        const more = { longestMs: Math.round(longestMs), resources, threads }
        this.#report({ kind, ongoing, ...more }, full, (requests) => exports.poolText(kind, full, requests))
      }
    })
  }

  /**
   * @param {Omit<IncidentDetails, 'message' | 'advice' | 'requests'> & { advice?: string }} what
   * @param {{ startMs: number, endMs: number }} when @param {(requests: number) => string} text
   */
  #report (what, { startMs, endMs }, text) {
    const { kind, thread = '', ongoing } = what
    const key = `${kind} ${thread}`
    const { finished } = this.#parts.scrape
    let requests = this.#inFlight
    if (ongoing) this.#finished.set(key, finished)
    else {
      // The end is detected a little later: requests and works begun since then do not count.
      const begun = this.#begun.findLast(({ atMs }) => atMs <= endMs)?.begun ?? requests + finished
      requests = Math.max(0, begun - (this.#finished.get(key) ?? finished))
    }
    this.#incidents.report({ advice: exports.advice[kind], ...what, requests, message: text(requests) }, startMs, endMs)
  }

  /** @param {number} durationMs of a block that has ended */
  blocked (durationMs) {
    this.#blockedMs += durationMs
  }

  /** @param {Filling} filling what the host waits for */
  answered (filling) {
    this.#pool.answered(filling)
    this.#lookups.answered(filling)
  }

  /** The host has looked what requests wait for. @param {Look} look */
  waits (look) {
    const { mainLoop, scrape, post } = this.#parts
    this.#waiting ??= new (require('./waiting-watch').WaitingWatch)({
      usual: scrape.usual,
      frames: mainLoop.sources.frames,
      post,
      mayOpen: () => this.#isIdle,
      report: (what, when, text) => this.#report(what, when, () => text)
    })
    this.#waiting.answered(nowMs(), look)
  }

  /** @param {number} now */
  poll (now) {
    this.#now = now
    this.#begun = [...this.#begun.slice(1 - POLLS), { atMs: now, begun: this.#inFlight + this.#parts.scrape.finished }]
    const mayAsk = now - this.#last.nowMs >= PROBE_MS && now - this.#probedAtMs >= this.#paceMs()
    if (mayAsk) this.#probedAtMs = now
    this.#pool.poll(mayAsk)
    this.#lookups.poll(mayAsk)
    this.#parts.bridge.counters.setPoolDelay(Math.max(this.#pool.latestMs, this.#lookups.latestMs))
    if (now < this.#secondAtMs) return
    this.#secondAtMs = now + MS_PER_S
    this.#seeBusy()
    this.#waiting?.poll(now)
    this.#parts.scrape.usual.poll(now, this.#waiting?.isOpen ?? false)
    this.#parts.page.showThreads(this.seeThreads())
  }

  get #inFlight () {
    return this.#parts.bridge.counters.openWork
  }

  /** The time between two measurements of the pool. A request that merely stays open is not work. */
  #paceMs () {
    const last = this.#last
    const { activeMs, idleMs, rest = TURNS } = this.#parts.bridge.beat.read()
    const { user, system } = process.cpuUsage()
    const inFlight = this.#inFlight
    this.#last = { cpuMs: (user + system) / US_PER_MS, nowMs: this.#now, inFlight }
    // While the loop rests, beats are rarer than polls.
    const isLoopWorking = this.#activity.count(activeMs + idleMs, activeMs)
    if (this.#pool.isOpen || this.#lookups.isOpen || inFlight !== last.inFlight) return PROBE_MS
    // The loop may idle while threads of the pool compute.
    if (isLoopWorking || this.#last.cpuMs - last.cpuMs >= CPU_SHARE * (this.#now - last.nowMs)) return PROBE_MS
    if (rest === RESTS_SAMPLED) this.#restedAtMs = this.#now
    if (rest !== TURNS) return Infinity
    return this.#now - this.#restedAtMs > RESTED_MS ? CALM_MS : Infinity
  }

  #seeBusy () {
    const { bridge: { beat, counters }, mainLoop, stats } = this.#parts
    const { atMs, activeMs, beats, rest = TURNS } = beat.read()
    // The totals do not change during a block.
    if (beats === this.#busyBeats && rest === TURNS) return
    this.#busyBeats = beats
    const queuedMs = stats.host.queuedMs(this.#now)
    const turns = counters.get('loopTurns')
    const event = this.#busy.see({ atMs, activeMs, blockedMs: this.#blockedMs, queuedMs, turns })
    counters.setBusy(this.#busy.sinceMs === null ? 0 : atMs - this.#busy.sinceMs)
    if (this.#busy.isLikely) mainLoop.profiling.want()
    if (event === null) return
    const ongoing = event.type === 'opened'
    const frame = this.#frame = mainLoop.windows.frameIn(event.startMs, event.endMs) ??
      (ongoing ? null : this.#frame)
    const more = { utilization: roundShare(event.share), turns: event.turns, frame }
    const gcMs = mainLoop.gcPauses.within(event.startMs, event.endMs)
    const isCollecting = exports.isCollecting(event, gcMs)
    if (isCollecting) mainLoop.heapProfiling.want()
    const advice = exports.advice[isCollecting ? 'collecting' : 'busy_loop']
    this.#report({ kind: 'busy_loop', ongoing, ...more, advice }, event, () => exports.busyText(event, frame, gcMs))
  }

  /** Worker threads that live, by name, with how busy they were in the last ten seconds. */
  seeThreads () {
    return [...this.#parts.threads?.states() ?? []].flatMap(([name, state]) => {
      const busy = this.#threads.get(name) ?? new BusyThreads()
      this.#threads.set(name, busy)
      const event = busy.see(this.#now, state)
      if (event !== null) {
        const { count: threads } = busy
        const ongoing = event.type === 'opened'
        const what = { kind: /** @type {const} */ ('worker_threads'), ongoing, thread: name, threads }
        const utilization = roundShare(event.share)
        this.#report({ ...what, utilization }, event, () => exports.threadsText(event, name, threads))
      }
      return state.count === 0 ? [] : [{ name, count: state.count, utilization: busy.utilization }]
    })
  }
}

/** @param {number} share */
const roundShare = (share) => Math.round(share * 1000) / 1000

exports.SlowWatch = SlowWatch
