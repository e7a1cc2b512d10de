'use strict'

// `node test/compare.js [--rounds 3] [--cwd folder] [--over 50ms] -- command`: a test command without and with
// `loopwatch test`, one after the other: whether as many tests pass and fail, the ratio of their times, what was found.
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs, stripVTControlCharacters } = require('node:util')

const CLI = path.join(__dirname, '..', 'lib', 'cli', 'main.js')
/** How node:test, Mocha, Jest, Vitest and AVA say it. */
const COUNTS = /^(?:# (?:pass|fail) \d+|ℹ (?:pass|fail) \d+|\s*\d+ (?:passing|failing)|\s*Tests:? +\d.*|\s*\d+ tests? (?:passed|failed))/gm

/** CPU time of processes that have ended and were waited for, in ticks of 10 ms: a busy machine changes it less. */
function endedTicks () {
  try {
    const fields = fs.readFileSync('/proc/self/stat', 'latin1').split(') ')[1].split(' ')
    return Number(fields[13]) + Number(fields[14])
  } catch {
    return NaN
  }
}

/** @param {string[]} command @param {string} cwd */
function run ([file, ...args], cwd) {
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...env } = process.env
  const startMs = performance.now()
  const startTicks = endedTicks()
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 29 })
  const counts = stripVTControlCharacters(stdout + stderr).match(COUNTS)?.map((line) => line.replace(/\(.*|\d+(\.\d+)? ?m?s\b/g, '').trim()) ?? []
  return { ms: performance.now() - startMs, cpuMs: (endedTicks() - startTicks) * 10, code: status, counts: [...new Set(counts)].join(', '), stderr }
}

/** @param {number[]} numbers */
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** @param {any} block */
const lineOf = ({ function: name, file, line, longestMs, cause, count, tests: [test] }) =>
  `${longestMs} ms (${cause}), ${count}x: ${name} (${file}:${line}) in ${test.file} > ${test.name}`

function main () {
  const { values, positionals } = parseArgs({
    options: { rounds: { type: 'string', default: '3' }, cwd: { type: 'string', default: '.' }, over: { type: 'string', default: '50ms' } },
    allowPositionals: true
  })
  const json = path.join(os.tmpdir(), `loopwatch-compare-${process.pid}.json`)
  /** @type {{ ms: number, cpuMs: number }[]} */
  const without = []
  /** @type {{ ms: number, cpuMs: number }[]} */
  const beside = []
  for (let i = 0; i < Number(values.rounds); i++) {
    const plain = run(positionals, values.cwd)
    const watched = run([process.execPath, CLI, 'test', '--over', values.over, '--json', json, '--', ...positionals], values.cwd)
    without.push(plain)
    beside.push(watched)
    const { blocks, code, passedOver, watched: processes } = JSON.parse(fs.readFileSync(json, 'utf8'))
    fs.rmSync(json)
    process.stdout.write(`round ${i + 1}: without ${Math.round(plain.ms)} ms, ended with ${plain.code}: ${plain.counts}\n`)
    process.stdout.write(`         with    ${Math.round(watched.ms)} ms, ended with ${code}: ${watched.counts}; ${processes} processes, ${blocks.length} places, not counted ${JSON.stringify(passedOver)}\n`)
    for (const block of blocks) process.stdout.write(`  ${lineOf(block)}\n`)
  }
  for (const [name, key] of /** @type {['time' | 'CPU time', 'ms' | 'cpuMs'][]} */ ([['time', 'ms'], ['CPU time', 'cpuMs']])) {
    const ratios = without.map((plain, i) => beside[i][key] / plain[key])
    process.stdout.write(`${name} with / without: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}; median ${median(ratios).toFixed(2)}\n`)
  }
}

main()
