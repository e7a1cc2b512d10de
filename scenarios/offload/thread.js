'use strict'

// The program of new Worker(): reports that it runs, does the work that it receives, and replies.
const { parentPort } = require('node:worker_threads')
const { threadId } = require('../harness/measure/usage')
const { work } = require('./work')

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
port.on('message', ({ steps, input }) => {
  port.postMessage({ value: work(steps), inputBytes: input?.length ?? 0 })
})
port.postMessage({ tid: threadId() })
