'use strict'

const { quantile } = require('../../util/statistics')

const ANSWER_MS = 10000

/**
 * @typedef {{ requests: number, failed: number, refused: number, statuses: Map<number, number>, timedOut: number,
 *   p50Ms: number, p99Ms: number }} Load failed: no answer, or a status of 500 and above; refused: 400 to 499;
 *   statuses: answers by status, from 400 on; timedOut: part of failed, in the latencies with the time that we waited
 */

/**
 * Load on ten connections, each with the next request as soon as it is answered: no queue grows.
 * @param {string} url @param {number} ms how long @param {() => boolean} isOver to end early @param {number} [answerMs]
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
        // We look for blocks: a slow response is not a failure until it times out.
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
          // Its latency is at least this long. Without it, the slowest application would have the best latency.
          timedOut++
          times.push(answerMs)
          continue
        }
        // An application that refuses connections does not need a thousand requests per second.
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }
  await Promise.all(Array.from({ length: 10 }, ask))
  times.sort((a, b) => a - b)
  return { requests, failed, refused, statuses, timedOut, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
}

/** The fault of an application that did not serve most requests; null if it did. @param {Load} load */
function faultInWords ({ requests, failed, refused, statuses }) {
  if ((failed + refused) * 2 <= requests) return null
  const [[status, count] = [0, 0]] = [...statuses].sort(([, a], [, b]) => b - a)
  const answered = [...statuses.values()].reduce((total, each) => total + each, 0)
  const unanswered = failed + refused - answered
  if (unanswered > count) return `the application did not answer ${unanswered} of ${requests} requests`
  return `the application answered ${status} to ${count} of ${requests} requests ` +
    `(${status < 500 ? 'is the path right, and is a plain GET enough?' : 'see the log of the application'})`
}

/** @param {Load} load */
exports.loadInWords = (load) => {
  const { requests, failed, refused, timedOut, p50Ms, p99Ms } = load
  const late = timedOut > 0 ? ` (${timedOut} of them not answered within ${ANSWER_MS / 1000} s)` : ''
  const fault = faultInWords(load)
  return `${requests} requests, ${failed} failed${late}, ${refused} refused, p50 ${p50Ms.toFixed(1)} ms, p99 ` +
    `${p99Ms.toFixed(1)} ms${fault === null ? '' : `; ${fault}`}`
}

exports.faultInWords = faultInWords
