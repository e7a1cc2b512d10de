'use strict'

const os = require('node:os')
const { codecs } = require('../codecs')
const { Ring } = require('./ring')

/** Room for a hundred small messages and more, or for three of the largest at their longest. */
const CAPACITY = 4 * 1024 * 1024
/** So long the caller stays with the ring before its event loop has a turn. */
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
  const writer = new Ring(inbox, { isReader: false, cores })
  const reader = new Ring(outbox, { isReader: true, cores })
  const { read, write } = codecs[codec]
  /** What found no room. @type {any[]} */
  let waiting = []
  let isClosed = false
  let listener = (/** @type {any} */ _) => {}

  function drain () {
    if (!reader.look()) reader.waitForMessage(TURN_MS)
    while (reader.next()) listener(read(reader))
    reader.release()
    const held = waiting
    waiting = []
    for (const message of held) send(message)
    writer.flush()
  }

  function turn () {
    if (isClosed) return
    const untilMs = performance.now() + TURN_MS
    do drain()
    while (performance.now() < untilMs)
    setImmediate(turn)
  }

  /** @param {any} message */
  function send (message) {
    // Behind those that wait, or the order would be lost.
    if (waiting.length > 0 || !write(writer, message)) waiting.push(message)
  }

  setImmediate(turn)
  return {
    send,
    onMessage: (callback) => { listener = callback },
    close: () => {
      isClosed = true
      return worker.terminate()
    }
  }
}
