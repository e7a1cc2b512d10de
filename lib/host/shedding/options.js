'use strict'

const type = require('../../options/types')
const { codedError } = require('../../tables/errors')
const { nearest } = require('../../options/table')

/** @import { OptionType } from '../../options/types' */

/** @type {OptionType} */
const predicate = { takes: 'a function', accepts: (value) => typeof value === 'function', parse: () => undefined }

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
    type: predicate,
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
 * @param {string} source what errors call it @param {unknown} options @returns {ShedOptions & { retryAfter: number }}
 */
exports.resolveShedOptions = (source, options) => {
  if (!type.isPlainObject(options)) throw codedError('LOOPWATCH_ERR_OPTION', source, 'an object of options', options)
  const keys = table.map(({ key }) => key)
  for (const key of Object.keys(options)) {
    if (keys.includes(key) || FASTIFY_KEYS.includes(key)) continue
    throw codedError('LOOPWATCH_ERR_OPTION_UNKNOWN', key, nearest(key, keys))
  }
  const resolved = /** @type {any} */ ({})
  for (const row of table) {
    const value = options[row.key]
    if (value !== undefined && !row.type.accepts(value)) {
      throw codedError('LOOPWATCH_ERR_OPTION', `option "${row.key}" of ${source}`, row.type.takes, value)
    }
    resolved[row.key] = value ?? row.default
  }
  return resolved
}

exports.table = table
