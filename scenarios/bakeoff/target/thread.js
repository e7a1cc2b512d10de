'use strict'

// The worker thread of the application: blocks when told to. `inThread` in places.js.
const { parentPort, workerData } = require('node:worker_threads')
const { measured } = require('./channel')
const { contestants } = require('../contestants')
const { blocks } = require('../corpus/places')

const { contestant, ms } = workerData
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
const { packages, inThread } = contestants[contestant]
inThread?.({ packages: packages.map((name) => require(name)) })
port.on('message', async () => {
  // After the callback that received the message, as in a request.
  await null
  await measured('inThread', () => blocks.inThread(ms))
  port.postMessage('ended')
})
