'use strict'

const Sentry = require('@sentry/node')

Sentry.init({ dsn: process.env.SENTRY_DSN })

const agent = require('loopwatch').start({ labels: { service: 'sentry-example' } })
const { setTimeout: sleep } = require('node:timers/promises')

const EVERY_MS = 1000
/** Shorter blocks are only in the log and the metrics. */
const REPORTED_MS = 200

agent.on('block', ({ durationMs, cause, excused, frame, stacks, request, work }) => {
  if (durationMs < REPORTED_MS || excused) return
  // Sentry expects the innermost frame last.
  const frames = stacks[0]?.frames.toReversed().map(({ function: name, file, line, column }) => ({
    function: name ?? undefined,
    filename: file ?? undefined,
    lineno: line ?? undefined,
    colno: column ?? undefined,
    in_app: file !== null && !file.includes('node_modules') && !file.startsWith('node:')
  }))
  const place = frame === null ? cause : `${frame.function ?? '(anonymous)'} (${frame.file}:${frame.line})`
  Sentry.captureEvent({
    level: 'warning',
    exception: { values: [{ type: 'EventLoopBlocked', value: `${Math.round(durationMs)} ms in ${place}`, stacktrace: { frames } }] },
    // One issue per place, however long it blocks.
    fingerprint: ['event-loop-blocked', place],
    transaction: work?.name,
    tags: { cause, route: request?.route },
    extra: { durationMs, work: work?.attributes }
  })
})

/** @param {number} items */
function buildFeed (items) {
  let sum = 0
  // Blocks: everything runs in one turn of the loop.
  for (let i = 0; i < items ** 2; i++) sum += Math.sqrt(i % items)
  return sum
}

setInterval(() => sleep(1).then(() => buildFeed(9000)), EVERY_MS)
console.log('builds a feed every second: see the log and Sentry')
