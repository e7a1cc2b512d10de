'use strict'

// node scenarios/messaging/bare/bare.js fork-json small 3: the original's protocol with nothing around it, no
// agent and no harness. Prints the messages of so many seconds from the first reply on.
const { fork } = require('node:child_process')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { makePayload } = require('../payloads')

const MS_PER_S = 1000
const [, , way, payload, seconds] = process.argv

const isFork = way === 'fork-json'
const other = isFork ? fork(path.join(__dirname, 'bare-echo.js')) : new Worker(path.join(__dirname, 'bare-echo.js'))
/** @type {(message: any) => void} */
const send = isFork
  ? (message) => { /** @type {import('node:child_process').ChildProcess} */ (other).send(message) }
  : (message) => /** @type {Worker} */ (other).postMessage(message)
let processed = 0
other.on('message', (/** @type {any} */ message) => {
  if (processed === 0) {
    setTimeout(() => {
      console.log(processed)
      process.exit()
    }, Number(seconds) * MS_PER_S)
  }
  processed++
  send(message)
})
send(makePayload(payload))
