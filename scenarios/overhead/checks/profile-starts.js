'use strict'

// Whether a start of the CPU profile pauses an application on a machine whose CPUs are taken:
//   node scenarios/overhead/checks/profile-starts.js [starts] [busy processes] [small,large]   default 20 6 small,large
// A small and a large application start alternately with and without the preload, under 20 requests per second, next
// to busy processes. A native call every three seconds makes the agent want its profile. It fails if the agent reports
// a pause of its own as a block, or if the longest delay of a timer (median of all starts, outside these calls) is more
// than 1.25 times as long as without it.
const { spawn, fork } = require('node:child_process')
const http = require('node:http')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { median } = require('../../harness/measure/stats')

const LIB = path.join(__dirname, '..', '..', '..', 'lib')
const RUN_MS = 10000
const WARM_MS = 1500
const TICK_MS = 10
const REQUEST_EVERY_MS = 50
const NATIVE_EVERY_MS = 3000
const NATIVE_ROWS = 150000
const MODULES = 300
const FUNCTIONS = 200
const ROWS = 500000
const MOST_RATIO = 1.25
/** The agent's. */
const THRESHOLD_MS = 50

/** Something to list for the profiler: 60,000 compiled functions and 50 MB of rows. */
function makeLarge () {
  for (let i = 0; i < MODULES; i++) {
    const text = Array.from({ length: FUNCTIONS }, (_, j) => `function f${j} (a) { return a + ${i * j} }; f${j}(1)`).join('\n')
    // eslint-disable-next-line no-new-func -- what is measured
    held.push(new Function(text))
    held.at(-1)()
  }
  held.push(Array.from({ length: ROWS }, (_, i) => ({ i, name: `row ${i}` })))
}
/** @type {any[]} */
const held = []

/** The application. @param {string} size */
function serve (size) {
  if (size === 'large') makeLarge()
  const document = JSON.stringify(Array.from({ length: NATIVE_ROWS }, (_, i) => ({ i })))
  let longestMs = 0
  let lastMs = 0
  let isNative = true
  const server = http.createServer((request, response) => response.end('ok')).listen(0, '127.0.0.1', () => {
    process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port })
  })
  setInterval(() => {
    JSON.parse(document)
    isNative = true
  }, NATIVE_EVERY_MS)
  setTimeout(() => setInterval(() => {
    const nowMs = performance.now()
    if (!isNative) longestMs = Math.max(longestMs, nowMs - lastMs - TICK_MS)
    isNative = false
    lastMs = nowMs
  }, TICK_MS), WARM_MS)
  process.on('message', async () => {
    const isWatched = process.execArgv.includes('-r')
    const agent = isWatched ? require(path.join(LIB, 'index.js')).start() : null
    const blocks = await agent?.blocks() ?? []
    process.send?.({ longestMs, blocks })
  })
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<any>} */
const message = (child) => new Promise((resolve) => child.once('message', resolve))

/** @param {string} size @param {boolean} isWatched */
async function runOnce (size, isWatched) {
  const execArgv = isWatched ? ['-r', path.join(LIB, 'register.js')] : []
  const env = { ...process.env, LOOPWATCH_PORT: '0', LOOPWATCH_LOG: 'stderr,json,debug', LOOPWATCH_KEEP: '1000' }
  const child = fork(__filename, ['serve', size], { execArgv, env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let log = ''
  child.stderr?.on('data', (text) => { log += text })
  const { port } = await message(child)
  const asking = setInterval(() => http.get({ port, host: '127.0.0.1' }, (response) => response.resume()).on('error', () => {}), REQUEST_EVERY_MS)
  await sleep(RUN_MS)
  clearInterval(asking)
  child.send('how')
  const { longestMs, blocks } = await message(child)
  child.kill('SIGKILL')
  const starts = log.split('\n').filter((line) => line.includes('"profile_on"')).map((line) => JSON.parse(line))
  return { longestMs, starts, ours: blocks.filter((/** @type {any} */ block) => isOurs(block, starts)) }
}

/** Whether a block is mostly the agent's, or a start of the profile. @param {any} block @param {any[]} starts */
function isOurs ({ startedAt, durationMs, evidence }, starts) {
  if (evidence.ownMs >= durationMs / 2) return true
  const startMs = Date.parse(startedAt)
  return starts.some(({ time, tookMs }) => {
    const overlapMs = Math.min(time, startMs + durationMs) - Math.max(time - tookMs, startMs)
    return tookMs >= THRESHOLD_MS && overlapMs >= tookMs / 2
  })
}

/** @param {number} starts @param {number} busy @param {string[]} sizes */
async function main (starts, busy, sizes) {
  const others = Array.from({ length: busy }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  process.on('exit', () => others.forEach((each) => each.kill('SIGKILL')))
  console.log(`Node ${process.version}, ${starts} starts each, next to ${busy} busy processes`)
  console.log('size   profiles started  longest start, ms  blocks of ours  longest delay: with  without, ms  ratio')
  for (const size of sizes) {
    /** @type {any[]} */
    const watched = []
    /** @type {any[]} */
    const bare = []
    for (let i = 0; i < starts; i++) {
      watched.push(await runOnce(size, true))
      bare.push(await runOnce(size, false))
    }
    const ours = watched.flatMap((run) => run.ours)
    const tookMs = watched.flatMap((run) => run.starts.map((/** @type {any} */ start) => start.tookMs))
    const [longestMs, bareMs] = [watched, bare].map((runs) => median(runs.map((run) => run.longestMs)))
    const ratio = longestMs / bareMs
    console.log([
      size.padEnd(5),
      `${tookMs.length}`.padStart(16),
      `${Math.max(0, ...tookMs)}`.padStart(17),
      `${ours.length}`.padStart(14),
      longestMs.toFixed(0).padStart(19),
      bareMs.toFixed(0).padStart(11),
      ratio.toFixed(2).padStart(5)
    ].join('  '))
    for (const { durationMs, cause, evidence } of ours) console.log(`  ${durationMs} ms, ${cause}, own ${evidence.ownMs} ms`)
    if (ours.length > 0 || ratio > MOST_RATIO) process.exitCode = 1
  }
  others.forEach((each) => each.kill('SIGKILL'))
}

const [role = '20', more = '6', sizes = 'small,large'] = process.argv.slice(2)
if (role === 'serve') serve(more)
else main(Number(role), Number(more), sizes.split(','))
