'use strict'

const { OTHER: OTHER_METHOD } = require('../util/overflow-label')

// A finished request is a row of four numbers: what it was, packed into one; when it was read (negative: right after a
// block, behind which it may have waited) and how long it took (ms); its id. So is finished work of another kind: its
// name and kind, packed; when it began and how long it took (ms); its id.

/** Methods by the number that travels through the ring; HTTP/2 lets a client make up others. */
const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'QUERY', OTHER_METHOD]

const STATUSES = 1024
const METHODS = 64
const OTHER = HTTP_METHODS.length - 1

/** @type {Map<string, number>} */
const methodNumbers = new Map(HTTP_METHODS.map((method, number) => [method, number]))
/** Requests come in runs of one method. */
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

/** In a loop that never sleeps, what is read later than this after a block may have come after it, ms. */
exports.BACKLOG_MS = 100

exports.HTTP_METHODS = HTTP_METHODS
exports.OTHER_METHOD = OTHER_METHOD

/** The status of a request whose connection closed before it was answered. */
exports.ABORTED = 0

/**
 * @param {number} route its number (lib/bridge/string-table.js)
 * @param {string} method
 * @param {number} status 0 to 1023
 */
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

/** @typedef {import('../types').WorkKind} WorkKind */

/** Kinds by the number that travels through the ring. @type {WorkKind[]} */
const WORK_KINDS = ['job', 'message', 'task', 'operation']
/** Twice as many as there are kinds: the upper half is of work in threads of its own. */
const KINDS = 8
const OWN_THREAD = 4

/**
 * @param {number} name its number (lib/bridge/string-table.js)
 * @param {WorkKind} kind
 * @param {boolean} [hasThread] it has a thread of its own
 */
exports.packWork = (name, kind, hasThread = false) =>
  (name + 1) * KINDS + WORK_KINDS.indexOf(kind) + (hasThread ? OWN_THREAD : 0)

/** @param {number} packed @returns {{ name: number, kind: WorkKind, hasThread: boolean }} */
exports.unpackWork = (packed) => ({
  name: Math.floor(packed / KINDS) - 1,
  kind: WORK_KINDS[packed % OWN_THREAD],
  hasThread: packed % KINDS >= OWN_THREAD
})
