'use strict'

// The cost of profiles of worker threads for a pool of four that is always busy, in pairs of alternating runs:
//   node scenarios/overhead/checks/thread-pool-cpu.js [pairs, 10 by default] [seconds per run, 15 by default]
const { spawnSync } = require('node:child_process')
const { Worker } = require('node:worker_threads')

const PAIRS = Number(process.argv[2] ?? 10)
const SECONDS = Number(process.argv[3] ?? 15)
const TASK = `function task () { let sum = 0; for (let i = 0; i < 4e7; i++) sum += Math.sqrt(i); return sum }
const { parentPort } = require('node:worker_threads')
parentPort.on('message', () => parentPort.postMessage(task()))`

/** Prints the number of tasks per second of the process's CPU time. @param {'auto' | 'off'} profile */
async function run (profile) {
  const agent = require('../../../lib').start({ port: 0, log: false, profile })
  let tasks = 0
  for (let i = 0; i < 4; i++) {
    const worker = new Worker(TASK, { eval: true })
    worker.on('message', () => {
      tasks++
      worker.postMessage(1)
    })
    worker.postMessage(1)
  }
  await new Promise((resolve) => { setTimeout(resolve, SECONDS * 1000) })
  const { user, system } = process.cpuUsage()
  const named = (await agent.blocks()).filter(({ threadId, frame }) => threadId !== 0 && frame !== null).length
  process.stdout.write(JSON.stringify({ cpuMsATask: (user + system) / 1000 / tasks, named }), () => process.exit())
}

/** @param {string} profile @returns {{ cpuMsATask: number, named: number }} */
const measured = (profile) => JSON.parse(spawnSync(process.execPath,
  [__filename, '0', `${SECONDS}`], { env: { ...process.env, PROFILE: profile } }).stdout.toString())

function main () {
  const ratios = Array.from({ length: PAIRS }, (_, i) => {
    const order = i % 2 === 0 ? ['auto', 'off'] : ['off', 'auto']
    const results = Object.fromEntries(order.map((profile) => [profile, measured(profile)]))
    process.stderr.write(`${JSON.stringify(results)}\n`)
    return results.auto.cpuMsATask / results.off.cpuMsATask
  }).sort((a, b) => a - b)
  const median = ratios[Math.floor(ratios.length / 2)]
  process.stdout.write(`Node.js ${process.version}: CPU a task with profiles / without: median ${median.toFixed(3)}, ${ratios[0].toFixed(3)} to ${ratios.at(-1)?.toFixed(3)}\n`)
}

if (process.env.PROFILE === undefined) main()
else run(/** @type {'auto' | 'off'} */ (process.env.PROFILE))
