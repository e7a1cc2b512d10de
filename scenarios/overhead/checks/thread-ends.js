'use strict'

// Worker threads come and go by the dozen, in all ways, next to a watching agent. Nothing may abort:
//   node scenarios/overhead/checks/thread-ends.js
//   node scenarios/overhead/checks/thread-ends.js 200
//     so many processes, AT_A_TIME=25: how many were ended by a signal
const { spawn } = require('node:child_process')
const { Worker } = require('node:worker_threads')

const SECONDS = Number(process.env.SECONDS ?? 20)
const ON_PURPOSE = 'on purpose'
const ENDS = [
  (/** @type {number} */ ms) => `setTimeout(() => {}, ${ms})`,
  (/** @type {number} */ ms) => `setTimeout(() => process.exit(), ${ms})`,
  (/** @type {number} */ ms) => `setTimeout(() => { throw new Error('${ON_PURPOSE}') }, ${ms})`
]

const runs = Number(process.argv[2] ?? 0)
const AT_A_TIME = Number(process.env.AT_A_TIME ?? 25)
let ended = 0

const endMs = Date.now() + SECONDS * 1000

/** @param {number} i @returns {Promise<void>} */
async function chain (i) {
  while (Date.now() < endMs) {
    const ms = 5 + Math.random() * 40
    const worker = new Worker(ENDS[i++ % ENDS.length](ms), { eval: true })
    await new Promise((resolve, reject) => {
      worker.on('exit', resolve)
      worker.on('error', (error) => { if (error.message !== ON_PURPOSE) reject(error) })
    })
    ended++
  }
}

async function runOnce () {
  const agent = require('../../../lib').start({ port: 0, log: false })
  await Promise.all([0, 1, 2, 3].map(chain))
  process.stdout.write(`${ended} threads ended: nothing aborted (Node.js ${process.version})\n`)
  await agent.stop()
}

/** @param {Record<string, number>} outcomes */
async function runMany (outcomes) {
  for (let left = runs; left > 0; left -= AT_A_TIME) {
    await Promise.all(Array.from({ length: Math.min(left, AT_A_TIME) }, () => new Promise((resolve) => {
      spawn(process.execPath, [__filename], { stdio: 'ignore' }).on('close', (code, signal) => {
        const outcome = signal ?? `code ${code}`
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        resolve(undefined)
      })
    })))
  }
  const bySignal = Object.keys(outcomes).filter((outcome) => outcome.startsWith('SIG')).reduce((sum, signal) => sum + outcomes[signal], 0)
  process.stdout.write(`${bySignal} of ${runs} processes ended by a signal (Node.js ${process.version}; ${JSON.stringify(outcomes)})\n`)
}

if (runs > 0) runMany({})
else runOnce()
