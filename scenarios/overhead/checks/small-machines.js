'use strict'

// The cost of the preload where CPUs are scarce: whole processes alternate with and without it:
//   node scenarios/overhead/checks/small-machines.js [rounds] [kinds]       default 5 rounds of every kind
// script: one that runs for 1.5 s. listen: a small server on one CPU, from its start until it listens. quota: the
// same with a fifth of a CPU, and its answers in the first six seconds (needs control groups, so root). crowd: ten
// servers that start together on one CPU, their first nine seconds. runner: `node --test` with ten files, each with a
// server of its own. Needs taskset.
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { makeGroup } = require('../../../test/support/control-group')
const { median } = require('../../harness/measure/stats')

const REGISTER = require.resolve('../../../lib/register')
const SCRIPT_MS = 1500
const QUOTA_CPUS = 0.2
const FIRST_MS = 6000
const EVERY_MS = 50
const CROWD = 10
const CROWD_MS = 9000
const TEST_FILES = 10
/** The last of two CPUs is the server's, the first that of the load. */
const ONE_CPU = ['taskset', '-c', String(os.cpus().length - 1)]
const MICROS_PER_MS = 1000

/** CPU time of the process so far, with its threads and the children that have ended. */
const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / MICROS_PER_MS
}

/** Programs of the measured processes. @type {Record<string, () => void>} */
const programs = {
  script: () => { setTimeout(() => report({ cpuMs: cpuMs() }), SCRIPT_MS) },
  server: () => {
    const server = http.createServer((_, response) => response.end('ok'))
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      report({ listeningMs: performance.now(), port })
    })
    process.on('SIGTERM', () => {
      report({ cpuMs: cpuMs() })
      process.exit()
    })
  }
}

/** @param {object} figures */
const report = (figures) => fs.writeSync(1, `${JSON.stringify(figures)}\n`)

/**
 * A program of this file, or the files of a test runner, and the lines that it prints.
 * @param {string[]} program arguments of Node.js @param {boolean} isWatched @param {string[]} [before] its command
 */
function begin (program, isWatched, before = []) {
  const preload = isWatched ? ['--require', REGISTER] : []
  const [command, ...args] = [...before, process.execPath, ...program]
  const env = { ...process.env, LOOPWATCH_PORT: '0', NODE_OPTIONS: preload.join(' ') }
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (data) => { text += data })
  let isClosed = false
  child.once('close', () => { isClosed = true })
  /** @param {string} field */
  const field = async (field) => {
    for (;;) {
      const line = text.split('\n').find((each) => each.startsWith('{') && field in JSON.parse(each))
      if (line !== undefined) return JSON.parse(line)[field]
      if (isClosed) throw new Error(`the process ended without ${field}: ${text}`)
      await sleep(1)
    }
  }
  return { child, field, closed: once(child, 'close') }
}

/** @param {string} name @returns {string[]} */
const own = (name) => [__filename, 'run', name]

/** @param {ReturnType<typeof begin>} server @returns {Promise<number>} its CPU time */
async function end ({ child, field, closed }) {
  child.kill('SIGTERM')
  const used = await field('cpuMs')
  await closed
  return used
}

/** How long a request took, ms. @param {number} port */
async function answerMs (port) {
  const fromMs = performance.now()
  const [response] = await once(http.get({ port, host: '127.0.0.1', agent: false }), 'response')
  await response.resume().once('end', () => {})
  return performance.now() - fromMs
}

/** The 99th percentile of the answers in the first seconds. @param {number} port */
async function firstAnswers (port) {
  const untilMs = performance.now() + FIRST_MS
  /** @type {Promise<number>[]} */
  const answers = []
  while (performance.now() < untilMs) {
    answers.push(answerMs(port))
    await sleep(EVERY_MS)
  }
  const sorted = (await Promise.all(answers)).sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.99) - 1]
}

/**
 * Measurements by kind: figures of one whole process or of several.
 * @type {Record<string, (isWatched: boolean) => Promise<Record<string, number>>>}
 */
const kinds = {
  script: async (isWatched) => {
    const { field, closed } = begin(own('script'), isWatched)
    const cpu = await field('cpuMs')
    await closed
    return { 'CPU, ms': cpu }
  },
  listen: async (isWatched) => {
    const server = begin(own('server'), isWatched, ONE_CPU)
    const listeningMs = await server.field('listeningMs')
    await end(server)
    return { 'start to listening, ms': listeningMs }
  },
  quota: async (isWatched) => {
    /** @type {(() => unknown)[]} */
    const cleanUps = []
    const t = /** @type {any} */ ({ after: (/** @type {() => unknown} */ step) => cleanUps.push(step) })
    const group = makeGroup(t, 'cpu', QUOTA_CPUS)
    if (group === null) return /** @type {Record<string, number>} */ ({})
    try {
      const server = begin(own('server'), isWatched, group.command)
      const listeningMs = await server.field('listeningMs')
      const p99Ms = await firstAnswers(await server.field('port'))
      const used = await end(server)
      return { 'start to listening, ms': listeningMs, 'p99 of the first 6 s, ms': p99Ms, 'CPU, ms': used }
    } finally {
      for (const step of cleanUps) await step()
    }
  },
  crowd: async (isWatched) => {
    const servers = Array.from({ length: CROWD }, () => begin(own('server'), isWatched, ONE_CPU))
    await sleep(CROWD_MS)
    const used = await Promise.all(servers.map(end))
    return { 'CPU of all, ms': used.reduce((sum, each) => sum + each, 0) }
  },
  runner: async (isWatched) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-runner-'))
    const files = Array.from({ length: TEST_FILES }, (_, i) => path.join(dir, `${i}.test.js`))
    for (const file of files) fs.writeFileSync(file, TEST_FILE)
    const fromMs = performance.now()
    const { child, closed } = begin(['--test', '--test-concurrency=1', ...files], isWatched)
    await closed
    fs.rmSync(dir, { recursive: true })
    if (child.exitCode !== 0) throw new Error('the tests failed')
    return { 'suite, ms': performance.now() - fromMs }
  }
}

/** A suite with one process for each file. */
const TEST_FILE = `
const test = require('node:test')
const http = require('node:http')
test('answers', async () => {
  const server = http.createServer((_, response) => response.end('ok'))
  await new Promise((resolve) => server.listen(0, resolve))
  await (await fetch('http://127.0.0.1:' + server.address().port)).text()
  await new Promise((resolve) => server.close(resolve))
})
`

/** @param {number} rounds @param {string[]} names */
async function main (rounds, names) {
  for (const name of names) {
    /** @type {Record<string, { bare: number, watched: number }[]>} */
    const pairs = {}
    for (let round = 0; round < rounds; round++) {
      const isBareFirst = round % 2 === 0
      const [first, second] = [await kinds[name](!isBareFirst), await kinds[name](isBareFirst)]
      const [bare, watched] = isBareFirst ? [first, second] : [second, first]
      for (const figure of Object.keys(bare)) {
        (pairs[figure] ??= []).push({ bare: bare[figure], watched: watched[figure] })
      }
    }
    for (const [figure, each] of Object.entries(pairs)) {
      const ratios = each.map(({ bare, watched }) => watched / bare).sort((a, b) => a - b)
      const [bareMs, watchedMs] = [median(each.map(({ bare }) => bare)), median(each.map(({ watched }) => watched))]
      console.log(`${name}: ${figure}: ${bareMs.toFixed(0)} -> ${watchedMs.toFixed(0)}, x${median(ratios).toFixed(2)} ` +
        `(${ratios[0].toFixed(2)} to ${ratios[ratios.length - 1].toFixed(2)})`)
    }
    if (Object.keys(pairs).length === 0) console.log(`${name}: needs control groups, which only root may make`)
  }
}

if (process.argv[2] === 'run') programs[process.argv[3]]()
else main(Number(process.argv[2] ?? 5), process.argv.length > 3 ? process.argv.slice(3) : Object.keys(kinds))
