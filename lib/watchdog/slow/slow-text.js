'use strict'

const { counted, duration, place } = require('../../util/sentence')

/**
 * @import { Frame } from '../../types'
 * @import { BusyEvent } from './busy-incident'
 * @import { PoolKind } from './pool-filling'
 * @import { FullPool } from './pool-watch'
 */

/** What to do about each kind; docs/operate/slow-without-a-block.md has more. */
exports.advice = {
  thread_pool: 'Add threads (UV_THREADPOOL_SIZE) if they wait; add CPUs or a queue in front if they compute. ' +
    'Use dns.resolve() or keep-alive connections instead of dns.lookup().',
  dns_lookups: 'Keep connections alive, or use dns.resolve(), which needs no thread; otherwise cache the addresses. ' +
    'Only half of the threads that UV_THREADPOOL_SIZE adds will help.',
  busy_loop: 'Do less for each request or event, batch the events, or add processes: each request waits for the others.',
  worker_threads: 'If tasks wait for them, add threads (up to the number of CPUs) or make the tasks shorter.'
}

/**
 * @param {PoolKind} kind @param {FullPool} full
 * @param {number} requests in flight meanwhile
 */
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

/** @param {BusyEvent} event @param {Frame | null} frame */
exports.busyText = ({ startMs, endMs, share, turns }, frame) => {
  const many = turns > 0 ? ` in ${turns.toLocaleString('en')} turns` : ''
  const most = frame === null ? '' : `; most of it in ${place(frame)}`
  return `the event loop was ${Math.round(share * 100)}% busy for ${duration(endMs - startMs)}${many}, without a single long block${most}`
}
