'use strict'

const CONNECTIONS = 10
const ANSWER_MS = 10000

/**
 * @typedef {object} Load
 * @property {number} requests made
 * @property {number} failed of them, without an answer or with a status of 500 and above
 * @property {number} timedOut of the failed, given up: in the latencies with the time they were waited for
 * @property {number} p50Ms
 * @property {number} p99Ms
 */

/**
 * Asks an address over ten connections, each again as soon as it is answered: as much as the
 * application can take, without piling up more.
 * @param {string} url
 * @param {number} ms how long
 * @param {() => boolean} isOver ends it early
 * @param {number} [answerMs] how long an answer is waited for
 * @returns {Promise<Load>}
 */
exports.applyLoad = async (url, ms, isOver, answerMs = ANSWER_MS) => {
  const end = performance.now() + ms
  /** @type {number[]} */
  const times = []
  let [requests, failed, timedOut] = [0, 0, 0]
  const ask = async () => {
    while (performance.now() < end && !isOver()) {
      const startMs = performance.now()
      requests++
      try {
        // Blocks are what is looked for: a slow answer is no failure before its time.
        const response = await fetch(url, { signal: AbortSignal.timeout(answerMs) })
        await response.arrayBuffer()
        times.push(performance.now() - startMs)
        if (response.status >= 500) failed++
      } catch (error) {
        failed++
        if (error.name === 'TimeoutError') {
          // It would have taken at least this long: left out, the slowest application had the best latency.
          timedOut++
          times.push(answerMs)
          continue
        }
        // An application that refuses connections is not asked a thousand times a second.
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, ask))
  times.sort((a, b) => a - b)
  const quantile = (/** @type {number} */ share) => times[Math.floor(share * (times.length - 1))] ?? 0
  return { requests, failed, timedOut, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}

/**
 * A load in words.
 * @param {Load} load
 */
exports.loadInWords = ({ requests, failed, timedOut, p50Ms, p99Ms }) =>
  `${requests} requests, ${failed} failed${timedOut > 0 ? ` (${timedOut} of them not answered within ${ANSWER_MS / 1000} s)` : ''}, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`
