'use strict'

const { OTHER: OTHER_METHOD } = require('../tables/limits')

/** @import { WorkKind } from '../types' */

// A finished request is a row of four numbers: its route, method and status in one; when it was read (ms, negative if
// it may have waited behind a block that had just ended); how long it took (ms); its id. For other finished work:
// its name and kind in one; when it began (ms); how long it took (ms); its id.

/** Methods by their number in the ring. An HTTP/2 client can make up others. */
const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'QUERY', OTHER_METHOD]

const STATUSES = 1024
const METHODS = 64
const OTHER = HTTP_METHODS.length - 1

/** @type {Map<string, number>} */
const methodNumbers = new Map(HTTP_METHODS.map((method, number) => [method, number]))
/** Consecutive requests mostly have the same method. */
let lastMethod = HTTP_METHODS[0]
let lastNumber = 0

/** @param {string} method */
function numberOf (method) {
  if (method !== lastMethod) {
    lastNumber = methodNumbers.get(method) ?? OTHER
    lastMethod = method
  }
  return lastNumber
}

/** In a loop that never sleeps, a request read later than this after a block may have arrived after the block, ms. */
exports.BACKLOG_MS = 100

exports.HTTP_METHODS = HTTP_METHODS
exports.OTHER_METHOD = OTHER_METHOD

/** The status of a request whose connection closed before it was answered. */
exports.ABORTED = 0

/** @param {number} route its number (bridge/string-table.js) @param {string} method @param {number} status 0 to 1023 */
exports.pack = (route, method, status) =>
  ((route + 1) * METHODS + numberOf(method)) * STATUSES + (status & (STATUSES - 1))

/** @param {number} packed */
exports.statusOf = (packed) => packed % STATUSES

/** @param {number} packed @returns {{ route: number, method: string, status: number }} */
exports.unpack = (packed) => {
  const head = Math.floor(packed / STATUSES)
  return {
    route: Math.floor(head / METHODS) - 1,
    method: HTTP_METHODS[head % METHODS] ?? OTHER_METHOD,
    status: packed % STATUSES
  }
}

/** Kinds by their number in the ring. @type {WorkKind[]} */
const WORK_KINDS = ['job', 'message', 'task', 'operation']

/**
 * Twice as many numbers as kinds: the upper half is for work that has a thread of its own.
 * @param {number} name its number (lib/bridge/string-table.js) @param {WorkKind} kind
 */
exports.packWork = (name, kind, hasThread = false) =>
  (name + 1) * 2 * WORK_KINDS.length + WORK_KINDS.indexOf(kind) + (hasThread ? WORK_KINDS.length : 0)

/** @param {number} packed @returns {{ name: number, kind: WorkKind, hasThread: boolean }} */
exports.unpackWork = (packed) => ({
  name: Math.floor(packed / (2 * WORK_KINDS.length)) - 1,
  kind: WORK_KINDS[packed % WORK_KINDS.length],
  hasThread: packed % (2 * WORK_KINDS.length) >= WORK_KINDS.length
})
