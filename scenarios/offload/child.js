'use strict'

// The program of fork(): reports that it runs, does the work that it receives, and replies.
const { threadId } = require('../harness/measure/usage')
const { work } = require('./work')

process.on('message', (/** @type {{ steps: number, input: Uint8Array | null }} */ { steps, input }) => {
  process.send?.({ value: work(steps), inputBytes: input?.length ?? 0 })
})
process.send?.({ tid: threadId() })
