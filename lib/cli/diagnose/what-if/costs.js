'use strict'

const { once } = require('node:events')
const os = require('node:os')
const { MessageChannel, Worker, receiveMessageOnPort } = require('node:worker_threads')

const ROUNDS = 3
const WARM_UP = 100
const MESSAGES = 400
/** More calls for one request: what calls them is what could move. */
const MOST_CALLS = 2
const ECHO = "const { parentPort } = require('node:worker_threads'); parentPort.on('message', (message) => parentPort.postMessage(message))"

/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/**
 * What it takes to send a value to another thread, and to read it there. Throws a DataCloneError where that cannot be.
 * @param {unknown} value
 */
exports.transfer = (value) => {
  const { port1, port2 } = new MessageChannel()
  try {
    const rounds = Array.from({ length: ROUNDS }, () => {
      const fromMs = performance.now()
      port1.postMessage(value)
      const sentMs = performance.now()
      receiveMessageOnPort(port2)
      return { sendMs: sentMs - fromMs, receiveMs: performance.now() - sentMs }
    })
    const of = (/** @type {'sendMs' | 'receiveMs'} */ key) => median(rounds.map((each) => each[key]))
    return { sendMs: of('sendMs'), receiveMs: of('receiveMs') }
  } finally {
    port1.close()
  }
}

/** What a small message to a warm worker and back takes on this machine, and how long it holds the loop. */
exports.poolCosts = async () => {
  const worker = new Worker(ECHO, { eval: true, execArgv: [], env: {} })
  const echo = () => {
    worker.postMessage(0)
    return once(worker, 'message')
  }
  try {
    for (let i = 0; i < WARM_UP; i++) await echo()
    const before = performance.eventLoopUtilization()
    /** @type {number[]} */
    const trips = []
    for (let i = 0; i < MESSAGES; i++) {
      const fromMs = performance.now()
      await echo()
      trips.push(performance.now() - fromMs)
    }
    const roundTripMs = median(trips)
    // Never more than the way there and back, whatever else ran meanwhile.
    const heldMs = Math.min(roundTripMs, performance.eventLoopUtilization(before).active / MESSAGES)
    return { roundTripMs, heldMs, workers: Math.max(1, os.availableParallelism() - 1) }
  } finally {
    await worker.terminate()
  }
}

/**
 * What one request's calls cost in a pool; null where there are many of them.
 * @param {import('./preload').Capture[]} captures of single calls
 * @param {Awaited<ReturnType<typeof exports.poolCosts>>} pool
 * @returns {import('./replay').Costs | null}
 */
exports.costsOf = (captures, { roundTripMs, heldMs, workers }) => {
  const calls = captures.length / new Set(captures.map(({ request }) => request)).size
  if (calls > MOST_CALLS) return null
  const of = (/** @type {keyof import('./preload').Capture} */ key) => calls * median(captures.map((each) => each[key]))
  return {
    sendMs: of('sendMs'),
    receiveMs: of('receiveMs'),
    workerMs: of('readMs') + of('cloneMs'),
    heldMs: calls * heldMs,
    roundTripMs: calls * roundTripMs,
    workers
  }
}
