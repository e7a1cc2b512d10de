'use strict'

// What V8's heap profile costs a thread while it is taken (Node.js 26):
//   node scenarios/overhead/checks/allocations.js [seconds]            default 20
// Rows are made with the profile off, on, on, off; CPU time of this thread a round is compared four by four.
const v8 = require('node:v8')
const { HeapProfile } = require('../../../lib/host/sense/profile/heap-profile')
const { print } = require('../report/spread')

const ROUNDS = 10
const ROWS = 20_000
const IS_ON = [false, true, true, false]
const US_PER_MS = 1000

/** @param {number} count */
function rows (count) {
  const made = []
  for (let i = 0; i < count; i++) made.push({ i, name: `row ${i}`, tags: [i, i + 1] })
  return made
}

function cpuMs () {
  const { user, system } = /** @type {any} */ (process).threadCpuUsage()
  return (user + system) / US_PER_MS
}

/** @type {string[]} */
const taken = []
const profile = new HeapProfile((/** @type {any} */ { text }) => { if (text) taken.push(text) })
/** @type {number[]} */
const endsMs = []
let round = 0

/** CPU time of a slice, ms. @param {boolean} isOn */
function slice (isOn) {
  if (isOn) profile.run('start', ++round)
  const fromMs = cpuMs()
  for (let i = 0; i < ROUNDS; i++) rows(ROWS)
  const tookMs = cpuMs() - fromMs
  if (isOn) {
    const endMs = performance.now()
    profile.run('take', round)
    endsMs.push(performance.now() - endMs)
  }
  return tookMs
}

if (!('startHeapProfile' in v8)) throw new Error('it needs v8.startHeapProfile() of Node.js 26')
for (let i = 0; i < ROUNDS; i++) slice(i % 2 === 1)
const untilMs = performance.now() + Number(process.argv[2] ?? 20) * 1000
/** @type {number[]} */
const shares = []
while (performance.now() < untilMs) {
  const four = IS_ON.map(slice)
  shares.push(((four[1] + four[2]) / (four[0] + four[3]) - 1) * 100)
}
const samples = taken.map((text) => JSON.parse(text).samples.length)
print('more CPU time while it is taken, %', shares, 1)
print('taking it, ms', endsMs, 2)
print('samples of one', samples, 0)
