'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { PoolIncident } = require('../../../../lib/watchdog/slow/pool-incident')
const { poolEndedText, poolText } = require('../../../../lib/watchdog/slow/slow-text')

test('a pool is full when work has waited in it for 200 ms, and has room again when a wait is short', () => {
  const pool = new PoolIncident()
  assert.equal(pool.see(0, 150, false, 3), null)
  assert.deepEqual(pool.see(0, 210, false, 3), { type: 'opened', startMs: 0, endMs: 210, longestMs: 210, inFlight: 3 })
  assert.equal(pool.see(0, 460, false, 18), null)
  assert.equal(pool.see(0, 900, true, 9), null, 'the next one may wait as long')
  assert.equal(pool.see(1000, 1100, true, 9), null)
  const ended = pool.see(1250, 1252, true, 0)
  assert.deepEqual(ended, { type: 'ended', startMs: 0, endMs: 1250, longestMs: 900, inFlight: 18 })
  assert.equal(ended && poolEndedText(ended), 'the thread pool was full for 1.3 s: work waited in it for up to 900 ms, 18 requests in flight')
})

test('waits that come and go below 200 ms are no incident', () => {
  const pool = new PoolIncident()
  for (let i = 0; i < 100; i++) assert.equal(pool.see(i * 250, i * 250 + (i * 37) % 199, true, 5), null)
  assert.equal(pool.isOpen, false)
})

test('the log says what waits, and which threads compute', () => {
  const event = { type: /** @type {const} */ ('opened'), startMs: 0, endMs: 300, longestMs: 300, inFlight: 2 }
  const full = 'the thread pool is full, work has waited in it for 300 ms'
  const counts = { GetAddrInfoReqWrap: 12, FSReqCallback: 1, FSReqPromise: 2, TCPSocketWrap: 40 }
  assert.equal(poolText(event, { counts, threads: 4 }, null), `${full}: 12 DNS lookups, 3 file operations (4 threads)`)
  assert.equal(poolText(event, { counts: { GetAddrInfoReqWrap: 1 }, threads: 8 }, { threads: 8, computing: 7 }), `${full}: 1 DNS lookup, 7 of 8 threads compute (crypto, zlib)`)
  assert.equal(poolText(event, { counts: {}, threads: 4 }, null), `${full} (4 threads)`)
})
