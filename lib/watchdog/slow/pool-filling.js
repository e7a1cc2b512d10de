'use strict'

const { counted } = require('../../util/sentence')

/** @import { PoolWait } from './pool-incident' */

/** Node.js resources that need a thread of the pool. Node.js does not list crypto and zlib. */
const LOOKUPS = [
  { types: ['GetAddrInfoReqWrap'], one: 'DNS lookup', many: 'DNS lookups' },
  { types: ['GetNameInfoReqWrap'], one: 'reverse DNS lookup', many: 'reverse DNS lookups' }
]
const ALL = [...LOOKUPS, { types: ['FSReqCallback', 'FSReqPromise'], one: 'file operation', many: 'file operations' }]

const UNLISTED = 'crypto, zlib, native modules'
/** libuv's default. */
const THREADS = 4

/** A wait this long, seen this often, is not a hiccup of the machine, even if its reason is unknown. */
const LONG_MS = 1000
const LONG_LOOKS = 3

/**
 * @typedef {'thread_pool' | 'dns_lookups'} PoolKind libuv gives lookups at most half of the pool's threads, so they can
 * wait while files do not
 * @typedef {{ counts: Record<string, number>, threads: number }} Filling the host's view of its pool: active
 * resources by type, and the number of threads
 * @typedef {{ threads: number, busy: number, computing: number }} PoolThreads as the kernel shows them
 */

/** Number of busy threads that makes it full. @param {PoolKind} kind @param {number} threads */
const neededOf = (kind, threads) => kind === 'thread_pool' ? threads : Math.ceil(threads / 2)

/** @param {PoolKind} kind @param {Filling} filling */
const waitingOf = (kind, { counts }) => (kind === 'thread_pool' ? ALL : LOOKUPS)
  .map((row) => ({ ...row, count: row.types.reduce((sum, type) => sum + (counts[type] ?? 0), 0) }))
  .filter(({ count }) => count > 0)

/**
 * Whether work waits for a thread, rather than for a scarce CPU.
 * @param {PoolKind} kind @param {Filling} filling @param {PoolThreads | null} pool
 * @param {Pick<PoolWait, 'startMs' | 'longestMs' | 'looks'>} wait
 */
exports.isFull = (kind, filling, pool, { longestMs, looks }) => {
  const isLong = longestMs >= LONG_MS && looks >= LONG_LOOKS
  const needed = neededOf(kind, pool?.threads ?? filling.threads)
  const waiting = waitingOf(kind, filling).reduce((sum, { count }) => sum + count, 0)
  if (pool === null) return waiting >= needed || isLong
  if (pool.busy < needed) return false
  return kind === 'thread_pool' || waiting >= needed || isLong
}

/**
 * ": 12 DNS lookups, 2 of 4 threads compute (crypto, zlib, native modules)", with its punctuation.
 * @param {PoolKind} kind @param {Filling | null} filling null: the host did not answer @param {PoolThreads | null} pool
 */
exports.fillingText = (kind, filling, pool) => {
  const rows = filling === null ? [] : waitingOf(kind, filling)
  const what = rows.map(({ count, one, many }) => counted(count, one, many))
  const threads = pool?.threads ?? filling?.threads ?? THREADS
  const all = counted(threads, 'thread')
  if (kind === 'dns_lookups') return colon(what, ` (${neededOf(kind, threads)} of ${all})`)
  if (pool !== null && pool.computing > 0) {
    return colon([...what, `${pool.computing} of ${all} compute (${UNLISTED})`], '')
  }
  const isMore = filling !== null && rows.reduce((sum, { count }) => sum + count, 0) < threads
  return colon(isMore ? [...what, UNLISTED] : what, ` (${all})`)
}

/** @param {string[]} what @param {string} end */
const colon = (what, end) => `${what.length === 0 ? '' : ': '}${what.join(', ')}${end}`

exports.THREADS = THREADS
