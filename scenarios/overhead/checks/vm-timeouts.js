'use strict'

// Scripts of node:vm that never end by themselves, each ended by its `timeout`, while the agent samples the block:
//   node scenarios/overhead/checks/vm-timeouts.js 10000            with everything by default
//   node scenarios/overhead/checks/vm-timeouts.js 1000 bare        without the agent
// A process whose call takes four seconds is hung; another one then goes on. It prints how many calls hung, and how
// late the others ended. THRESHOLD=20 samples shorter scripts, so that a thousand calls take half a minute.
const { spawn } = require('node:child_process')
const { setTimeout: sleep } = require('node:timers/promises')
const vm = require('node:vm')

const HUNG_MS = 4000
const THRESHOLD_MS = Number(process.env.THRESHOLD ?? 50)
/** Timeouts from just above the threshold on: the agent asks where the thread is from then until the script ends. */
const LEAST_MS = THRESHOLD_MS * 1.1
const SPAN_MS = THRESHOLD_MS * 0.6
const LOOPS = ['while (true) {}', 'for (let n = 0; ; n++) Math.sqrt(n)', 'function f () { return 1 }\nfor (;;) f()']

/** @param {number[]} sorted @param {number} q */
const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]

/** @param {number} calls */
async function callAll (calls) {
  const { prepareStackTrace, stackTraceLimit } = Error
  if (process.argv[3] !== 'bare') {
    await require('../../../lib').start({ port: 0, log: false, threshold: THRESHOLD_MS }).ready
  }
  for (let i = 0; i < calls; i++) {
    const timeout = Math.round(LEAST_MS + Math.random() * SPAN_MS)
    const startMs = performance.now()
    let code
    try {
      vm.runInNewContext(LOOPS[i % LOOPS.length], {}, { timeout })
    } catch (error) {
      code = error.code
    }
    const isChanged = Error.prepareStackTrace !== prepareStackTrace || Error.stackTraceLimit !== stackTraceLimit
    process.send?.({ code, lateMs: performance.now() - startMs - timeout, isChanged })
    await sleep(5)
  }
  process.exit()
}

/** @param {number} calls */
async function runUntilHung (calls) {
  const child = spawn(process.execPath, [__filename, 'child', process.argv[3] ?? 'default', String(calls)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  /** @type {any[]} */
  const results = []
  let isHung = false
  let watch = setTimeout(() => {}, 0)
  const again = () => {
    clearTimeout(watch)
    watch = setTimeout(() => { isHung = true; child.kill('SIGKILL') }, HUNG_MS)
  }
  child.on('message', (result) => { results.push(result); again() })
  again()
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearTimeout(watch)
  return { results, isHung, code }
}

async function main () {
  const calls = Number(process.argv[2] ?? 1000)
  const startedMs = performance.now()
  /** @type {any[]} */
  const all = []
  let hung = 0
  let died = 0
  while (all.length + hung + died < calls) {
    const { results, isHung, code } = await runUntilHung(calls - all.length - hung - died)
    all.push(...results)
    if (isHung) hung++
    else if (code !== 0) died++
  }
  const lateMs = all.map((result) => result.lateMs).sort((a, b) => a - b)
  const wrong = all.filter(({ code }) => code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT').length
  const changed = all.filter(({ isChanged }) => isChanged).length
  const late = [0.5, 0.99, 0.999].map((q) => quantile(lateMs, q).toFixed(1)).join(', ')
  console.log(`${process.version} ${process.argv[3] ?? 'default'}: ${calls} calls, ${hung} hung, ${died} died, ${wrong} ended otherwise, ` +
    `${changed} left Error changed; late p50, p99, p99.9: ${late} ms; ${Math.round((performance.now() - startedMs) / 1000)} s`)
  process.exitCode = hung + died + wrong + changed > 0 ? 1 : 0
}

if (process.argv[2] === 'child') {
  process.argv[3] = process.argv[3] === 'bare' ? 'bare' : 'default'
  callAll(Number(process.argv[4]))
} else {
  main()
}
