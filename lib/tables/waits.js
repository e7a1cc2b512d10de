'use strict'

const process = require('../util/process')

/**
 * @typedef {object} WaitRow how one library publishes that somebody waits for a peer. The functions get the `subject`:
 * the part of a message that is the same object in all messages of one wait.
 * @property {string} begin channel @property {string[]} ends channels
 * @property {string} [sent] channel: the call has a connection and has been sent
 * @property {boolean} [isPool] a wait for a connection, not for an answer
 * @property {boolean} [isOptIn] while anybody subscribes, the library behaves in another way, or takes much more time
 * @property {(message: any) => any} subject
 * @property {(subject: any) => unknown} host together with `what`: the same for all waits of one peer
 * @property {(subject: any) => unknown} what
 * @property {(host: any, what: any, subject: any) => string} name of the peer, without path, statement or value
 * @property {(subject: any) => boolean} [isIdle] a call that waits by design, which is not counted
 * @property {(subject: any) => any} [pool] of connections, if the subject shows it by now
 * @property {(pool: any, name: string) => { inUse: number, limit: number }} [usage] read only when an incident opens
 */

/** Before Node.js 22, `created` is not published, and `start` comes at the same moment. */
const HAS_CREATED = Number.parseInt(process.versions.node, 10) >= 22

/** @param {string} host that may have a port @param {boolean} isTls */
const withPort = (host, isTls) => /:[0-9]+$/.test(host) ? host : `${host}:${isTls ? 443 : 80}`

/**
 * The host and port of a request. Only the header has the port, and the application may have replaced the header.
 * @param {any} request
 */
function hostOfRequest (request) {
  if (request.socketPath) return '(socket)'
  const header = request.getHeader('host')
  return typeof header === 'string' && header.startsWith(request.host) ? header : request.host
}

/** @param {any} request of node:http */
function nameOfRequest (/** @type {string} */ host, /** @type {string} */ method, request) {
  const isWhole = host !== '(socket)' && request.getHeader('host') === host
  return `${method} ${isWhole ? withPort(host, request.protocol === 'https:') : host}`
}

/** Sockets of an agent to one host. @param {any} agent of node:http @param {string} name */
function usageOfAgent (agent, name) {
  const prefix = `${name.slice(name.indexOf(' ') + 1)}:`
  const inUse = Object.entries(agent.sockets)
    .reduce((sum, [key, sockets]) => sum + (key.startsWith(prefix) ? sockets.length : 0), 0)
  return { inUse, limit: agent.maxSockets }
}

/** @param {string} method */
const isTunnel = (method) => method === 'CONNECT'

/** Commands that wait until there is something to do. */
const IDLE_COMMAND = /^(?:b[lrz]|xread|wait|p?subscribe|ssubscribe|monitor)/i

/**
 * A row for a tracing channel whose message has the address of a server.
 * @param {string} channel @param {string} label @param {Partial<WaitRow>} [more] @returns {WaitRow}
 */
const traced = (channel, label, more) => ({
  begin: `tracing:${channel}:start`,
  ends: [`tracing:${channel}:asyncStart`, `tracing:${channel}:error`],
  subject: (message) => message,
  host: ({ serverAddress }) => serverAddress,
  what: ({ serverPort }) => serverPort,
  // A server without a port is the path of a socket.
  name: (host, port) => host === undefined ? label : `${label} ${port === undefined ? '(socket)' : `${host}:${port}`}`,
  ...more
})

/** @type {WaitRow[]} */
exports.waits = [
  {
    begin: HAS_CREATED ? 'http.client.request.created' : 'http.client.request.start',
    ...HAS_CREATED && { sent: 'http.client.request.start' },
    ends: ['http.client.response.finish', 'http.client.request.error'],
    subject: ({ request }) => request,
    host: hostOfRequest,
    what: ({ method }) => method,
    name: nameOfRequest,
    isIdle: (request) => isTunnel(request.method) || request.getHeader('upgrade') !== undefined,
    pool: ({ agent }) => agent,
    usage: usageOfAgent
  },
  {
    // fetch(), and the package undici.
    begin: 'undici:request:create',
    sent: 'undici:client:sendHeaders',
    ends: ['undici:request:headers', 'undici:request:error'],
    subject: ({ request }) => request,
    host: ({ origin }) => origin,
    what: ({ method }) => method,
    name: (origin, method) => {
      const { host, protocol } = new URL(origin)
      return `${method} ${withPort(host, protocol === 'https:')}`
    },
    isIdle: ({ method, upgrade }) => isTunnel(method) || Boolean(upgrade)
  },
  {
    begin: 'http2.client.stream.created',
    sent: 'http2.client.stream.start',
    ends: ['http2.client.stream.finish', 'http2.client.stream.error', 'http2.client.stream.close'],
    subject: ({ stream }) => stream,
    host: ({ sentHeaders }) => sentHeaders[':authority'],
    what: ({ sentHeaders }) => sentHeaders[':method'],
    name: (host, method, { sentHeaders }) => `${method} ${withPort(host, sentHeaders[':scheme'] === 'https')}`,
    isIdle: ({ sentHeaders }) => isTunnel(sentHeaders[':method'])
  },
  // mysql2 then swallows errors of a call without a callback or a listener for them, which would end the process.
  ...['query', 'execute'].map((call) => traced(`mysql2:${call}`, 'mysql2', { isOptIn: true })),
  traced('mysql2:pool:connect', 'mysql2 pool to', {
    isPool: true,
    pool: ({ result }) => result?._pool,
    usage: ({ _allConnections, _freeConnections, config }) =>
      ({ inUse: _allConnections.length - _freeConnections.length, limit: config.connectionLimit })
  }),
  // ioredis 6 then marks rejections of its commands as handled, so that none is unhandled.
  traced('ioredis:command', 'redis', { isOptIn: true, isIdle: ({ command }) => IDLE_COMMAND.test(command) }),
  // It then reads all arguments of each command and wraps its promise: 20 us (scenarios/overhead/checks/waits.js).
  traced('node-redis:command', 'redis', { isOptIn: true, isIdle: ({ command }) => IDLE_COMMAND.test(command) }),
  // The messages of mssql have no address.
  ...['query', 'batch', 'execute', 'bulk'].map((call) => traced(`mssql:${call}`, 'mssql')),
  traced('mssql:pool:acquire', 'mssql pool', { isPool: true }),
  ...['query', 'aggregate', 'cursor:next', 'model:save', 'model:insertMany', 'model:bulkWrite']
    .map((call) => traced(`mongoose:${call}`, 'mongoose'))
]
