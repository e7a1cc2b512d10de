'use strict'

const { WaitingRequests } = require('./http/waiting-requests')
const { Requests, noRequests } = require('./http/requests')
const { Contexts } = require('./contexts')
const { startLibraries } = require('./libraries')
const { Works } = require('./works')

/**
 * @import { Bridge } from '../../bridge/memory'
 * @import { ResolvedOptions } from '../../options/table'
 * @import { Server } from 'node:net'
 */

const noLibraries = { stop: () => {} }

/**
 * @param {ResolvedOptions} options @param {Bridge} bridge
 * @param {(message: object) => void} post to the watchdog
 * @param {ReturnType<typeof import('./lazy-work-tracking').waysToFollow>} ways
 * @param {Server[]} listening servers that listen already
 */
exports.startWork = (options, bridge, post, { isSafe, isUnsafe, escalates }, listening) => {
  const contexts = new Contexts(options.requests === 'on' || isSafe)
  const waiting = new WaitingRequests(post, options.otlp !== false)
  const requests = options.requests === 'off' ? noRequests : new Requests(bridge, options, contexts, waiting, listening)
  const works = new Works(bridge, contexts, requests, options.routes)
  if (!isUnsafe && !escalates) contexts.follow(true)
  const libraries = options.requests === 'off' ? noLibraries : startLibraries(works, post)
  const stop = () => [requests, works, libraries].forEach((part) => part.stop())
  return { requests, works, stop }
}
