'use strict'

const path = require('node:path')
const { startNode } = require('./app')

const ROOT = path.join(__dirname, '..', '..')

/** The package's folder, as source code. */
const PACKAGE = JSON.stringify(ROOT)

/** Mostly without garbage: a collection sleeps until V8's helpers have run, and they wait for a CPU, too. */
const CRUNCH = `function crunch (ms) {
  const end = performance.now() + ms
  let sum = 0
  while (performance.now() < end) for (let i = 0; i < 1e5; i++) sum += i & 3
  return sum
}`

/** What every script has: workers from source, and a wait for a block. */
const PRELUDE = `
  const { Worker } = require('node:worker_threads')
  const { setTimeout: sleep } = require('node:timers/promises')
  const work = (source, options) => new Worker(source, { eval: true, ...options })
  const ofWorkers = async () => (await agent.blocks()).filter(({ thread }) => thread !== 'main')
  const find = async (test, look = () => agent.blocks()) => {
    for (const end = Date.now() + 20000; Date.now() < end; await sleep(50)) {
      const block = (await look()).find(test)
      if (block) return block
    }
    throw new Error('not found in ' + JSON.stringify(await agent.blocks()))
  }
  const done = (value) => process.stdout.write(JSON.stringify(value) + '\\n', () => process.exit())
  ${CRUNCH}`

/**
 * Runs a script to its end; it names its agent `agent` if it looks for blocks.
 * @param {import('node:test').TestContext} t
 * @param {string} script
 * @param {string[]} [args] of Node.js
 */
exports.run = (t, script, args = []) => startNode(t, [...args, '-e', PRELUDE + script], { env: { LOOPWATCH_PORT: '0' } }).closed

/**
 * What a script gave to done().
 * @param {{ stdout: string, stderr: string, code: number | null, signal: string | null }} out
 */
exports.lastLine = ({ stdout, stderr, code, signal }) => {
  try {
    // The log of a machine that is short of CPU may have a line more.
    return JSON.parse(stdout.trim().split('\n').findLast((line) => !line.includes('"event":"')) ?? '')
  } catch {
    throw new Error(`${code} ${signal}: ${stdout}\n${stderr}`)
  }
}

/** A worker whose function blocks for 300 ms again and again, since a busy machine may starve it once. */
exports.CRUNCHER = JSON.stringify(`${CRUNCH}\nsetInterval(function tick () { crunch(300) }, 900)`)

exports.ROOT = ROOT
exports.PACKAGE = PACKAGE
exports.CRUNCH = CRUNCH
