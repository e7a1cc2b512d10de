'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { fillingText, isFull } = require('../../../../lib/watchdog/slow/pool-filling')
const { poolText } = require('../../../../lib/watchdog/slow/slow-watch')

const short = { startMs: 0, longestMs: 250, looks: 1 }
const long = { startMs: 0, longestMs: 1200, looks: 4 }
/** @param {Record<string, number>} counts @param {number} [threads] */
const filling = (counts, threads = 4) => ({ counts, threads })
const nothing = filling({})

test('where the kernel shows the threads, a pool is full if all are busy, whatever the host lists', () => {
  assert.equal(isFull('thread_pool', nothing, { threads: 4, busy: 4, computing: 4 }, short), true)
  assert.equal(isFull('thread_pool', filling({ FSReqCallback: 9 }), { threads: 4, busy: 3, computing: 3 }, short), false)
  assert.equal(isFull('thread_pool', filling({ FSReqCallback: 9 }), { threads: 4, busy: 0, computing: 0 }, long), false, 'a CPU was missing')
})

test('elsewhere it is full if as much is listed as there are threads, or if the wait is long', () => {
  assert.equal(isFull('thread_pool', filling({ FSReqCallback: 2, FSReqPromise: 1, GetAddrInfoReqWrap: 1 }), null, short), true)
  assert.equal(isFull('thread_pool', filling({ FSReqCallback: 3, TCPSocketWrap: 90 }), null, short), false)
  assert.equal(isFull('thread_pool', filling({ FSReqCallback: 4 }, 8), null, short), false)
  assert.equal(isFull('thread_pool', nothing, null, long), true)
  assert.equal(isFull('thread_pool', nothing, null, { ...long, looks: 1 }), false, 'the process was stopped for that long')
})

test('for DNS lookups half of the threads are enough, but they must be those of lookups', () => {
  const lookups = filling({ GetAddrInfoReqWrap: 2 })
  assert.equal(isFull('dns_lookups', lookups, { threads: 4, busy: 2, computing: 0 }, short), true)
  assert.equal(isFull('dns_lookups', lookups, { threads: 4, busy: 1, computing: 0 }, short), false)
  assert.equal(isFull('dns_lookups', lookups, null, short), true)
  assert.equal(isFull('dns_lookups', filling({ FSReqCallback: 7 }), { threads: 4, busy: 3, computing: 3 }, short), false)
  assert.equal(isFull('dns_lookups', filling({ GetAddrInfoReqWrap: 2 }, 5), null, short), false)
})

test('the words say what waits, and which threads compute', () => {
  const counts = { GetAddrInfoReqWrap: 12, FSReqCallback: 1, FSReqPromise: 2, TCPSocketWrap: 40 }
  assert.equal(fillingText('thread_pool', filling(counts), null), ': 12 DNS lookups, 3 file operations (4 threads)')
  assert.equal(fillingText('thread_pool', filling({ GetAddrInfoReqWrap: 1 }), { threads: 8, busy: 8, computing: 7 }),
    ': 1 DNS lookup, 7 of 8 threads compute (crypto, zlib, native modules)')
  assert.equal(fillingText('thread_pool', nothing, null), ': crypto, zlib, native modules (4 threads)', 'Node.js lists none of these')
  assert.equal(fillingText('thread_pool', filling({ FSReqCallback: 1 }), null), ': 1 file operation, crypto, zlib, native modules (4 threads)')
  assert.equal(fillingText('thread_pool', null, null), ' (4 threads)', 'the host has not answered')
  assert.equal(fillingText('dns_lookups', filling(counts), null), ': 12 DNS lookups (2 of 4 threads)')
})

test('the log shows them, during the incident and at its end', () => {
  const full = { startMs: 0, endMs: 2800, longestMs: 1800, resources: {}, threads: 4, filling: ': 3 file operations (4 threads)' }
  assert.equal(poolText('thread_pool', { ...full, ongoing: true }, 18), 'the thread pool is full, work has been waiting for 2.8 s: 3 file operations (4 threads)')
  assert.equal(poolText('thread_pool', { ...full, ongoing: false }, 18), 'the thread pool was full for 2.8 s: 3 file operations (4 threads); work waited for up to 1.8 s, 18 requests meanwhile')
  assert.equal(poolText('dns_lookups', { ...full, ongoing: false }, 0), 'DNS lookups filled their half of the thread pool for 2.8 s: 3 file operations (4 threads); work waited for up to 1.8 s')
})
