'use strict'

const agent = require('loopwatch').start({ labels: { service: 'datadog-example' } })
const dgram = require('node:dgram')
const { setTimeout: sleep } = require('node:timers/promises')

const EVERY_MS = 1000
/** Shorter blocks are only in the log and the metrics. */
const REPORTED_MS = 200
const HOST = process.env.DD_AGENT_HOST ?? '127.0.0.1'
const PORT = Number(process.env.DD_DOGSTATSD_PORT ?? 8125)

const socket = dgram.createSocket('udp4').unref()

/** Sends an event to DogStatsD. @param {string} title @param {string} text @param {string[]} tags */
function sendEvent (title, text, tags) {
  const escaped = text.replaceAll('\n', '\\n')
  const lengths = `${Buffer.byteLength(title)},${Buffer.byteLength(escaped)}`
  // If nobody listens, the event is lost and the application continues.
  socket.send(`_e{${lengths}}:${title}|${escaped}|t:warning|#${tags.join(',')}`, PORT, HOST, () => {})
}

agent.on('block', ({ durationMs, cause, excused, frame, stacks, work }) => {
  if (durationMs < REPORTED_MS || excused) return
  const lines = stacks[0]?.frames.map(({ function: name, file, line }) => `at ${name ?? '(anonymous)'} (${file}:${line})`) ?? []
  const place = frame === null ? cause : `${frame.function ?? '(anonymous)'} (${frame.file}:${frame.line})`
  sendEvent(`event loop blocked: ${place}`, `${Math.round(durationMs)} ms\n${lines.join('\n')}`,
    ['service:datadog-example', `cause:${cause}`, `work:${work?.name ?? 'none'}`])
})

/** @param {number} items */
function buildFeed (items) {
  let sum = 0
  // Blocks: everything runs in one turn of the loop.
  for (let i = 0; i < items ** 2; i++) sum += Math.sqrt(i % items)
  return sum
}

setInterval(() => sleep(1).then(() => buildFeed(9000)), EVERY_MS)
console.log('builds a feed every second: see the log and Datadog')
