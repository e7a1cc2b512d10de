'use strict'

// The price of watching a pool of 8 worker threads, compared with watching the main thread alone:
// node scenarios/overhead/server/threads.js [--pairs 15] [--seconds 1] [--atomics sync|disabled] [--watch auto]
// [--against threads-off|off] A watched and an unwatched process live side by side; short bursts of
// tasks and of requests go to the one and the other in turn and are compared pair by pair, while its pool computes or
// idles.
const { fork } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { parseArgs } = require('node:util')
const { driver, load } = require('./load')
const { print } = require('../report/spread')

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '1' },
    atomics: { type: 'string', default: 'sync' },
    watch: { type: 'string', default: 'auto' },
    against: { type: 'string', default: 'threads-off' }
  }
})
const pairs = Number(values.pairs)
const seconds = Number(values.seconds)
const IDLE_S = 5
const SHORT_MS = 0
/** Long enough to be a block each: the pool is busy by design. */
const LONG_MS = 150

class Pool {
  /** @param {string} watch */
  constructor (watch) {
    this.process = fork(path.join(__dirname, 'pool.js'), { env: { ...process.env, WATCH: watch, ATOMICS: values.atomics }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    this.url = ''
  }

  async ready () {
    const [port] = await once(this.process, 'message')
    this.url = `http://127.0.0.1:${port}/`
  }

  /**
   * @param {{ seconds?: number, taskMs?: number }} order
   * @returns {Promise<{ tasksPerSecond: number, cpuMs: number, rssMb: number }>}
   */
  async tell (order) {
    this.process.send(order)
    return (await once(this.process, 'message'))[0]
  }

  /** @param {number} taskMs */
  async tasks (taskMs) {
    return (await this.tell({ seconds, taskMs })).tasksPerSecond
  }

  /** Requests a second, while the pool computes. */
  async requests () {
    const [{ requestsPerSecond }] = await Promise.all([
      load(this.url, seconds),
      this.tell({ seconds, taskMs: LONG_MS })
    ])
    return requestsPerSecond
  }

  /** CPU time in % of a core. */
  async idle () {
    const from = await this.tell({})
    await sleep(IDLE_S * 1000)
    return ((await this.tell({})).cpuMs - from.cpuMs) / (IDLE_S * 10)
  }
}

/**
 * Watched over unwatched, pair by pair, in turn.
 * @param {Pool} bare @param {Pool} watched @param {(pool: Pool) => Promise<number>} measure @param {number} count
 */
async function compare (bare, watched, measure, count) {
  const figures = /** @type {{ bare: number, watched: number }[]} */ ([])
  for (let i = 0; i < count; i++) {
    const figure = { bare: 0, watched: 0 }
    for (const key of /** @type {('bare' | 'watched')[]} */ (i % 2 === 0 ? ['bare', 'watched'] : ['watched', 'bare'])) {
      figure[key] = await measure(key === 'bare' ? bare : watched)
    }
    figures.push(figure)
  }
  return figures
}

async function main () {
  console.log(`Node ${process.version}, ${driver}, ${pairs} pairs of ${seconds} s, piscina pool of 8 (atomics: ${values.atomics}), threads: ${values.watch} against ${values.against}`)
  const bare = new Pool(values.against)
  const watched = new Pool(values.watch)
  await Promise.all([bare.ready(), watched.ready()])
  await sleep(2000)
  const idle = await compare(bare, watched, (pool) => pool.idle(), 5)
  print('idle CPU, watched, % of a core', idle.map((each) => each.watched), 2)
  print('idle CPU, unwatched, % of a core', idle.map((each) => each.bare), 2)
  for (const pool of [bare, watched]) await pool.tasks(SHORT_MS)
  const ratios = (/** @type {{ bare: number, watched: number }[]} */ figures) =>
    figures.map((each) => each.watched / each.bare)
  print('short tasks/s, watched / unwatched', ratios(await compare(bare, watched, (pool) => pool.tasks(SHORT_MS), pairs)), 3)
  print(`tasks of ${LONG_MS} ms/s, watched / unwatched`, ratios(await compare(bare, watched, (pool) => pool.tasks(LONG_MS), pairs)), 3)
  print('requests/s of the host, pool busy, watched / unwatched', ratios(await compare(bare, watched, (pool) => pool.requests(), pairs)), 3)
  const [from, to] = [await bare.tell({}), await watched.tell({})]
  print('RSS after the load, watched - unwatched, MB', [to.rssMb - from.rssMb], 1)
  for (const pool of [bare, watched]) pool.process.kill()
}

main()
