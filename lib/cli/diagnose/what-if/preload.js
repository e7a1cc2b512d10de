'use strict'

// Runs in the application, before it: measures what the thread beside asks for, and notes when the loop worked for
// which request.
const { AsyncLocalStorage, createHook } = require('node:async_hooks')
const { subscribe } = require('node:diagnostics_channel')
const { serialize } = require('node:v8')
const { Worker, isMainThread } = require('node:worker_threads')
const { entryPoint } = require('../../../tables/entry-points')
const { transfer } = require('./costs')
const { lossOf } = require('./free-of-state')

/** Twice what ten seconds of a busy application have. */
const MOST_INTERVALS = 200_000
/** Pieces of work for one request that are this close to each other are one. */
const GAP_US = 20

const setup = process.env.LOOPWATCH_WHAT_IF
// What the application starts is not what was asked about.
delete process.env.LOOPWATCH_WHAT_IF

/**
 * @typedef {{ id: number, doneUs: number }} Current
 * @typedef {[fromUs: number, toUs: number, request: number]} Interval -1 = for no request that is open
 * @typedef {{ sendMs: number, readMs: number, cloneMs: number, receiveMs: number, request: number }} Capture what one
 *   call's arguments take on the loop and on the worker, and its result on the worker and on the loop
 */

/** On V8's clock. */
const us = () => {
  const [s, ns] = process.hrtime()
  return s * 1e6 + ns / 1e3
}

/** @type {AsyncLocalStorage<Current>} */
const current = new AsyncLocalStorage()
/** @type {WeakMap<object, Current>} */
const open = new WeakMap()
/** @type {string[]} of requests, by their number */
const routes = []
/** @type {Interval[]} */
const intervals = []
/** @type {Capture[]} */
const captures = []
/** @type {unknown[]} */
let args = []
let bytes = Buffer.alloc(0)

/** Called where the function begins; answers why its arguments cannot be sent. @param {unknown[]} given */
function enter (given) {
  const lost = lossOf(given, 'what it is given')
  if (lost !== null) return lost
  try {
    const { sendMs, receiveMs } = transfer(given)
    captures.push({ sendMs, readMs: receiveMs, cloneMs: 0, receiveMs: 0, request: current.getStore()?.id ?? -1 })
    bytes = serialize(given)
    args = given
    return null
  } catch (error) {
    return `what it is given cannot be cloned (${error.message})`
  }
}

/** Called where it returns; answers why its result cannot be sent. @param {unknown} result */
function leave (result) {
  try {
    if (!serialize(args).equals(bytes)) return 'it changes what it is given'
    const { sendMs: cloneMs, receiveMs } = transfer(result)
    Object.assign(captures[captures.length - 1], { cloneMs, receiveMs })
    return lossOf(result, 'its result')
  } catch (error) {
    return `its result cannot be cloned (${error.message})`
  }
}

function record () {
  /** @type {number[]} */
  const entered = []
  createHook({
    before () { entered.push(us()) },
    after () {
      const fromUs = entered.pop()
      if (fromUs === undefined || entered.length > 0 || intervals.length >= MOST_INTERVALS) return
      const store = current.getStore()
      const id = store === undefined || store.doneUs < fromUs ? -1 : store.id
      const last = intervals.at(-1)
      if (last !== undefined && last[2] === id && fromUs - last[1] < GAP_US) last[1] = us()
      else intervals.push([fromUs, us(), id])
    }
  }).enable()
}

if (isMainThread && setup !== undefined) {
  subscribe('http.server.request.start', (message) => {
    const { request } = /** @type {{ request: import('node:http').IncomingMessage }} */ (message)
    const id = routes.push(`${request.method} ${String(request.url).split('?')[0]}`) - 1
    const store = { id, doneUs: Infinity }
    open.set(request, store)
    current.enterWith(store)
  })
  subscribe('http.server.response.finish', (message) => {
    const store = open.get(/** @type {{ request: object }} */ (message).request)
    if (store !== undefined) store.doneUs = us()
  })
  const taken = () => ({ captures, routes, intervals })
  // For what the thread beside evaluates here.
  Object.defineProperty(globalThis, Symbol.for('loopwatch.what-if'), { value: { enter, leave, record, taken } })
  new Worker(entryPoint('whatIfThread'), { workerData: JSON.parse(setup), execArgv: [], env: {} }).unref()
}
