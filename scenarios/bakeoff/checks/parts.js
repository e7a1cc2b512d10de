'use strict'

// How far the parts of a block are from what it did:
//   node scenarios/bakeoff/checks/parts.js [--blocks 40] [--seed 1] [--busy 0] [--keep file]
//   node scenarios/bakeoff/checks/parts.js --again file
// Each block is a row of computing, native calls, sleeps and collections, drawn by chance, and a third of them are
// stopped meanwhile. `--busy`: processes that compete for the CPUs. `--keep` writes what the agent knew of the blocks,
// and `--again` explains them once more.
const { execFileSync, fork, spawn } = require('node:child_process')
const crypto = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { parseArgs } = require('node:util')
const { randomOf } = require('../generated/program')
const { explain } = require('../generated/facts')

/** @typedef {import('../../../lib/types').BlockParts} BlockParts */
/** @typedef {'js' | 'native' | 'asleep' | 'child' | 'gc'} Step */
/** @typedef {{ steps: { step: Step, ms: number }[], stop: { afterMs: number, ms: number } | null }} Plan */
/** @typedef {{ startMs: number, endMs: number, parts: Record<string, number>, spans: Span[] }} Truth */
/** @typedef {{ step: Step, startMs: number, endMs: number, cpuMs: number, waitMs: number }} Span */

/** @type {readonly Step[]} */
const STEPS = ['js', 'native', 'asleep', 'child', 'gc']
const PARTS = /** @type {const} */ (['js', 'native', 'gc', 'asleep', 'waiting', 'stopped', 'unexplained'])
const CALM_MS = 250
const THRESHOLD_MS = 50
const NS_PER_MS = 1e6

const wallMs = () => performance.timeOrigin + performance.now()

/** @returns {{ cpuMs: number, waitMs: number }} of this thread so far */
function timesNow () {
  const [cpu, wait] = fs.readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number)
  return { cpuMs: cpu / NS_PER_MS, waitMs: wait / NS_PER_MS }
}

/** @param {number} seed @param {number} index @returns {Plan} */
function draw (seed, index) {
  const random = randomOf(seed * 1009 + index)
  for (let i = 0; i < 3; i++) random()
  const count = 1 + Math.floor(random() * 3)
  const steps = Array.from({ length: count }, () =>
    ({ step: STEPS[Math.floor(random() * STEPS.length)], ms: 60 + random() * 240 }))
  const allMs = steps.reduce((sum, { ms }) => sum + ms, 0)
  const stop = random() < 0.33 ? { afterMs: 20 + random() * (allMs - 20), ms: 80 + random() * 400 } : null
  return { steps, stop }
}

/** Iterations of pbkdf2 in a millisecond of CPU time; measured at the start. */
let hashesPerMs = 500
/** @type {object[]} */
const heap = []

/** @type {Record<Step, (ms: number) => void>} by CPU time, but for a sleep */
const work = {
  js: (ms) => {
    const untilMs = timesNow().cpuMs + ms
    let sum = 0
    while (timesNow().cpuMs < untilMs) for (let i = 0; i < 1e5; i++) sum += Math.sqrt(i)
    if (sum === 0) throw new Error('nothing was computed')
  },
  native: (ms) => { crypto.pbkdf2Sync('a', 'b', Math.ceil(ms * hashesPerMs), 32, 'sha256') },
  asleep: (ms) => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms) },
  child: (ms) => { execFileSync('sleep', [`${ms / 1000}`]) },
  gc: (ms) => {
    const { cpuMs } = timesNow()
    while (timesNow().cpuMs < cpuMs + ms) /** @type {() => void} */ (globalThis.gc)()
  }
}

/** Blocks as PARTS_OPTIONS says, under the default agent. */
async function target () {
  const agent = require('../../../lib').start({ port: false, log: false, threshold: THRESHOLD_MS, ...JSON.parse(String(process.env.PARTS_OPTIONS)) })
  for (let i = 0; i < 3e5; i++) heap.push({ i, of: [i] })
  const { cpuMs } = timesNow()
  work.native(200)
  hashesPerMs *= 200 / (timesNow().cpuMs - cpuMs)
  await agent.ready
  await sleep(4 * CALM_MS)
  process.on('message', async (/** @type {Plan} */ { steps }) => {
    await sleep(CALM_MS)
    process.send?.({ blocks: true })
    /** @type {Span[]} */
    const spans = []
    for (const { step, ms } of steps) {
      const [startMs, before] = [wallMs(), timesNow()]
      work[step](ms)
      const after = timesNow()
      const spent = { cpuMs: after.cpuMs - before.cpuMs, waitMs: after.waitMs - before.waitMs }
      spans.push({ step, startMs, endMs: wallMs(), ...spent })
    }
    await sleep(2 * CALM_MS)
    process.send?.({ spans })
  })
  process.send?.({ ready: true })
}

/** @param {Span[]} spans @param {{ startMs: number, endMs: number } | null} stop @returns {Truth} */
function truthOf (spans, stop) {
  const parts = Object.fromEntries(PARTS.map((part) => [part, 0]))
  for (const { step, startMs, endMs, cpuMs, waitMs } of spans) {
    const offMs = Math.max(0, endMs - startMs - cpuMs - waitMs)
    const withinMs = stop === null ? 0 : Math.max(0, Math.min(stop.endMs, endMs) - Math.max(stop.startMs, startMs))
    const stoppedMs = Math.min(withinMs, offMs)
    parts.waiting += waitMs
    parts.stopped += stoppedMs
    // The sleep of a collection counts for it, and starting a child is a native call.
    parts[step === 'asleep' ? 'js' : step === 'child' ? 'native' : step] += cpuMs
    parts[step === 'gc' ? 'gc' : 'asleep'] += offMs - stoppedMs
  }
  return { startMs: spans[0].startMs, endMs: /** @type {Span} */ (spans.at(-1)).endMs, parts, spans }
}

/** @param {number} blocks @param {number} seed @param {object} options of start() */
async function blocksOf (blocks, seed, options) {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-parts-')), 'facts.ndjson')
  const child = fork(__filename, {
    execArgv: ['--expose-gc'],
    env: { ...process.env, PARTS_OPTIONS: JSON.stringify({ ...options, facts: file }) }
  })
  /** @type {any[]} */
  const inbox = []
  /** @type {() => void} */
  let wake = () => {}
  child.on('message', (message) => { inbox.push(message); wake() })
  const next = async () => {
    while (inbox.length === 0) await new Promise((resolve) => { wake = () => resolve(null) })
    return inbox.shift()
  }
  await next()
  /** @type {Truth[]} */
  const truths = []
  for (let i = 0; i < blocks; i++) {
    const plan = draw(seed, i)
    child.send(plan)
    await next()
    let stop = null
    if (plan.stop !== null) {
      await sleep(plan.stop.afterMs)
      const startMs = wallMs()
      child.kill('SIGSTOP')
      await sleep(plan.stop.ms)
      stop = { startMs, endMs: wallMs() }
      child.kill('SIGCONT')
    }
    truths.push(truthOf((await next()).spans, stop))
  }
  child.kill()
  const facts = fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  return truths.flatMap((truth) => {
    const middleMs = (truth.startMs + truth.endMs) / 2
    const isIn = (/** @type {any} */ { wallMs: zeroMs, span }) =>
      zeroMs + span.startMs < middleMs && zeroMs + span.endMs > middleMs
    const known = facts.find(isIn)
    return known === undefined ? [] : [{ truth, facts: known, isProfiled: !('profile' in options) }]
  })
}

/** @param {{ truth: Truth, facts: any, isProfiled: boolean }[]} blocks */
function report (blocks, isVerbose = false) {
  const results = blocks.map(({ truth, facts, isProfiled }) => {
    const record = explain(facts)
    const parts = /** @type {BlockParts} */ (record.parts)
    // The part of the block that is longest decides its cause.
    const offMs = Math.max(...PARTS.map((part) => Math.abs(parts[part] - truth.parts[part])))
    return { truth, record, parts, offMs, isProfiled }
  })
  const quantile = (/** @type {number[]} */ values, /** @type {number} */ share) =>
    values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))].toFixed(0)
  const line = (/** @type {string} */ name, /** @type {number[]} */ errors) =>
    `${name.padEnd(20)} ${errors.length} blocks, off by ${quantile(errors, 0.5)} ms (median), ${quantile(errors, 0.9)} (90%), ${Math.max(...errors).toFixed(0)} (most)`
  for (const part of PARTS) {
    console.log(line(part, results.map(({ truth, parts }) => Math.abs(parts[part] - truth.parts[part]))))
  }
  for (const isProfiled of [true, false]) {
    const own = results.filter((each) => each.isProfiled === isProfiled)
    if (own.length > 0) console.log(line(isProfiled ? 'profiled, any part' : 'no profile, any part', own.map(({ offMs }) => offMs)))
  }
  if (!isVerbose) return
  for (const [i, { truth, record, parts, offMs, isProfiled }] of results.entries()) {
    if (offMs < 40) continue
    const shown = (/** @type {Record<string, number>} */ all) => PARTS.flatMap((part) => all[part] >= 1 ? [`${part} ${all[part].toFixed(0)}`] : []).join(' ')
    console.log(`${i} ${isProfiled ? 'profiled' : 'no profile'} ${record.durationMs} ms, steps ${truth.spans.map(({ step, startMs, endMs }) => `${step} ${(endMs - startMs).toFixed(0)}`)}\n  is  ${shown(truth.parts)}\n  got ${shown(parts)} (${record.cause})`)
  }
}

async function main () {
  const { values } = parseArgs({
    options: {
      blocks: { type: 'string', default: '40' },
      seed: { type: 'string', default: '1' },
      busy: { type: 'string', default: '0' },
      keep: { type: 'string' },
      again: { type: 'string', multiple: true },
      verbose: { type: 'boolean', default: false }
    }
  })
  if (values.again !== undefined) {
    const lines = values.again.flatMap((file) => fs.readFileSync(file, 'utf8').trim().split('\n'))
    return report(lines.map((line) => JSON.parse(line)), values.verbose)
  }
  const busy = Array.from({ length: Number(values.busy) }, () => spawn(process.execPath, ['-e', 'for (;;);']))
  try {
    const half = Math.ceil(Number(values.blocks) / 2)
    const blocks = [
      ...await blocksOf(half, Number(values.seed), { profile: 'off' }),
      ...await blocksOf(half, Number(values.seed) + 1, {})
    ]
    if (values.keep !== undefined) fs.appendFileSync(values.keep, blocks.map((each) => `${JSON.stringify(each)}\n`).join(''))
    report(blocks, values.verbose)
  } finally {
    for (const child of busy) child.kill()
  }
}

if (process.env.PARTS_OPTIONS === undefined) main()
else target()
