'use strict'

// What a window of origin tracking, or a CPU profile, costs a bare HTTP server while it is open:
// node scenarios/overhead/origin.js [--option origin|profile] [--pairs 10] [--seconds 2]
// Two watched servers live side by side on one core (where taskset exists), one with the option on,
// one with it off; short bursts of load go to the one and the other in turn and are compared
// pair by pair, so that the machine's own ups and downs meet both.
const { fork, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { parseArgs } = require('node:util')
const { driver, load } = require('./load')

const { values } = parseArgs({ options: { option: { type: 'string', default: 'origin' }, pairs: { type: 'string', default: '10' }, seconds: { type: 'string', default: '2' } } })
const pairs = Number(values.pairs)
const seconds = Number(values.seconds)

/** @param {'on' | 'off'} state */
async function startServer (state) {
  const child = fork(path.join(__dirname, 'server.js'), { env: { ...process.env, WATCH: 'requests-off', [`LOOPWATCH_${values.option.toUpperCase()}`]: state }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [port] = await once(child, 'message')
  if (process.platform === 'linux') spawnSync('taskset', ['-a', '-c', '-p', '0', `${child.pid}`])
  return { child, url: `http://127.0.0.1:${port}/`, /** @type {{ requestsPerSecond: number, p99Ms: number }[]} */ bursts: [] }
}

/** @param {string} name @param {number[]} numbers @param {number} digits */
function print (name, numbers, digits) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = (/** @type {number} */ share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(digits)
  console.log(`${name.padEnd(32)} ${at(0.5).padStart(8)}   (middle half: ${at(0.25)} to ${at(0.75)})`)
}

async function main () {
  console.log(`Node ${process.version}, option ${values.option}, ${driver}, 50 connections, ${pairs} pairs of ${seconds} s`)
  const closed = await startServer('off')
  const open = await startServer('on')
  await sleep(1000)
  for (const { url } of [closed, open]) await load(url, 2)
  for (let i = 0; i < pairs; i++) {
    for (const server of i % 2 === 0 ? [closed, open] : [open, closed]) server.bursts.push(await load(server.url, seconds))
  }
  print('requests/s, window closed', closed.bursts.map(({ requestsPerSecond }) => requestsPerSecond), 0)
  print('requests/s, window open', open.bursts.map(({ requestsPerSecond }) => requestsPerSecond), 0)
  print('throughput, open / closed', open.bursts.map((burst, i) => burst.requestsPerSecond / closed.bursts[i].requestsPerSecond), 3)
  print('p99 latency, open / closed', open.bursts.map((burst, i) => burst.p99Ms / closed.bursts[i].p99Ms), 1)
  const usages = []
  for (const { child } of [closed, open]) {
    child.send('usage')
    usages.push((await once(child, 'message'))[0].rssMb)
    child.kill()
  }
  console.log(`${'RSS, open - closed, MB'.padEnd(32)} ${(usages[1] - usages[0]).toFixed(1).padStart(8)}`)
}

main()
