'use strict'

// The cost of a sample for the host during a block: node scenarios/overhead/checks/sampling.js [seconds]
// A tight loop notes every interruption of itself, and the probe whether it was a sample; the rest
// is the machine's own.
const { start } = require('../../../lib')

const seconds = Number(process.argv[2] ?? 20)
/** An iteration takes well under a microsecond; longer than this something came in between. */
const INTERRUPTION_MS = 0.05

const agent = /** @type {any} */ (start({ port: 0, log: false }))
const { probe } = agent
let sampled = false
agent.probe = (/** @type {unknown} */ debuggerUrl) => {
  sampled = true
  probe(debuggerUrl)
}

/** @param {number} ms */
function hold (ms) {
  /** @type {number[]} */
  const samples = []
  /** @type {number[]} */
  const others = []
  const end = performance.now() + ms
  let last = performance.now()
  while (last < end) {
    const now = performance.now()
    if (now - last > INTERRUPTION_MS) (sampled ? samples : others).push(now - last)
    sampled = false
    last = now
  }
  return { samples, others }
}

/** @param {string} name @param {number[]} found */
function print (name, found) {
  found.sort((a, b) => a - b)
  const at = (/** @type {number} */ share) => (found[Math.floor(share * (found.length - 1))] ?? 0).toFixed(2)
  console.log(`${name.padEnd(20)} ${`${found.length}`.padStart(6)}   p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, max ${at(1)} ms`)
}

agent.ready.then(() => setTimeout(async () => {
  /** @type {number[]} */
  const samples = []
  /** @type {number[]} */
  const others = []
  // Blocks of a second, the length at which sampling is still at its full rate.
  for (let i = 0; i < seconds; i++) {
    const found = hold(1000)
    samples.push(...found.samples)
    others.push(...found.others)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  console.log(`Node ${process.version}, ${seconds} blocks of 1 s`)
  print('samples', samples)
  print('other interruptions', others)
  await agent.stop()
}, 100))
