'use strict'

const UNITS = /** @type {const} */ ([['s', 1000], ['ms', 1], ['µs', 1e-3]])
const BYTES = /** @type {const} */ ([['GB', 1e9], ['MB', 1e6], ['kB', 1e3], ['B', 1]])
const NAME_WIDTH = 31

/** Two digits without zeros behind. @param {number} value */
const digits = (value) => String(Math.round(value * 100) / 100)

/** @param {number} ms */
function duration (ms) {
  const unit = UNITS.find(([, size]) => ms >= size)
  return unit === undefined ? (ms === 0 ? '0s' : `${Math.round(ms * 1e6)}ns`) : `${digits(ms / unit[1])}${unit[0]}`
}

/** @param {number} count */
function bytes (count) {
  const [unit, size] = BYTES.find(([, each]) => count >= each) ?? BYTES[BYTES.length - 1]
  const value = count / size
  return `${value >= 10 || unit === 'B' ? Math.round(value) : Math.round(value * 10) / 10} ${unit}`
}

/** @param {string} name */
const label = (name) => `${name.padEnd(NAME_WIDTH, '.')}:`

/** @param {import('../interface').Summary} summary */
const trend = ({ avg, min, med, max, p90, p95 }) =>
  `avg=${duration(avg)} min=${duration(min)} med=${duration(med)} max=${duration(max)} p(90)=${duration(p90)} p(95)=${duration(p95)}`

/**
 * The lines that k6 prints at the end of a run.
 * @param {import('../interface').LoadResult} result
 */
exports.k6Lines = ({ requests, failed, seconds, bytesReceived, bytesSent, users, ...parts }) => {
  const all = requests + failed
  const rate = `${all} ${(all / seconds).toFixed(6)}/s`
  return [
    `${label('data_received')} ${bytes(bytesReceived)} ${bytes(bytesReceived / seconds)}/s`,
    `${label('data_sent')} ${bytes(bytesSent)} ${bytes(bytesSent / seconds)}/s`,
    `${label('http_req_blocked')} ${trend(parts.blockedMs)}`,
    `${label('http_req_connecting')} ${trend(parts.connectingMs)}`,
    `${label('http_req_duration')} ${trend(parts.durationMs)}`,
    `${label('http_req_failed')} ${(all === 0 ? 0 : failed / all * 100).toFixed(2)}% ${failed} of ${all}`,
    `${label('http_req_receiving')} ${trend(parts.receivingMs)}`,
    `${label('http_req_sending')} ${trend(parts.sendingMs)}`,
    `${label('http_req_waiting')} ${trend(parts.waitingMs)}`,
    `${label('http_reqs')} ${rate}`,
    `${label('iterations')} ${rate}`,
    `${label('vus')} ${users}`
  ]
}

exports.duration = duration
exports.bytes = bytes
