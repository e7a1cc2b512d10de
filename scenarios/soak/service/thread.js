'use strict'

// The worker thread of the service: checksums of orders, and now and then a block.
const { createHash } = require('node:crypto')
const { parentPort } = require('node:worker_threads')
const { block } = require('./blocks')

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
port.on('message', ({ id, text, order }) => {
  port.postMessage(order === undefined ? { id, checksum: createHash('sha256').update(text).digest('hex') } : { id, truth: block(order) })
})
