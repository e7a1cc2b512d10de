'use strict'

// Breakdown of the agent's memory: a small server with one more part of the agent at a time, three seconds after its
// start, each in its own process, alternating:
//   node scenarios/overhead/checks/memory-parts.js [rounds, 5 by default]
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { median } = require('../../../lib/util/statistics')

const LIB = path.join(__dirname, '..', '..', '..', 'lib')
const WAIT_MS = 3000
/** Resource limits of the agent's own thread. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 256 }

/** @param {string} code of a thread that then waits */
const startThread = (code) => new Worker(`${code}; setInterval(() => {}, 1e9)`, { eval: true, resourceLimits: LIMITS })
const WATCHDOG = `require(${JSON.stringify(path.join(LIB, 'watchdog', 'watchdog'))})`

/** Each step has what the one before it has, and one part more. @type {Record<string, () => unknown>} */
const steps = {
  'a bare server': () => {},
  'a worker thread that does nothing': () => startThread(''),
  'the modules of the watchdog': () => startThread(WATCHDOG),
  'the modules of the host': () => [startThread(WATCHDOG), require(path.join(LIB, 'host', 'agent'))],
  "at work, profile: 'off'": () => require(LIB).start({ port: 0, log: false, profile: 'off' }),
  'the CPU profile (default options)': () => require(LIB).start({ port: 0, log: false })
}

/** @typedef {{ restMb: number, peakMb: number }} Memory */

/** @returns {Memory} of this process */
function readMemory () {
  const status = fs.readFileSync('/proc/self/status', 'utf8')
  const mbOf = (/** @type {string} */ name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
  return { restMb: mbOf('VmRSS'), peakMb: mbOf('VmHWM') }
}

/** @param {string} name of the step */
function run (name) {
  steps[name]()
  http.createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  setTimeout(() => process.stdout.write(JSON.stringify(readMemory()), () => process.exit()), WAIT_MS)
}

/** @param {number} rounds */
function main (rounds) {
  const names = Object.keys(steps)
  /** @type {Map<string, Memory[]>} */
  const measured = new Map(names.map((name) => [name, []]))
  for (let i = 0; i < rounds; i++) {
    for (const name of i % 2 === 0 ? names : names.toReversed()) {
      const text = execFileSync(process.execPath, [__filename], { env: { ...process.env, MEMORY_PART: name }, encoding: 'utf8' })
      measured.get(name)?.push(JSON.parse(text))
    }
  }
  process.stdout.write(`Node.js ${process.version}, ${rounds} rounds, MB\n`)
  let before = { restMb: 0, peakMb: 0 }
  for (const [name, all] of measured) {
    const restMb = median(all.map((each) => each.restMb))
    const peakMb = median(all.map((each) => each.peakMb))
    const spread = all.map((each) => each.restMb).sort((a, b) => a - b)
    process.stdout.write(`${name.padEnd(36)} resident ${restMb.toFixed(1)} (${spread[0].toFixed(1)} to ${spread.at(-1)?.toFixed(1)}), +${(restMb - before.restMb).toFixed(1)}; peak ${peakMb.toFixed(1)}, +${(peakMb - before.peakMb).toFixed(1)}\n`)
    before = { restMb, peakMb }
  }
}

if (process.env.MEMORY_PART === undefined) main(Number(process.argv[2] ?? 5))
else run(process.env.MEMORY_PART)
