'use strict'

const { quantile } = require('../common/quantile')

const CONNECTIONS = 10
const ANSWER_MS = 10000

/**
 * @typedef {object} Load
 * @property {number} requests made
 * @property {number} failed of them, without an answer or with a status of 500 and above (server errors)
 * @property {number} refused of them, with a status of 400 to 499 (client errors)
 * @property {Map<number, number>} statuses how many were answered with each status of 400 and above
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
  /** @type {Load['statuses']} */
  const statuses = new Map()
  let [requests, failed, refused, timedOut] = [0, 0, 0, 0]
  const ask = async () => {
    while (performance.now() < end && !isOver()) {
      const startMs = performance.now()
      requests++
      try {
        // Blocks are what is looked for: a slow answer is no failure before its time.
        const response = await fetch(url, { signal: AbortSignal.timeout(answerMs) })
        await response.arrayBuffer()
        times.push(performance.now() - startMs)
        const { status } = response
        if (status < 400) continue
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status < 500) refused++
        else failed++
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
  return { requests, failed, refused, statuses, timedOut, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
}

/**
 * What the application did instead of serving most of the requests; null where it served them.
 * @param {Load} load
 */
function faultInWords ({ requests, failed, refused, statuses }) {
  if ((failed + refused) * 2 <= requests) return null
  const [[status, count] = [0, 0]] = [...statuses].sort(([, a], [, b]) => b - a)
  const answered = [...statuses.values()].reduce((total, each) => total + each, 0)
  const unanswered = failed + refused - answered
  if (unanswered > count) return `the application did not answer ${unanswered} of ${requests} requests`
  return `the application answered ${status} to ${count} of ${requests} requests (${status < 500 ? 'is the path right, and is a plain GET enough?' : 'see what it logs'})`
}

/**
 * A load in words.
 * @param {Load} load
 */
exports.loadInWords = (load) => {
  const { requests, failed, refused, timedOut, p50Ms, p99Ms } = load
  const late = timedOut > 0 ? ` (${timedOut} of them not answered within ${ANSWER_MS / 1000} s)` : ''
  const fault = faultInWords(load)
  return `${requests} requests, ${failed} failed${late}, ${refused} refused, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms${fault === null ? '' : `; ${fault}`}`
}

exports.faultInWords = faultInWords
