'use strict'

const { resolveShedOptions } = require('./options')
const { createShedding, refuse } = require('./decide')

/**
 * @import { Gauge } from './decide'
 * @import { ShedOptions } from './options'
 */

/**
 * Routes need none: without limits it only passes requests on.
 * @param {Gauge} gauge @param {ShedOptions} options
 * @returns {(request: any, response: any, next: (error?: unknown) => void) => void}
 */
exports.createMiddleware = (gauge, options) => {
  const resolved = resolveShedOptions('middleware()', options)
  const sheds = createShedding(resolved, gauge)
  return function loopwatch (request, response, next) {
    if (sheds !== null && !response.headersSent && sheds(request)) refuse(response, resolved.retryAfter)
    else next()
  }
}
