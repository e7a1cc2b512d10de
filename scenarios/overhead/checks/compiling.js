'use strict'

// Whether an application that keeps compiling new functions costs the same after an hour as at its beginning:
//   node scenarios/overhead/checks/compiling.js [minutes]            default 60
// V8's profiler keeps what it knows of each function. Two processes compile a hundred new functions per second, as
// templates and validators do, and are blocked by a JSON.parse every two seconds, for which the watched one takes its
// profile. Six times, memory, CPU time and what the agent kept the application for are printed, of both.
const { fork } = require('node:child_process')
const { setTimeout: sleep } = require('node:timers/promises')
const { median } = require('../../harness/measure/stats')

const MB = 1024 * 1024
const MS_PER_MINUTE = 60000
const PARTS = 6
const COMPILE_EVERY_MS = 50
const FUNCTIONS = 5
const BLOCK_EVERY_MS = 2000
const BLOCK_ROWS = 250000

/** Compiles for ever, and answers each message with how it has fared since the last. @param {any} agent */
function compile (agent) {
  let compiled = 0
  let blocks = 0
  let cpu = process.cpuUsage()
  let heldMs = agent?.heldMs ?? 0
  const document = JSON.stringify(Array.from({ length: BLOCK_ROWS }, (_, i) => ({ i, name: `row ${i}` })))
  agent?.on('block', (/** @type {any} */ { cause }) => { if (cause === 'native') blocks++ })
  setInterval(() => {
    // eslint-disable-next-line no-new-func -- what is measured
    for (let i = 0; i < FUNCTIONS; i++) new Function('rows', `return rows.map((row) => row + ${compiled++})`)([1, 2, 3])
  }, COMPILE_EVERY_MS)
  setInterval(() => JSON.parse(document), BLOCK_EVERY_MS)
  process.on('message', () => {
    globalThis.gc?.()
    const { user, system } = process.cpuUsage(cpu)
    cpu = process.cpuUsage()
    process.send?.({
      compiled,
      blocks,
      cpuMs: (user + system) / 1000,
      heldMs: (agent?.heldMs ?? 0) - heldMs,
      rssMb: process.memoryUsage.rss() / MB
    })
    blocks = 0
    heldMs = agent?.heldMs ?? 0
  })
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<any>} */
const ask = (child) => new Promise((resolve) => {
  child.once('message', resolve)
  child.send('how')
})

/** @param {number} minutes */
async function main (minutes) {
  const [watched, bare] = ['watched', 'bare'].map((role) =>
    fork(__filename, [role], { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }))
  // The size at the start does not count as growth.
  await sleep(Math.min(MS_PER_MINUTE, minutes * MS_PER_MINUTE / PARTS))
  await Promise.all([watched, bare].map(ask))
  console.log(`Node ${process.version}, ${minutes} min, ${FUNCTIONS * 1000 / COMPILE_EVERY_MS} new functions and half a block a second`)
  console.log('functions  blocks named native  kept for each, ms  RSS watched, MB  RSS bare, MB  CPU watched / bare')
  const ratios = []
  for (let part = 0; part < PARTS; part++) {
    await sleep(minutes * MS_PER_MINUTE / PARTS)
    const [w, b] = await Promise.all([watched, bare].map(ask))
    ratios.push(w.cpuMs / b.cpuMs)
    console.log([
      `${w.compiled}`.padStart(9),
      `${w.blocks}`.padStart(19),
      (w.heldMs / w.blocks).toFixed(1).padStart(17),
      w.rssMb.toFixed(0).padStart(15),
      b.rssMb.toFixed(0).padStart(12),
      ratios.at(-1)?.toFixed(2).padStart(18)
    ].join('  '))
  }
  console.log(`CPU watched / bare, median of the parts: ${median(ratios).toFixed(2)}`)
  for (const child of [watched, bare]) child.kill()
}

if (process.argv[2] === 'watched') compile(require('../../../lib').start({ port: 0, log: false }))
else if (process.argv[2] === 'bare') compile(null)
else main(Number(process.argv[2] ?? 60))
