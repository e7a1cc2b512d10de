'use strict'

// `node test/compare.js [--rounds 3] [--cwd folder] [--over 50ms] -- command`: a test command without and with
// `loopwatch test`, one after the other: whether as many tests pass and fail, the ratio of their times, what was found.
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')

const CLI = path.join(__dirname, '..', 'lib', 'cli', 'main.js')
/** How node:test, Mocha, Jest, Vitest and AVA say it. */
const COUNTS = /^(?:# (?:pass|fail) \d+|ℹ (?:pass|fail) \d+|\s*\d+ (?:passing|failing)|\s*Tests:? .*|\s*\d+ tests? (?:passed|failed))/gm

/** @param {string[]} command @param {string} cwd */
function run ([file, ...args], cwd) {
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...env } = process.env
  const startMs = performance.now()
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 29 })
  const counts = (stdout + stderr).match(COUNTS)?.map((line) => line.replace(/\(.*|\d+(\.\d+)? ?m?s\b/g, '').trim()) ?? []
  return { ms: performance.now() - startMs, code: status, counts: [...new Set(counts)].join(', '), stderr }
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
  /** @type {number[]} */
  const [without, beside] = [[], []]
  for (let i = 0; i < Number(values.rounds); i++) {
    const plain = run(positionals, values.cwd)
    const watched = run([process.execPath, CLI, 'test', '--over', values.over, '--json', json, '--', ...positionals], values.cwd)
    without.push(plain.ms)
    beside.push(watched.ms)
    const { blocks, code, passedOver, watched: processes } = JSON.parse(fs.readFileSync(json, 'utf8'))
    fs.rmSync(json)
    process.stdout.write(`round ${i + 1}: without ${Math.round(plain.ms)} ms, ended with ${plain.code}: ${plain.counts}\n`)
    process.stdout.write(`         with    ${Math.round(watched.ms)} ms, ended with ${code}: ${watched.counts}; ${processes} processes, ${blocks.length} places, not counted ${JSON.stringify(passedOver)}\n`)
    for (const block of blocks) process.stdout.write(`  ${lineOf(block)}\n`)
  }
  const ratios = without.map((ms, i) => beside[i] / ms)
  process.stdout.write(`time with / without: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}, of the medians ${(median(beside) / median(without)).toFixed(2)}\n`)
}

main()
