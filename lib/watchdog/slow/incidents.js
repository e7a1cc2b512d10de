'use strict'

const { nowMs } = require('../../util/clock')
const { SLOW } = require('../../bridge/messages')

/**
 * @import { Metrics } from '../../export/prometheus/metrics'
 * @import { SlowIncident } from '../../types'
 * @import { PageFeed } from '../page-feed/feed'
 * @import { Say } from '../health'
 */

/** Incidents shown on the page. */
const KEEP = 20
/** Incidents of one kind, or of one pool of threads, are logged at most this often. The metric counts all. */
const LOG_MS = 10000

/**
 * Log events at the beginning and the end of each kind, and their level if it is not `warn`: worker threads may work.
 * @type {Record<SlowIncident['kind'], [string, string, 'info'?]>}
 */
const events = {
  thread_pool: ['pool_full', 'pool_free'],
  dns_lookups: ['pool_full', 'pool_free'],
  busy_loop: ['busy', 'busy_over'],
  worker_threads: ['threads_busy', 'threads_free', 'info'],
  waiting: ['waiting', 'waiting_over']
}

/** @typedef {Omit<SlowIncident, 'startedAt' | 'durationMs'>} IncidentDetails */

/** Reports incidents in the log, in metrics, on the page, and to the host when they end. */
class Incidents {
  /** The latest, oldest first. @type {SlowIncident[]} */
  list = []
  #outputs
  /** @type {Map<string, { atMs: number, isOpen: boolean, unlogged: number }>} what was logged last, by kind and pool */
  #logged = new Map()

  /**
   * @param {object} outputs @param {Say} outputs.say @param {(message: object) => void} outputs.post
   * @param {Pick<Metrics, 'slowIncident'>} outputs.metrics @param {Pick<PageFeed, 'showSlow'>} outputs.page
   */
  constructor (outputs) {
    this.#outputs = outputs
  }

  /** An incident begins or ends. @param {IncidentDetails} what @param {number} startMs @param {number} endMs */
  report (what, startMs, endMs) {
    const { metrics, page, post } = this.#outputs
    const { kind, ongoing, thread } = what
    const open = this.list.find((each) => each.kind === kind && each.thread === thread && each.ongoing)
    const startedAt = open?.startedAt ?? new Date(Date.now() - (nowMs() - startMs)).toISOString()
    const incident = { ...what, startedAt, durationMs: Math.round(endMs - startMs) }
    if (open === undefined) metrics.slowIncident(kind)
    this.list = [...this.list.filter((other) => other !== open), incident].slice(-KEEP)
    this.#log(incident, endMs)
    page.showSlow(this.list)
    if (!ongoing) post({ code: SLOW, incident })
  }

  /** The end is logged if the beginning was. @param {SlowIncident} incident @param {number} nowMs */
  #log ({ kind, ongoing, message, ...fields }, nowMs) {
    const key = `${kind} ${fields.thread ?? ''}`
    const { atMs, isOpen, unlogged } = this.#logged.get(key) ?? { atMs: -Infinity, isOpen: false, unlogged: 0 }
    if (ongoing && nowMs - atMs < LOG_MS) {
      this.#logged.set(key, { atMs, isOpen, unlogged: unlogged + 1 })
      return
    }
    if (!ongoing && !isOpen) return
    this.#logged.set(key, { atMs: ongoing ? nowMs : atMs, isOpen: ongoing, unlogged: ongoing ? 0 : unlogged })
    const isMore = ongoing && unlogged > 0
    const text = isMore ? `${message}; ${unlogged} more times since the last such line` : message
    const [begins, ends, level = 'warn'] = events[kind]
    this.#outputs.say(level, { event: ongoing ? begins : ends, kind, ...fields, ...(isMore && { unlogged }) }, text)
  }
}

exports.Incidents = Incidents
