'use strict'

/**
 * The orders for a driver of an HTTP server, and its results.
 *
 * @typedef {object} Expectation of every answer; status 200 always
 * @property {string} [body]
 * @property {number} [bodyBytes]
 *
 * @typedef {object} LoadOrder
 * @property {string} url
 * @property {number} users connections, each with one request at a time
 * @property {number} seconds that users begin requests; what is under way ends
 * @property {number} [ratePerSecond] open loop: requests are due at this even rate whatever became of those before
 * @property {boolean} [keepAlive] default true; false: a connection for each request
 * @property {Expectation} [expect]
 * @property {Record<string, string>} [headers]
 * @property {number} [graceSeconds] that requests under way have to end, default 30
 * @property {{ url: string, ratePerSecond: number }} [probe] a cheap request at the same time, at an even rate
 *
 * @typedef {import('./summary').Summary} Summary
 *
 * @typedef {object} LoadResult
 * @property {'built-in' | 'k6'} driver
 * @property {number} requests answered as expected
 * @property {number} failed
 * @property {Record<string, number>} errors how often each
 * @property {number} seconds until the last answer
 * @property {number} perSecond
 * @property {number} bytesReceived
 * @property {number} bytesSent
 * @property {number} users
 * @property {Float64Array} latenciesMs closed loop: from sending on; open loop: from when it was due
 * @property {Summary} latencyMs
 * @property {Summary} blockedMs
 * @property {Summary} connectingMs
 * @property {Summary} durationMs
 * @property {Summary} receivingMs
 * @property {Summary} sendingMs
 * @property {Summary} waitingMs
 * @property {Summary | null} probeMs
 * @property {number} probeFailed with a wrong answer or none
 * @property {number} probeUnanswered under way for at least a second at the end of the run
 * @property {number} late of an open loop: requests that were not sent before the end of the run
 * @property {Own} own the driver's
 *
 * @typedef {object} Own the driver itself, whose limits must not count as those of a server
 * @property {number} cpuSeconds
 * @property {number | null} utilization of its loop, 0 to 1; null for k6
 * @property {number | null} delayP99Ms of its loop; null for k6
 * @property {boolean} isBottleneck
 */
