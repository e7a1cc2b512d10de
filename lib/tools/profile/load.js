'use strict'

const CONNECTIONS = 10
const ANSWER_MS = 10000

/**
 * Asks an address over ten connections, each again as soon as it is answered: as much as the
 * application can take, without piling up more.
 * @param {string} url
 * @param {number} ms how long
 * @param {() => boolean} isOver ends it early
 * @returns {Promise<{ requests: number, failed: number, p50Ms: number, p99Ms: number }>}
 */
exports.applyLoad = async (url, ms, isOver) => {
  const end = performance.now() + ms
  /** @type {number[]} */
  const times = []
  let failed = 0
  const ask = async () => {
    while (performance.now() < end && !isOver()) {
      const startMs = performance.now()
      try {
        // Blocks are what is looked for: a slow answer is no failure before its time.
        const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
        await response.arrayBuffer()
        times.push(performance.now() - startMs)
        if (response.status >= 500) failed++
      } catch {
        failed++
        // An application that refuses connections is not asked a thousand times a second.
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, ask))
  times.sort((a, b) => a - b)
  const quantile = (/** @type {number} */ share) => times[Math.floor(share * (times.length - 1))] ?? 0
  return { requests: times.length, failed, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}
