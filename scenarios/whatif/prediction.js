'use strict'

// What `loopwatch diagnose --what-if` does, with the arrivals of the cell: stops at a few calls, then takes a profile.
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { costsOf, poolCosts } = require('../../lib/cli/diagnose/what-if/costs')
const { requestsOf } = require('../../lib/cli/diagnose/what-if/requests')
const { predict } = require('../../lib/cli/diagnose/what-if/verdict')
const { entryPoint } = require('../../lib/tables/entry-points')
const { applications } = require('./server/applications')

const FILE = require.resolve('./server/applications')
const LIMIT_MS = 20_000
const POLL_MS = 20

/** @typedef {{ fromMs: number, answered: (import('./arrivals').Arrival & { latencyMs: number })[] }} Load */

/** Where a function's first line is, from 1. @param {Function} run */
const firstLineOf = (run) => {
  const text = fs.readFileSync(FILE, 'utf8')
  return text.slice(0, text.indexOf(run.toString())).split('\n').length + 1
}

/** @param {string} name of the application */
exports.startPrediction = (name) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-whatif-'))
  const file = (/** @type {string} */ marker) => path.join(folder, marker)
  const { run } = applications[name]
  /** @param {string} marker @param {() => Promise<unknown>} [meanwhile] */
  const written = async (marker, meanwhile = () => sleep(POLL_MS)) => {
    for (const end = performance.now() + LIMIT_MS; !fs.existsSync(file(marker));) {
      if (performance.now() > end) throw new Error(`no ${marker} of ${name} within ${LIMIT_MS / 1000} s`)
      await meanwhile()
    }
  }
  return {
    args: ['--require', entryPoint('whatIfPreload')],
    env: { LOOPWATCH_WHAT_IF: JSON.stringify({ folder, name: run.name, file: FILE, line: firstLineOf(run) }) },
    /** @param {() => Promise<unknown>} ask calls the function */
    record: async (ask) => {
      await written('captured', ask)
      fs.writeFileSync(file('record'), '')
      await written('recording')
    },
    /** @param {Load} load */
    result: async (load) => {
      fs.writeFileSync(file('stop'), '')
      await written('result.json')
      const found = JSON.parse(fs.readFileSync(file('result.json'), 'utf8'))
      if (found.reason !== null) throw new Error(`unknown: ${found.reason}`)
      const costs = costsOf(found.captures, await poolCosts())
      if (costs === null) throw new Error('many calls for a request')
      return { costs, prediction: predict({ requests: asTheyCame(requestsOf(found), load), costs }) }
    },
    end: () => fs.rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The driver knows when a request was due, the application only when it came to it.
 * @param {import('../../lib/cli/diagnose/what-if/replay').Recorded[]} requests
 * @param {Load} load
 */
function asTheyCame (requests, { fromMs, answered }) {
  const due = (/** @type {string | null} */ route) =>
    answered.filter((each) => `GET ${each.route}` === route).map(({ dueMs }) => fromMs + dueMs)
  /** @type {Map<string | null, number[]>} */
  const left = new Map([...new Set(requests.map(({ route }) => route))].map((route) => [route, due(route)]))
  return requests
    // What warmed it up is none of the load.
    .filter(({ startMs }) => startMs >= fromMs)
    .map((request) => ({ ...request, startMs: left.get(request.route)?.shift() ?? request.startMs }))
    .sort((a, b) => a.startMs - b.startMs)
}
