'use strict'

// How soon and how rightly each kind of block is reported: `node scenarios/bakeoff/first-report.js
// [repeats]`. A table of the first log line after the block's start, the duration's error against
// its uncertainty, and the share of rounds whose function, request and cause were right.
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const readline = require('node:readline')
const { setTimeout: sleep } = require('node:timers/promises')
const { truth } = require('./truth')

const repeats = Number(process.argv[2] ?? 5)
const THRESHOLD_MS = 50

/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]

async function main () {
  const app = spawn(process.execPath, [path.join(__dirname, 'app.js')], {
    env: { ...process.env, BAKEOFF_OPTIONS: JSON.stringify({ port: 0, requests: 'on', threshold: THRESHOLD_MS }) }, stdio: ['ignore', 'pipe', 'pipe']
  })
  /** @type {any[]} */
  const lines = []
  readline.createInterface(app.stdout).on('line', (line) => lines.push(JSON.parse(line)))
  const [ready] = await once(readline.createInterface(app.stderr), 'line')
  const { port } = JSON.parse(ready)

  /** @param {string} name */
  async function round (name) {
    await sleep(1500) // so that the log's budget is full again
    lines.length = 0
    const response = await fetch(`http://127.0.0.1:${port}/${name}?ms=300`)
    const { ms, startedAt } = await response.json()
    await sleep(600)
    const closed = lines.filter(({ event }) => event === 'closed').sort((a, b) => b.durationMs - a.durationMs)[0]
    const opened = lines.find(({ event, block }) => event === 'opened' && block === closed?.block)
    const { frames, cause } = truth[name]
    return {
      reportedMs: opened ? opened.time - startedAt : NaN,
      errorMs: closed ? Math.abs(closed.durationMs - ms) : NaN,
      uncertaintyMs: closed?.uncertaintyMs,
      frame: frames.includes(closed?.frame?.function),
      request: closed?.request?.route === `/${name}`,
      cause: cause.includes(closed?.cause)
    }
  }

  console.log(`Node ${process.version}, threshold ${THRESHOLD_MS} ms, ${repeats} rounds of each`)
  await fetch(`http://127.0.0.1:${port}/jsonParse`) // its input is made on the first call
  for (const name of Object.keys(truth)) {
    const rounds = []
    for (let i = 0; i < repeats; i++) rounds.push(await round(name))
    const share = (/** @type {'frame' | 'request' | 'cause'} */ key) => `${Math.round(rounds.filter((one) => one[key]).length / repeats * 100)} %`
    const reported = rounds.map(({ reportedMs }) => reportedMs)
    console.log([
      name.padEnd(20), `first line after ${median(reported).toFixed(0)} ms (at most ${Math.max(...reported).toFixed(0)})`,
      `duration off by ${median(rounds.map(({ errorMs }) => errorMs)).toFixed(1)} ms (uncertainty ${median(rounds.map(({ uncertaintyMs }) => uncertaintyMs)).toFixed(1)})`,
      `function ${share('frame')}`, `request ${share('request')}`, `cause ${share('cause')}`
    ].join(' | '))
  }
  app.kill()
}

main()
