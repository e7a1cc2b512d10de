'use strict'

const { onRequest } = require('../work/http/frameworks/fastify')
const { resolveShedOptions } = require('./options')
const { createShedding, refuse } = require('./middleware')

/**
 * @import { Gauge } from './middleware'
 * @import { ShedOptions } from './options'
 */

/**
 * The plugin for Fastify 4 and 5: it sheds requests, and reports routes before other hooks run, on older instances too.
 * @param {Gauge} gauge
 */
exports.createFastifyPlugin = (gauge) => {
  /** @param {any} fastify @param {ShedOptions} options @param {(error?: Error) => void} done */
  function loopwatch (fastify, options, done) {
    let resolved
    try {
      resolved = resolveShedOptions('the plugin', options)
    } catch (error) {
      // A thrown error would be uncaught; this way ready() and listen() reject with it.
      return done(error)
    }
    const { retryAfter } = resolved
    const sheds = createShedding(resolved, gauge)
    fastify.addHook('onRequest', onRequest)
    /** @param {any} request @param {any} reply @param {() => void} next */
    const shed = (request, reply, next) => {
      if (!sheds?.(request)) return next()
      // A hijacked reply goes through no serializer, error handler or onSend hook of the application.
      reply.hijack()
      refuse(reply.raw, retryAfter)
    }
    if (sheds !== null) fastify.addHook('onRequest', shed)
    done()
  }

  return Object.assign(loopwatch, {
    // Hooks of the instance on which the plugin is registered, as fastify-plugin makes them.
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: 'loopwatch',
    [Symbol.for('plugin-meta')]: { name: 'loopwatch', fastify: '>=4' }
  })
}
