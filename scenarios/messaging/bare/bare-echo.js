'use strict'

const { parentPort } = require('node:worker_threads')

const port = parentPort
if (port === null) process.on('message', (message) => process.send?.(message))
else port.on('message', (message) => port.postMessage(message))
