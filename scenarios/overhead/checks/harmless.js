'use strict'

// The same small server twice at once, bare and watched with everything by default, and each request to both of them,
// one after the other:
//   node scenarios/overhead/checks/harmless.js 20       for 20 minutes
// Prints the times of both and the number of different answers by route. Exits with 1 if a request hung, an answer
// differed, or a p99.9 is above 1.5 of the bare one.
const { fork } = require('node:child_process')
const crypto = require('node:crypto')
const http = require('node:http')
const { setTimeout: sleep } = require('node:timers/promises')
const vm = require('node:vm')

const MINUTES = 20
const MS_PER_MINUTE = 60000
/** No route takes a second, even while the job runs. */
const HUNG_MS = 10000
const MOST_RATIO = 1.5
/** Requests to the same route in one round: routes that take less time come more often. */
const ROUND = { '/small': 40, '/vm': 5, '/pbkdf2': 5, '/json': 2, '/objects': 2, '/timers': 5, '/awaits': 2, '/vm-ended': 1 }
const KINDS = ['bare', 'watched']
const JOB_EACH_MS = 1000
const JOB_MS = 100
/** Responses that waited for the job arrive within this time after it. */
const BACKLOG_MS = 5
/** The row of requests that met the job. There are too few in each route: chance would decide its p99.9. */
const MET_JOB = 'met the job'
/** Just above the default threshold: the agent asks where the thread is shortly before the script is ended. */
const SCRIPT_MS = 60
/** A script that ends by itself does so by then, however busy the machine is. */
const LONGEST_SCRIPT_MS = 5000
const JSON_BYTES = 3e6
const PBKDF2_MS = 5

/** @typedef {{ url: string, stop: () => void }} Server */

const rows = Array.from({ length: 30000 }, (_, id) => ({ id, name: `customer ${id}`, tags: ['a', 'b'], isOpen: id % 3 === 0 }))

/** Text of JSON of about 3 MB. */
function makeJson () {
  const row = JSON.stringify(rows.slice(0, 100)).slice(1, -1)
  return `[${Array(Math.ceil(JSON_BYTES / row.length)).fill(row).join(',')}]`
}

/** Iterations of PBKDF2 that take 5 ms here. */
function calibrate () {
  const count = 10000
  let leastMs = Infinity
  for (let i = 0; i < 5; i++) {
    const startMs = performance.now()
    crypto.pbkdf2Sync('password', 'salt', count, 64, 'sha512')
    leastMs = Math.min(leastMs, performance.now() - startMs)
  }
  return Math.round(count * PBKDF2_MS / leastMs)
}

async function manyAwaits () {
  let sum = 0
  for (let i = 0; i < 200_000; i++) sum += await i
  return `${sum}`
}

async function manyTimers () {
  const all = Array.from({ length: 500 }, (_, i) => sleep(i % 6, i))
  return `${(await Promise.all(all)).reduce((sum, i) => sum + i, 0)}`
}

function manyObjects () {
  const copies = rows.map((row) => ({ ...row, tags: [...row.tags], at: { id: row.id } }))
  return `${copies.filter(({ isOpen }) => isOpen).length} of ${copies.length}`
}

/** @param {string} script @param {number} timeout */
function runScript (script, timeout) {
  try {
    return `${vm.runInNewContext(script, { n: 1000 }, { timeout })}`
  } catch (error) {
    return `${error.code}`
  }
}

/** @param {number} iterations @returns {Record<string, () => string | Promise<string>>} */
function routesOf (iterations) {
  const json = makeJson()
  return {
    '/small': () => 'ok',
    '/awaits': manyAwaits,
    '/timers': manyTimers,
    '/objects': manyObjects,
    '/vm': () => runScript('let sum = 0; for (let i = 0; i < n; i++) sum += i; sum', LONGEST_SCRIPT_MS),
    '/vm-ended': () => runScript('while (true) {}', SCRIPT_MS),
    '/pbkdf2': () => crypto.pbkdf2Sync('password', 'salt', iterations, 64, 'sha512').toString('hex'),
    '/json': () => `${JSON.parse(json).length}`
  }
}

/** The work of a child process. @param {string} kind @param {number} iterations */
function serve (kind, iterations) {
  if (kind === 'watched') require('../../../lib').start({ port: 0, log: false })
  const routes = routesOf(iterations)
  let jobEndMs = -Infinity
  const server = http.createServer(async (request, response) => {
    const startMs = performance.now()
    const text = await routes[`${request.url}`]()
    response.setHeader('met-job', jobEndMs > startMs - BACKLOG_MS ? 1 : 0)
    response.end(text)
  })
  setInterval(() => {
    jobEndMs = performance.now() + JOB_MS
    while (performance.now() < jobEndMs);
  }, JOB_EACH_MS)
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () => process.send?.(/** @type {import('node:net').AddressInfo} */ (server.address()).port))
}

/** @param {string} kind @param {number} iterations @returns {Promise<Server>} */
async function startServer (kind, iterations) {
  // Options come from variables, too.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LOOPWATCH_')))
  const child = fork(__filename, ['serve', kind, String(iterations)], { env })
  const port = await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`the ${kind} server ended with ${code}`)))
  })
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') }
}

const agent = new http.Agent({ keepAlive: true })

/** @typedef {{ ms: number, text: string, isHung: boolean, hasMetJob: boolean }} Answer */

/** @param {string} url @returns {Promise<Answer>} */
function ask (url) {
  const startMs = performance.now()
  return new Promise((resolve) => {
    const end = (/** @type {string} */ text, isHung = false, hasMetJob = false) =>
      resolve({ ms: performance.now() - startMs, text, isHung, hasMetJob })
    const request = http.get(url, { agent, signal: AbortSignal.timeout(HUNG_MS) }, async (response) => {
      try {
        const text = (await response.toArray()).join('')
        end(`${response.statusCode} ${text}`, false, response.headers['met-job'] === '1')
      } catch (error) {
        end(error.message, error.name === 'AbortError')
      }
    })
    request.on('error', (error) => end(error.message, error.name === 'AbortError'))
  })
}

class Result {
  /** @type {Record<string, number[]>} */
  ms = { bare: [], watched: [] }
  asked = 0
  differ = 0
  hung = 0

  /** @param {number} q @returns {number[]} bare, watched, ratio */
  quantile (q) {
    const [bare, watched] = KINDS.map((kind) => {
      const sorted = this.ms[kind].toSorted((a, b) => a - b)
      return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN
    })
    return [bare, watched, watched / bare]
  }
}

/**
 * One request to both servers. A server whose request hung is started again.
 * @param {Record<string, Server>} servers
 * @param {string} path
 * @param {Map<string, Result>} results
 * @param {number} iterations
 */
async function askBoth (servers, path, results, iterations) {
  const result = /** @type {Result} */ (results.get(path))
  // Neither is always the first: what one leaves in the machine's caches the other finds.
  const order = result.asked++ % 2 === 0 ? KINDS : KINDS.toReversed()
  /** @type {string[]} */
  const texts = []
  for (const kind of order) {
    const { ms, text, isHung, hasMetJob } = await ask(servers[kind].url + path)
    results.get(hasMetJob ? MET_JOB : path)?.ms[kind].push(ms)
    texts.push(text)
    if (!isHung) continue
    result.hung++
    servers[kind].stop()
    servers[kind] = await startServer(kind, iterations)
  }
  if (texts[0] !== texts[1]) {
    if (++result.differ === 1) console.log(`${path}: ${order[0]} ${texts[0].slice(0, 100)}, ${order[1]} ${texts[1].slice(0, 100)}`)
  }
}

/** @param {string} path @param {Result} result @returns {boolean} whether the agent has done no harm */
function print (path, result) {
  const quantiles = [0.5, 0.99, 0.999].map((q) => result.quantile(q))
  const cells = quantiles.map(([bare, watched, ratio]) => `${bare.toFixed(1)}, ${watched.toFixed(1)}, ${ratio.toFixed(2)}`)
  console.log([path, result.ms.bare.length, ...cells, result.differ, result.hung].join(' | '))
  return result.differ === 0 && result.hung === 0 && !(quantiles[2][2] > MOST_RATIO)
}

async function main () {
  const endMs = performance.now() + Number(process.argv[2] ?? MINUTES) * MS_PER_MINUTE
  const iterations = calibrate()
  /** @type {Record<string, Server>} */
  const servers = {}
  for (const kind of KINDS) servers[kind] = await startServer(kind, iterations)
  const makeResults = () => new Map([...Object.keys(ROUND), MET_JOB].map((row) => [row, new Result()]))
  // The first requests of a server mostly measure compilation.
  const first = makeResults()
  for (const path of Object.keys(ROUND)) await askBoth(servers, path, first, iterations)
  const results = makeResults()
  while (performance.now() < endMs) {
    for (const [path, times] of Object.entries(ROUND)) {
      for (let i = 0; i < times; i++) await askBoth(servers, path, results, iterations)
    }
  }
  for (const kind of KINDS) servers[kind].stop()
  agent.destroy()
  console.log(`${process.version}\nroute | requests | p50: bare, watched (ms), ratio | p99 | p99.9 | answers that differ | hung`)
  const isHarmless = [...results].map(([path, result]) => print(path, result)).every(Boolean)
  process.exitCode = isHarmless ? 0 : 1
}

if (process.argv[2] === 'serve') serve(process.argv[3], Number(process.argv[4]))
else main()
