'use strict'

// How often the line of a short block is right: node scenarios/bakeoff/checks/short-blocks.js [blocks of each kind]
// Nine kinds of native calls and one loop, each calibrated to 60 ms, at random times in an otherwise idle process.
// Those that took 50 to 85 ms count.
const crypto = require('node:crypto')
const fs = require('node:fs')
const { setTimeout: sleep } = require('node:timers/promises')
const zlib = require('node:zlib')

const AIM_MS = 60
const COUNTED_MS = [50, 85]
const NEAR_MS = 35
const CALIBRATIONS = 12
const perKind = Number(process.argv[2] ?? 12)

const agent = require('../../../lib').start({ port: 0, log: false, keep: 500 })

/** @param {number} count */
const rows = (count) => Array.from({ length: count }, (_, id) => ({ id, name: `name ${id}`, tags: ['a', 'b'] }))

/** @param {number} count */
const numbers = (count) => Float64Array.from({ length: count }, (_, i) => (i * 7919) % 100003)

/**
 * The input of each kind by size, and its work.
 * @type {Record<string, [(size: number) => any, (input: any) => unknown]>}
 */
const kinds = {
  parse: [(size) => JSON.stringify(rows(size * 100)), function parse (input) { return JSON.parse(input) }],
  stringify: [(size) => rows(size * 100), function stringify (input) { return JSON.stringify(input) }],
  hash: [(size) => size * 100, function hash (input) { return crypto.pbkdf2Sync('a', 'b', input, 32, 'sha256') }],
  deflate: [(size) => JSON.stringify(rows(size * 20)), function deflate (input) { return zlib.deflateSync(input) }],
  sort: [(size) => numbers(size * 2000), function sort (input) { return input.slice().sort() }],
  clone: [(size) => rows(size * 50), function clone (input) { return structuredClone(input) }],
  match: [(size) => `${'a'.repeat(size * 20)}b`, function match (input) { return /a*a*c/.test(input) }],
  split: [(size) => 'abc,'.repeat(size * 5000), function split (input) { return input.split(',').join('-') }],
  copy: [(size) => rows(size * 30), function copy (input) { return JSON.parse(JSON.stringify(input)).length }],
  loop: [(size) => size * 10000, function loop (input) {
    let sum = 0
    for (let i = 0; i < input; i++) sum += Math.sqrt(i) % 3
    return sum
  }]
}

/** @param {() => unknown} work */
function timed (work) {
  const fromMs = performance.now()
  work()
  return performance.now() - fromMs
}

/** The input with which a kind takes about AIM_MS. @param {string} kind */
async function calibrated (kind) {
  const [make, work] = kinds[kind]
  let size = 1
  for (let i = 0; i < CALIBRATIONS; i++) {
    const input = make(size)
    size = Math.max(1, Math.round(size * Math.min(4, Math.max(0.25, AIM_MS / timed(() => work(input))))))
    await sleep(20)
  }
  return make(size)
}

/** @param {Record<string, any>} inputs */
async function block (inputs) {
  const made = []
  for (let i = 0; i < perKind * Object.keys(kinds).length; i++) {
    const kind = Object.keys(kinds)[i % Object.keys(kinds).length]
    await sleep(120 + Math.random() * 250)
    const fromMs = Date.now()
    made.push({ kind, fromMs, tookMs: timed(() => kinds[kind][1](inputs[kind])) })
  }
  return made.filter(({ tookMs }) => tookMs >= COUNTED_MS[0] && tookMs < COUNTED_MS[1])
}

/** @param {import('../../../lib/types').BlockRecord} record */
const endMs = ({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs

const lines = fs.readFileSync(__filename, 'utf8').split('\n')

/** @param {string} kind @param {import('../../../lib/types').BlockRecord['frame']} frame */
function judge (kind, frame) {
  const isOwn = frame?.file === __filename && frame.function === kind
  // The loop's line is any of its function's.
  if (isOwn && (kind === 'loop' || lines[Number(frame.line) - 1].includes(`function ${kind} (`))) return 'right'
  return frame?.exact ? 'wrong' : 'doubtful'
}

async function main () {
  await agent.ready
  /** @type {Record<string, any>} */
  const inputs = {}
  for (const kind of Object.keys(kinds)) inputs[kind] = await calibrated(kind)
  await sleep(1500)
  const made = await block(inputs)
  await sleep(3000)
  const records = await agent.blocks()
  const count = { missed: 0, right: 0, doubtful: 0, wrong: 0 }
  for (const { kind, fromMs, tookMs } of made) {
    const record = records.find((each) => Math.abs(endMs(each) - fromMs - tookMs) < NEAR_MS)
    count[record === undefined ? 'missed' : judge(kind, record.frame)]++
  }
  const share = (count.right / made.length * 100).toFixed(1)
  console.log(`Node ${process.version}, ${made.length} blocks of ${COUNTED_MS.join(' to ')} ms: line right in ${share}%; ` +
    `wrong without a doubt: ${count.wrong}, with one or without a line: ${count.doubtful}, not recorded: ${count.missed}`)
  await agent.stop()
}

main()
