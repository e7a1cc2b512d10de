'use strict'

const { nowMs } = require('../../util/clock')
const { ignoreRejection } = require('../ignore-rejection')
const { resolveShedOptions } = require('./options')

/**
 * @import { Counters } from '../../bridge/counters'
 * @import { LoopLoad } from './loop-load'
 * @import { ShedOptions } from './options'
 */

/**
 * @typedef {{ load: LoopLoad,
 *   counters: Pick<Counters, 'add'> }} Gauge the load that decides, and the counters of turned away requests
 */

/**
 * Decides whether to turn a request away, and counts it. Null if there is no limit.
 * @param {ShedOptions} options @param {Gauge} gauge @returns {((request: any) => boolean) | null}
 */
exports.createShedding = ({ maxDelay, maxUtilization, exempt }, { load, counters }) => {
  if (maxDelay === undefined && maxUtilization === undefined) return null
  const delayLimitMs = maxDelay ?? Infinity
  const utilizationLimit = maxUtilization ?? Infinity

  return (request) => {
    const now = nowMs()
    const isLate = load.delayMs(now) > delayLimitMs
    if (!isLate && load.utilization(now) <= utilizationLimit) return false
    if (exempt !== undefined && isExempt(exempt, request)) return false
    counters.add(isLate ? 'shedDelay' : 'shedUtilization', 1)
    return true
  }
}

/** A predicate that throws turns no request away. @param {(request: any) => boolean} exempt @param {any} request */
function isExempt (exempt, request) {
  try {
    const answer = /** @type {unknown} */ (exempt(request))
    ignoreRejection(answer)
    return answer === true
  } catch {
    return true
  }
}

/** On a response of node:http or node:http2. @param {any} response @param {number} retryAfterS */
exports.refuse = (response, retryAfterS) => {
  response.statusCode = 503
  response.setHeader('Retry-After', String(retryAfterS))
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.end('Service Unavailable\n')
}

/**
 * Without limits the middleware only passes requests on.
 * @param {Gauge} gauge @param {ShedOptions} options
 * @returns {(request: any, response: any, next: (error?: unknown) => void) => void}
 */
exports.createMiddleware = (gauge, options) => {
  const resolved = resolveShedOptions('middleware()', options)
  const sheds = exports.createShedding(resolved, gauge)
  return function loopwatch (request, response, next) {
    if (sheds !== null && !response.headersSent && sheds(request)) exports.refuse(response, resolved.retryAfter)
    else next()
  }
}
