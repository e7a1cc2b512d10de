'use strict'

const { counted, duration, place } = require('../../util/sentence')

/** What the resources of Node.js are that wait in the pool. @type {Record<string, [string, string]>} */
const NAMES = {
  GetAddrInfoReqWrap: ['DNS lookup', 'DNS lookups'],
  GetNameInfoReqWrap: ['reverse DNS lookup', 'reverse DNS lookups'],
  FSReqCallback: ['file operation', 'file operations'],
  FSReqPromise: ['file operation', 'file operations']
}

/** What to do about a full pool; docs/operate/slow-without-a-block.md has more. */
exports.POOL_ADVICE = 'More threads (UV_THREADPOOL_SIZE) if they wait, more CPUs or a queue in front if they compute; ' +
  'dns.resolve() or kept-alive connections in place of dns.lookup().'

/**
 * @typedef {import('./pool-incident').PoolEvent} PoolEvent
 * @typedef {{ counts: Record<string, number>, threads: number }} Filling what the host says of its pool: active
 * resources by type, and its number of threads
 */

/**
 * @param {PoolEvent} event @param {Filling} filling
 * @param {{ threads: number, computing: number } | null} seen threads, as the kernel shows them
 */
exports.poolText = ({ startMs, endMs }, { counts, threads }, seen) => {
  /** @type {Map<string, number>} */
  const byName = new Map()
  for (const [type, count] of Object.entries(counts)) {
    const [one] = NAMES[type] ?? []
    if (one !== undefined) byName.set(one, (byName.get(one) ?? 0) + count)
  }
  const waiting = [...byName].map(([one, count]) =>
    counted(count, one, Object.values(NAMES).find(([name]) => name === one)?.[1]))
  const all = counted(seen?.threads ?? threads, 'thread')
  const computing = seen !== null && seen.computing > 0
  const what = [...waiting, ...(computing ? [`${seen.computing} of ${all} compute (crypto, zlib)`] : [])].join(', ')
  const full = `the thread pool is full, work has waited in it for ${duration(endMs - startMs)}`
  return `${full}${what === '' ? '' : `: ${what}`}${computing ? '' : ` (${all})`}`
}

/** @param {PoolEvent} event */
exports.poolEndedText = ({ startMs, endMs, longestMs, inFlight }) => {
  const waited = inFlight > 0 ? `, ${counted(inFlight, 'request')} in flight` : ''
  return `the thread pool was full for ${duration(endMs - startMs)}: work waited in it for up to ${duration(longestMs)}${waited}`
}

/**
 * @param {import('./busy-incident').BusyEvent} event
 * @param {import('../../types').Frame | null} frame which had most of the time
 */
exports.busyText = ({ startMs, endMs, share, turns }, frame) => {
  const many = turns > 0 ? ` in ${turns.toLocaleString('en')} turns` : ''
  const most = frame === null ? '' : `; most of it in ${place(frame)}`
  return `the event loop was ${Math.round(share * 100)} % busy for ${duration(endMs - startMs)}${many}, without one long block${most}`
}
