'use strict'

const { checkOptions } = require('../../options/table')
const type = require('../../options/types')

/** Every option of agent.middleware() and agent.fastify: key, type, default and one line of documentation. */
const table = [
  {
    key: 'maxDelay',
    type: type.number(1, 60000, 'milliseconds'),
    default: undefined,
    doc: 'shed requests while the loop delay is above this, ms'
  },
  {
    key: 'maxUtilization',
    type: type.number(0, 1),
    default: undefined,
    doc: 'shed requests while the loop utilization is above this, 0 to 1'
  },
  {
    key: 'retryAfter',
    type: type.integer(0, 86400),
    default: 10,
    doc: 'Retry-After of a shed request, seconds'
  },
  {
    key: 'exempt',
    type: type.callback(),
    default: undefined,
    doc: 'a function of the request that returns true for requests that are never shed, such as health checks'
  }
]

/**
 * @typedef {object} ShedOptions
 * @property {number} [maxDelay] milliseconds, 1 to 60000
 * @property {number} [maxUtilization] 0 to 1
 * @property {number} [retryAfter] seconds
 * @property {(request: any) => boolean} [exempt]
 */

/** Keys that Fastify itself reads from the options of a plugin. */
const FASTIFY_KEYS = ['prefix', 'logLevel', 'logSerializers']

/**
 * Checks the options and adds defaults. Throws LOOPWATCH_ERR_OPTION or LOOPWATCH_ERR_OPTION_UNKNOWN.
 * @param {string} method what errors call it @param {unknown} options @returns {ShedOptions & { retryAfter: number }}
 */
exports.resolveShedOptions = (method, options) =>
  checkOptions(method, 'an object of options', options, table, FASTIFY_KEYS)

exports.table = table
