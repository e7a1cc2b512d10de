'use strict'

const { closedLoop, openLoop } = require('./loops')
const { watchSelf } = require('./target/self')
const { Tally } = require('./tally')
const { User } = require('./user')

const MS_PER_S = 1000
const GRACE_S = 30
const REPORT_MS = 500
/** undici's error for a request whose connection we have ended. */
const GIVEN_UP = 'UND_ERR_DESTROYED'

/**
 * Drives a server from this process.
 * @param {import('./interface').LoadOrder} order
 * @param {(requests: number) => void} [onProgress] answered since the last call
 * @returns {Promise<import('./interface').LoadResult>}
 */
exports.drive = async (
  { url, users: count, seconds, ratePerSecond, keepAlive = true, expect = {}, headers, graceSeconds = GRACE_S, probe },
  onProgress = () => {}
) => {
  const { origin, pathname, search } = new URL(url)
  const users = Array.from({ length: count }, () => new User({ origin, headers, keepAlive }))
  const tally = new Tally(expect)
  const probed = new Tally({})
  const stopProbe = probe === undefined ? async () => {} : startProbe(probe, probed)
  const endOfSelf = watchSelf()
  const fromMs = performance.now()
  const isOver = () => performance.now() - fromMs >= seconds * MS_PER_S
  const reporter = setInterval(() => onProgress(tally.takeFresh()), REPORT_MS)
  // Closing the connections fails what is still under way: it has had its time.
  const close = () => Promise.all(users.map((user) => user.close()))
  const grace = setTimeout(close, (seconds * (ratePerSecond === undefined ? 1 : 2) + graceSeconds) * MS_PER_S)
  const work = { path: `${pathname}${search}`, keepsBody: expect.body !== undefined, tally, isOver }
  const { late } = ratePerSecond === undefined
    ? await closedLoop(users, work)
    : await openLoop(users, { ...work, ratePerSecond, seconds })
  const endMs = performance.now()
  const own = endOfSelf()
  clearTimeout(grace)
  clearInterval(reporter)
  await stopProbe()
  onProgress(tally.takeFresh())
  const bytes = users.map((user) => user.bytes)
  await close()
  return resultOf({ tally, probed, wallS: (endMs - fromMs) / MS_PER_S, bytes, late, own })
}

/**
 * @param {object} seen
 * @param {Tally} seen.tally of the users
 * @param {Tally} seen.probed of the probe, empty when there is none
 * @param {number} seen.wallS
 * @param {{ received: number, sent: number }[]} seen.bytes of each user
 * @param {number} seen.late
 * @param {import('./interface').LoadResult['own']} seen.own
 * @returns {import('./interface').LoadResult}
 */
function resultOf ({ tally, probed, wallS, bytes, late, own }) {
  const result = tally.describe()
  const probes = probed.describe()
  return /** @type {any} */ ({
    driver: 'built-in',
    ...result,
    seconds: wallS,
    perSecond: result.requests / wallS,
    bytesReceived: bytes.reduce((sum, { received }) => sum + received, 0),
    bytesSent: bytes.reduce((sum, { sent }) => sum + sent, 0),
    users: bytes.length,
    probeMs: probes.requests === 0 ? null : probes.latencyMs,
    probeFailed: probes.failed - (probes.errors[GIVEN_UP] ?? 0),
    probeUnanswered: probes.errors[GIVEN_UP] ?? 0,
    late,
    own
  })
}

/**
 * A few connections that ask at an even rate.
 * @param {{ url: string, ratePerSecond: number }} probe @param {Tally} tally
 */
function startProbe ({ url, ratePerSecond }, tally) {
  const { origin, pathname } = new URL(url)
  /** @type {Set<Promise<void>>} */
  const open = new Set()
  const users = Array.from({ length: 8 }, () => new User({ origin }))
  const idle = [...users]
  const timer = setInterval(() => {
    const user = idle.pop()
    // All eight wait already; their latencies say how long.
    if (user === undefined) return
    const asked = user.request(pathname, { keepsBody: false }).then((timing) => {
      tally.add(timing, timing.blockedMs + timing.durationMs)
      idle.push(user)
    })
    open.add(asked)
    asked.finally(() => open.delete(asked))
  }, MS_PER_S / ratePerSecond)
  return async () => {
    clearInterval(timer)
    await Promise.race([Promise.all(open), new Promise((resolve) => setTimeout(resolve, MS_PER_S).unref())])
    await Promise.all(users.map((user) => user.close()))
  }
}
