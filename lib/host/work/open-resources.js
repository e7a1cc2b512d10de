'use strict'

const { isProxy } = require('node:util/types')
const { isInPackage } = require('../../util/code-owner')
const process = require('../../util/process')

/** Handles that are looked at: asking for the address of a socket is a system call. */
const MOST_HANDLES = 1000
const MOST_KINDS = 6

/** Node.js's names of operations and handles that an application may wait for. @type {Record<string, string>} */
const KINDS = {
  FSReqCallback: 'file operations',
  FSReqPromise: 'file operations',
  GetAddrInfoReqWrap: 'DNS lookups',
  QUERYWRAP: 'DNS queries',
  Timeout: 'timers',
  ProcessWrap: 'child processes'
}

/**
 * Open resources of the process, the most frequent kind first: sockets to other hosts by address, DNS lookups, file
 * operations, timers, child processes. Never throws.
 * @returns {[kind: string, count: number][]}
 */
exports.openResources = () => {
  /** @type {Map<string, number>} */
  const counts = new Map()
  const count = (/** @type {string | undefined} */ kind) => {
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  try {
    for (const type of process.getActiveResourcesInfo()) count(KINDS[type])
    // Node.js has no other list of its sockets.
    const { _getActiveHandles: handles = () => [] } = /** @type {any} */ (process)
    for (const handle of handles.call(process).slice(0, MOST_HANDLES)) count(socketKind(handle))
    for (const pool of exportedPools()) {
      const [kind, waiting] = poolKind(pool)
      if (waiting > 0) counts.set(kind, waiting)
    }
  } catch {
    // The application has replaced a function that Node.js uses for this.
  }
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_KINDS)
}

/**
 * Pools with public counters that the application's own CommonJS modules export: of pg-pool, and of tarn. Getters of
 * the modules and proxies are left alone.
 */
function exportedPools () {
  const isPool = (/** @type {any} */ value) => !isProxy(value) &&
    (typeof value?.waitingCount === 'number' || typeof value?.numPendingAcquires === 'function')
  return Object.entries(require.cache ?? {}).filter(([file]) => !isInPackage(file)).flatMap(([, module]) => {
    const exported = module?.exports
    if (exported === null || typeof exported !== 'object' || isProxy(exported)) return []
    const values = Object.values(Object.getOwnPropertyDescriptors(exported)).map(({ value }) => value)
    return [exported, ...values].filter(isPool)
  })
}

/** @param {any} pool @returns {[kind: string, waiting: number]} */
function poolKind (pool) {
  const isTarn = typeof pool.numPendingAcquires === 'function'
  const inUse = isTarn ? pool.numUsed() : pool.totalCount - pool.idleCount
  const waiting = isTarn ? pool.numPendingAcquires() : pool.waitingCount
  return [`waits for a connection of a pool (${inUse} of ${isTarn ? pool.max : pool.options.max} in use)`, waiting]
}

/** Undefined for a client's socket, and for all but sockets. @param {any} handle */
function socketKind ({ server, connecting, secureConnecting, remoteAddress, remotePort, _host: host }) {
  if (server || typeof connecting !== 'boolean') return undefined
  if (connecting) return `sockets that are connecting${typeof host === 'string' ? ` to ${host}` : ''}`
  if (typeof remoteAddress !== 'string') return undefined
  const peer = `${remoteAddress.replace(/^::ffff:/, '')}:${remotePort}`
  return `sockets ${secureConnecting ? 'in a TLS handshake with' : 'to'} ${peer}`
}
