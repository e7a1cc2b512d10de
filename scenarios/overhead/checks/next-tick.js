'use strict'

// Is process.nextTick() as fast after full collections at rest as before? node scenarios/overhead/checks/next-tick.js
// Five processes with the agent and five without, in turn, on the Node.js that runs this.
const { execFileSync } = require('node:child_process')
const { setTimeout: sleep } = require('node:timers/promises')
const { median } = require('../../harness/measure/stats')

const PAIRS = 5
const TICKS = 2000
const ROUNDS = 40
const COLLECTIONS = 3
const PAUSE_MS = 100
const NS_PER_MS = 1e6

/** Nanoseconds a call, the least of many rounds. */
async function cost () {
  const noop = () => {}
  let leastMs = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const fromMs = performance.now()
    for (let i = 0; i < TICKS; i++) process.nextTick(noop)
    leastMs = Math.min(leastMs, performance.now() - fromMs)
    await sleep(0)
  }
  return leastMs / TICKS * NS_PER_MS
}

/** @param {boolean} isWatched */
async function measure (isWatched) {
  if (isWatched) require('../../../lib').start({ port: false, log: false })
  const before = await cost()
  for (let i = 0; i < COLLECTIONS; i++) {
    /** @type {any} */ (globalThis).gc()
    await sleep(PAUSE_MS)
  }
  process.stdout.write(JSON.stringify({ before, after: await cost() }), () => process.exit())
}

/** @param {boolean} isWatched @returns {{ before: number, after: number }} ns a call */
const run = (isWatched) => JSON.parse(execFileSync(process.execPath, ['--expose-gc', __filename, isWatched ? 'watched' : 'bare'], { encoding: 'utf8' }))

function main () {
  const bare = []
  const watched = []
  for (let i = 0; i < PAIRS; i++) {
    bare.push(run(false))
    watched.push(run(true))
  }
  for (const [name, runs] of /** @type {const} */ ([['without the agent', bare], ['with it', watched]])) {
    const [before, after] = [median(runs.map((each) => each.before)), median(runs.map((each) => each.after))]
    console.log(`${name}: ${before.toFixed(0)} ns a call, ${after.toFixed(0)} after ${COLLECTIONS} full collections at rest`)
  }
}

if (process.argv[2] === undefined) main()
else measure(process.argv[2] === 'watched')
