'use strict'

// The cell that does what the original did: blocked-at first, then the start, all of it at the top level.
const { fork } = require('node:child_process')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')

const NS_PER_MS = 1e6
const BLOCKED_AT_THRESHOLD_MS = 3
/** blocked-at reports a callback when it has returned. */
const AFTERWARDS_MS = 100

/**
 * @type {Record<string, { start: () => any, send: (started: any, message: string) => void, end: (started: any) =>
 * unknown }>}
 */
const ways = {
  'fork-at-top-level': {
    start: () => fork(path.join(__dirname, 'top-level-child.js')),
    send: (child, message) => child.send(message),
    end: (child) => child.kill()
  },
  'worker-at-top-level': {
    start: () => new Worker(path.join(__dirname, 'top-level-child.js')),
    send: (worker, message) => worker.postMessage(message),
    end: (worker) => worker.terminate()
  }
}

/** @param {import('../../harness/run/context').Context} context */
exports.run = async (context) => {
  const { count } = context.params
  /** @type {number[]} */
  const seenMs = []
  const { elapsedNs, startMs, answer } = await context.measure(async () => {
    // @ts-expect-error it comes without types
    require('blocked-at')((/** @type {number} */ ms) => {
      seenMs.push(ms)
      console.log(`blocked for ${ms} ms`)
    }, { threshold: BLOCKED_AT_THRESHOLD_MS })
    return askChild(ways[context.variant], `START ${count}`)
  }, { atTopLevel: true })
  context.check(answer === `totalCount: ${count}`, `the answer is "${answer}"`)
  context.count(1)
  // The block that began before the loop's first turn: the start is in it, with what else ran at the top level.
  const withStart = context.blocks.find(({ startup }) => startup)
  return {
    value: elapsedNs / NS_PER_MS,
    extra: {
      heldMs: startMs,
      startMs,
      blockedAtBlocks: seenMs.length,
      ...(seenMs.length > 0 && { blockedAtMaxMs: Math.max(...seenMs) }),
      ...(withStart && { agentStartMs: withStart.durationMs })
    }
  }
}

/** Starts a child, asks it and ends it. @param {ways[string]} way @param {string} question */
async function askChild ({ start, send, end }, question) {
  const from = process.hrtime.bigint()
  const started = start()
  const startMs = Number(process.hrtime.bigint() - from) / NS_PER_MS
  const answering = new Promise((resolve, reject) => {
    started.on('message', (/** @type {string} */ message) => {
      // The first line a process prints opens its stdout, which is most of what blocked-at saw.
      console.log('the answer:', message)
      resolve({ answer: message, elapsedNs: Number(process.hrtime.bigint() - from) })
    })
    started.once('error', reject)
    started.once('exit', (/** @type {number} */ code) => reject(new Error(`ended with exit code ${code} before it answered`)))
  })
  send(started, question)
  const { answer, elapsedNs } = /** @type {{ answer: string, elapsedNs: number }} */ (await answering)
  await sleep(AFTERWARDS_MS)
  await end(started)
  return { answer, elapsedNs, startMs }
}
