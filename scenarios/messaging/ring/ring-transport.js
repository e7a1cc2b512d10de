'use strict'

const os = require('node:os')
const { codecs } = require('../codecs')
const { Ring } = require('./ring')

/** Room for a hundred small messages and more, or for three of the largest at their longest. */
const CAPACITY = 4 * 1024 * 1024
/** Time that the caller spends on the ring before its event loop gets a turn. */
const TURN_MS = 2

/**
 * Two rings, one each way. The caller looks after them in turns of 2 ms, so its loop goes on; while it
 * waits for a reply it sleeps on the ring, which other work of the loop would have to wait for.
 * @param {import('../../harness/run/context').Context} context
 * @param {string} codec
 * @param {(context: any, data: object) => Promise<import('node:worker_threads').Worker>} startThread
 * @returns {Promise<import('../transports').Transport>}
 */
exports.connectRing = async (context, codec, startThread) => {
  const cores = os.availableParallelism()
  const [inbox, outbox] = [Ring.allocate(CAPACITY), Ring.allocate(CAPACITY)]
  const worker = await startThread(context, { kind: 'ring', codec, inbox, outbox, cores })
  const caller = new RingCaller({
    writer: new Ring(inbox, { isReader: false, cores }),
    reader: new Ring(outbox, { isReader: true, cores }),
    codec: codecs[codec]
  })
  return {
    send: (message) => caller.send(message),
    onMessage: (callback) => { caller.onMessage = callback },
    close: () => {
      caller.isClosed = true
      return worker.terminate()
    }
  }
}

/** The caller's side of both rings. */
class RingCaller {
  isClosed = false
  onMessage = (/** @type {any} */ _) => {}
  #writer
  #reader
  #codec
  /** Messages that found no room. @type {any[]} */
  #waiting = []

  /** @param {{ writer: Ring, reader: Ring, codec: (typeof codecs)[string] }} parts */
  constructor ({ writer, reader, codec }) {
    this.#writer = writer
    this.#reader = reader
    this.#codec = codec
    setImmediate(() => this.#turn())
  }

  /** @param {any} message */
  send (message) {
    // Behind those that wait, or the order would be lost.
    if (this.#waiting.length > 0 || !this.#codec.write(this.#writer, message)) this.#waiting.push(message)
  }

  #turn () {
    if (this.isClosed) return
    const untilMs = performance.now() + TURN_MS
    do this.#drain()
    while (performance.now() < untilMs)
    setImmediate(() => this.#turn())
  }

  #drain () {
    const reader = this.#reader
    if (!reader.look()) reader.waitForMessage(TURN_MS)
    while (reader.next()) this.onMessage(this.#codec.read(reader))
    reader.release()
    const waiting = this.#waiting
    this.#waiting = []
    for (const message of waiting) this.send(message)
    this.#writer.flush()
  }
}
