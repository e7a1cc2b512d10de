'use strict'

// Sends back what it received, the object itself.
const { parentPort, workerData } = require('node:worker_threads')
const { threadId } = require('../harness/measure/usage')
const { codecs } = require('./codecs')
const { Ring } = require('./ring/ring')

const { kind, codec, inbox, outbox, cores } = workerData
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
const WAIT_MS = 100

function echoRing () {
  const reader = new Ring(inbox, { isReader: true, cores })
  const writer = new Ring(outbox, { isReader: false, cores })
  const { read, write } = codecs[codec]
  // Ended by terminate(), which V8 heeds between two waits.
  for (;;) {
    if (!reader.look()) reader.waitForMessage(WAIT_MS)
    while (reader.next()) {
      const message = read(reader)
      while (!write(writer, message)) {
        writer.flush()
        reader.release()
        writer.waitForRoom(WAIT_MS)
      }
    }
    reader.release()
    writer.flush()
  }
}

/**
 * @type {Record<string, (reply: { postMessage: (message: any, transfer?: any) => void }) => (message: any) => void>}
 */
const echoes = {
  clone: (reply) => (message) => reply.postMessage(message),
  json: (reply) => (text) => reply.postMessage(JSON.stringify(JSON.parse(text))),
  transfer: (reply) => (message) => reply.postMessage(message, [message.buffer])
}

if (kind === 'channel') port.once('message', (channel) => channel.on('message', echoes.clone(channel)))
else if (kind !== 'ring') port.on('message', echoes[kind](port))
port.postMessage({ tid: threadId() })
if (kind === 'ring') echoRing()
