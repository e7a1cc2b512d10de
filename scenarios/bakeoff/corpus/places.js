'use strict'

// The same loop in different places of an asynchronous program. `here:` as in blocks.js.
const { EventEmitter } = require('node:events')
const { Readable, Transform } = require('node:stream')
const { pipeline } = require('node:stream/promises')
const { setTimeout: sleep } = require('node:timers/promises')

const TURN_MS = 20
const SMALL_MS = 5
/** Alone a block already. */
const SLOW_MS = 110
/** Less than a block: the many arrive meanwhile. */
const GATE_MS = 30
const events = new EventEmitter()
/** @type {(() => void) | null} */
let due = null

// Made outside of any request.
setInterval(function inTimer () { due?.() }, TURN_MS).unref()

exports.blocks = {
  async afterAwait (/** @type {number} */ ms) {
    const end = performance.now() + ms
    while (performance.now() < end); // here: afterAwait
  },
  inTimer (/** @type {number} */ ms) {
    const end = performance.now() + ms
    while (performance.now() < end); // here: inTimer
  },
  inListener (/** @type {number} */ ms) {
    events.once('order', function onOrder () {
      const end = performance.now() + ms
      while (performance.now() < end); // here: inListener
    })
    events.emit('order')
  },
  async inStream (/** @type {number} */ ms) {
    const stream = new Transform({
      transform (chunk, _, callback) {
        const end = performance.now() + ms
        while (performance.now() < end); // here: inStream
        callback(null, chunk)
      }
    })
    await pipeline(Readable.from(['a chunk']), stream.resume())
  },
  /** Called by thread.js. */
  inThread (/** @type {number} */ ms) {
    const end = performance.now() + ms
    while (performance.now() < end); // here: inThread
  },
  async inPromise (/** @type {number} */ ms) {
    await Promise.resolve().then(function onFulfilled () {
      const end = performance.now() + ms
      while (performance.now() < end); // here: inPromise
    })
  }
}

/**
 * The way to a block that the request's handler does not call directly.
 * @type {Record<string, (block: () => Promise<unknown>) => Promise<unknown>>}
 */
exports.ways = {
  afterAwait: async (block) => {
    await sleep(1)
    await block()
  },
  // By then, the request has ended and is forgotten: no callback of it calls this.
  inTimer: async (block) => { due = () => { due = null; block() } }
}

/** Work of each of the requests that arrive together, by name of the case. @type {Record<string, () => void>} */
exports.together = {
  manyCallbacks: function smallWork () {
    const end = performance.now() + SMALL_MS
    while (performance.now() < end); // here: manyCallbacks
  },
  twoAtOnce: function slowWork () {
    const end = performance.now() + SLOW_MS
    while (performance.now() < end); // here: twoAtOnce
  }
}

exports.gate = () => {
  const end = performance.now() + GATE_MS
  while (performance.now() < end);
}
