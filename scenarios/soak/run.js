'use strict'

// A service under load for a long time, watched and unwatched side by side, with blocks of known number
// and duration: npm run soak -- [--minutes 30] [--report soak.html] [--seed 1] [--options '{"keep":500}']
// The exit code is 1 where a bound is broken.
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { parseArgs } = require('node:util')
const { readBlocks } = require('../../lib/store/block-file')
const { readEnvironment } = require('../harness/measure/environment')
const { checkWritable } = require('../harness/run/output-file')
const { renderTable } = require('../harness/report/table')
const { judge } = require('./judge')
const { startLoad } = require('./load')
const { match } = require('./match')
const { planBlocks } = require('./plan')
const { renderSoak, verdict } = require('./report')
const { countBackward, scrape, sumOf } = require('./scrape')
const { Service } = require('./service/service-process')

const USERS = 8
const POINTS = 120
const SHORTEST_PERIOD_MS = 500
const LONGEST_WARM_UP_MS = 5000
const WARM_UP_SHARE = 0.2
/** Metrics of requests and the end of the last block come within a second or two. */
const SETTLE_MS = 10_000
const LOOK_MS = 500
/** Time for retries with growing pauses, on an overloaded machine. */
const FOUND_MS = 60_000
/** Fewer than by default, so that memory is full of records early in the run and has no more to grow. */
const KEEP = 100
const BLOCKS_COUNTED = 'loopwatch_block_duration_seconds_count'
const OF_MAIN = 'thread="main"'
const LOOP_TIME = 'loopwatch_eventloop_time_seconds_total'

const { values: flags } = parseArgs({ options: { minutes: { type: 'string', default: '30' }, report: { type: 'string' }, seed: { type: 'string', default: '1' }, options: { type: 'string', default: '{}' } } })
const minutes = Number(flags.minutes)
const seed = Number(flags.seed)

/** @typedef {{ watched: Service, bare: Service }} Services */
/** @typedef {{ main: import('./match').Truth[], thread: import('./match').Truth[] }} Truths */

/**
 * Blocks one service, then the other in the same way, until the run ends.
 * @param {Services} services
 * @param {AbortSignal} signal
 * @param {Truths} truths
 */
async function makeBlocks ({ watched, bare }, signal, truths) {
  for (const planned of planBlocks(seed)) {
    await sleep(planned.pauseMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    truths[planned.where === 'thread' ? 'thread' : 'main'].push(await watched.block(planned))
    await bare.block(planned)
  }
}

/** @param {Services} services @param {AbortSignal} signal */
async function soak ({ watched, bare }, signal) {
  /** @type {Truths} */
  const truths = { main: [], thread: [] }
  const url = /** @type {string} */ (watched.url)
  const loads = [startLoad(watched, { users: USERS, seed }), startLoad(bare, { users: USERS, seed })]
  await sleep(Math.min(LONGEST_WARM_UP_MS, minutes * 60_000 * WARM_UP_SHARE), undefined, { signal }).catch(() => {})
  await threadWatched(url)
  const startedAt = Date.now()
  const { end, clear } = endAfter(minutes * 60_000, signal)
  const blocking = makeBlocks({ watched, bare }, end, truths)
  const { points, backward } = await observe({ watched, bare }, end, truths)
  clear()
  await blocking
  await Promise.all(loads.map((stop) => stop()))
  return { truths, points, startedAt, backward, cpuSeconds: { watched: watched.cpuSeconds, bare: bare.cpuSeconds } }
}

/**
 * Uses its own timer: a signal that AbortSignal.any() makes of a timeout may be collected before it fires
 * (Node.js 20).
 * @param {number} ms
 * @param {AbortSignal} signal that ends it earlier
 */
function endAfter (ms, signal) {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), ms)
  signal.addEventListener('abort', () => over.abort())
  return { end: over.signal, clear: () => clearTimeout(timer) }
}

/**
 * Looks at both services and scrapes the watched one, until the run ends.
 * @param {Services} services
 * @param {AbortSignal} end
 * @param {Truths} truths made so far, by makeBlocks()
 */
async function observe ({ watched, bare }, end, truths) {
  /** @type {import('./judge').Point[]} */
  const points = []
  const url = /** @type {string} */ (watched.url)
  const fromMs = performance.now()
  let last = await scrape(url)
  const countedBefore = sumOf(last, BLOCKS_COUNTED, OF_MAIN)
  let backward = 0
  const periodMs = Math.max(SHORTEST_PERIOD_MS, minutes * 60_000 / POINTS)
  while (!end.aborted) {
    await sleep(periodMs, undefined, { signal: end }).catch(() => {})
    const now = await scrape(url)
    backward += countBackward(last, now)
    last = now
    const [on, off] = await Promise.all([watched.look(), bare.look()])
    points.push({
      atS: (performance.now() - fromMs) / 1000,
      watched: on,
      bare: off,
      made: truths.main.length,
      counted: sumOf(now, BLOCKS_COUNTED, OF_MAIN) - countedBefore
    })
    if (process.stderr.isTTY) process.stderr.write(`\r${(points.at(-1)?.atS ?? 0).toFixed(0)} s, ${truths.main.length} blocks made `)
  }
  return { points, backward }
}

/**
 * A worker thread is left alone at first, and has no blocks before it is watched. Node.js 20 does not tell its name.
 * @param {string} url
 */
async function threadWatched (url) {
  const end = performance.now() + FOUND_MS
  const isWatched = async () => {
    const metrics = await scrape(url)
    return sumOf(metrics, LOOP_TIME, '') > sumOf(metrics, LOOP_TIME, OF_MAIN)
  }
  while (!await isWatched()) {
    if (performance.now() > end) throw new Error(`the worker thread was not watched within ${FOUND_MS / 1000} s`)
    await sleep(LOOK_MS)
  }
}

/** The metrics once everything that was made and asked has come in, or has had its time. @param {Service} watched */
async function settledMetrics (watched) {
  const url = /** @type {string} */ (watched.url)
  const end = performance.now() + SETTLE_MS
  for (;;) {
    await sleep(LOOK_MS)
    const metrics = await scrape(url)
    const counted = sumOf(metrics, 'loopwatch_http_request_duration_seconds_count')
    if (counted >= watched.answered || performance.now() > end) return metrics
  }
}

/** @param {import('./judge').Row[]} rows @param {import('./judge').Point[]} points */
async function tell (rows, points) {
  const { node, cpu, cores, kernel, loadAverage } = readEnvironment()
  const title = `Soak of ${flags.minutes} min, ${new Date().toISOString().slice(0, 10)}`
  const machine = `Node ${node}, ${cores} cores, ${cpu}, ${kernel}, load ${loadAverage} at the end, seed ${seed}`
  process.stdout.write(`${title}: ${machine}\n\n${renderTable(['', 'seen', 'bound', ''], rows.map((row) => [row.what, row.value, row.bound, verdict(row)]), { columns: process.stdout.columns ?? Infinity, isNumber: [false, true] })}\n`)
  if (flags.report !== undefined) {
    fs.writeFileSync(flags.report, await renderSoak({ title, machine, rows, points }))
    process.stdout.write(`\n${flags.report}\n`)
  }
}

/**
 * Everything of a run that is judged.
 * @param {Awaited<ReturnType<typeof soak>>} soaked
 * @param {{ watched: Service, metrics: Awaited<ReturnType<typeof scrape>>, dir: string }} left
 * @returns {import('./judge').Seen}
 */
function seenOf ({ truths, points, startedAt, backward, cpuSeconds }, { watched, metrics, dir }) {
  const { records: all, broken } = readBlocks(dir)
  const records = all.filter(({ ongoing }) => !ongoing)
  const ofMain = records.filter(({ threadId }) => threadId === 0)
  const early = ofMain.filter((record) => Date.parse(record.startedAt) + record.durationMs < startedAt)
  const earlyS = early.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000
  return {
    points,
    backward,
    cpuSeconds,
    main: match(truths.main, ofMain.filter((record) => !early.includes(record))),
    thread: match(truths.thread, records.filter(({ threadId }) => threadId !== 0)),
    requests: {
      answered: watched.answered,
      failed: watched.failed,
      counted: sumOf(metrics, 'loopwatch_http_request_duration_seconds_count'),
      dropped: sumOf(metrics, 'loopwatch_events_dropped_total', 'reason="request"')
    },
    blocks: {
      counted: sumOf(metrics, BLOCKS_COUNTED, OF_MAIN),
      written: ofMain.length,
      lost: broken + sumOf(metrics, 'loopwatch_events_dropped_total', 'reason="record"'),
      secondsCounted: sumOf(metrics, 'loopwatch_block_duration_seconds_sum', OF_MAIN) - earlyS
    }
  }
}

async function main () {
  if (!(minutes > 0 && minutes <= 1440)) throw new RangeError(`--minutes takes 0 to 1440, got "${flags.minutes}"`)
  if (flags.report !== undefined) checkWritable('--report', flags.report)
  if (!fs.existsSync('/proc/self/fd')) throw new Error('the soak reads memory and open files from /proc: it needs Linux')
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-soak-'))
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  const options = { port: 0, log: { destination: path.join(dir, 'log') }, keep: KEEP, ...JSON.parse(flags.options), dir: path.join(dir, 'blocks') }
  // An agent that records nothing makes no folder.
  fs.mkdirSync(options.dir)
  const watched = new Service({ options, connections: USERS + 1 })
  const bare = new Service({ options: null, connections: USERS + 1 })
  try {
    await Promise.all([watched.ready(), bare.ready()])
    const soaked = await soak({ watched, bare }, interrupted.signal)
    const seen = seenOf(soaked, { watched, metrics: await settledMetrics(watched), dir: options.dir })
    const rows = judge(seen)
    await tell(rows, seen.points)
    for (const { kind, startedAt, ms } of [...seen.main.missed, ...seen.thread.missed]) process.stdout.write(`no record: ${kind} of ${ms.toFixed(0)} ms at ${new Date(startedAt).toISOString()}\n`)
    if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1
    if (interrupted.signal.aborted) process.exitCode = 130
  } finally {
    await Promise.all([watched.stop(), bare.stop()])
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`)
  // Users that have lost their service would ask for ever.
  process.exit(2)
})
