'use strict'

// What a sample costs the host during a block: node scenarios/overhead/sampling.js [seconds]
// A tight loop notes every interruption of itself; the same loop without an agent notes the
// machine's own.
const seconds = Number(process.argv[2] ?? 20)
/** An iteration takes well under a microsecond; longer than this something came in between. */
const INTERRUPTION_MS = 0.05

/** @param {number} ms */
function interruptions (ms) {
  const found = []
  const end = performance.now() + ms
  let last = performance.now()
  while (last < end) {
    const now = performance.now()
    if (now - last > INTERRUPTION_MS) found.push(now - last)
    last = now
  }
  return found.sort((a, b) => a - b)
}

/** @param {string} name @param {number[]} found */
function print (name, found) {
  const at = (/** @type {number} */ p) => (found[Math.floor(p * (found.length - 1))] ?? 0).toFixed(3)
  console.log(`${name.padEnd(10)} ${found.length} interruptions, ms: p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, max ${at(1)}; ${(found.reduce((a, b) => a + b, 0) / seconds / 10).toFixed(2)} % of the time`)
}

print('unwatched', interruptions(seconds * 1000))
const agent = require('../..').start({ port: 0, log: false })
agent.ready.then(() => setTimeout(async () => {
  print('watched', interruptions(seconds * 1000))
  await new Promise((resolve) => setTimeout(resolve, 200))
  const [block] = await agent.blocks()
  console.log(`${block.samples} samples, answered in ${block.evidence.answerMs} ms (median)`)
  await agent.stop()
}, 100))
