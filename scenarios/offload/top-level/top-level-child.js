'use strict'

// The other side of the original, as a process and as a thread.
const { parentPort } = require('node:worker_threads')
const { countTo } = require('../work')

const START = /^START (\d+)$/

/** @param {string} message @param {(answer: string) => void} reply */
function onMessage (message, reply) {
  const [, limit] = START.exec(message) ?? []
  if (limit === undefined) return
  console.log('the other side received START')
  reply(`totalCount: ${countTo(Number(limit))}`)
}

const port = parentPort
if (port === null) process.on('message', (message) => onMessage(String(message), (answer) => process.send?.(answer)))
else port.on('message', (message) => onMessage(message, (answer) => port.postMessage(answer)))
