'use strict'

// A budget of what the agent costs, in numbers that no busy machine changes. A change that needs more raises a limit
// here, and says so in its commit. Wake-ups are in rest.alone.test.js.
// runtime: the heap that following a request takes
const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const path = require('node:path')
const { createMemory } = require('../../lib/bridge/memory')
const { hasContextFrame } = require('../../lib/host/runtime')
const { median } = require('../../lib/util/statistics')

const ROOT = path.join(__dirname, '..', '..')
const REQUESTS = path.join(ROOT, 'test', 'fixtures', 'request-bytes.js')
const MB = 1024 * 1024
/** Files of this package and of its dependencies. The host's are read before the application's first line. */
const MOST_MODULES = { tool: 8, host: 57, lookout: 5, outpost: 20, watchdog: 116 }
const MOST_BRIDGE_BYTES = 2.6 * MB
/**
 * CPU time of a script of a second with the preload, all threads, against the same script alone: 4 to 8 on Node.js 22
 * to 26. A busy machine slows both.
 */
const MOST_START_RATIO = 12
/** The request's context and what follows it; before Node.js 24 async_hooks follow it, which takes more. */
const MOST_BYTES_A_REQUEST = hasContextFrame() ? 1600 : 2600

/** Modules in one step of loading the watchdog next to an application that serves; pino is 29. */
const MOST_IN_A_STEP = 30

/** @param {string[]} args */
const node = (...args) => JSON.parse(execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' }))

/** @param {string} code that loads */
const modulesAfter = (code) => node('-e', `${code}; console.log(Object.keys(require.cache).length); process.exit()`)

test('as few modules are loaded at start as today', () => {
  const host = modulesAfter("require('./lib').start({ port: 0, log: false })")
  const watchdog = modulesAfter("require('./lib/watchdog/watchdog')")
  const script = modulesAfter("require('./lib/register')")
  const lookout = modulesAfter("require('./lib/watchdog/lookout')")
  const outpost = modulesAfter("require('./lib/watchdog/outpost')")
  assert.ok(script <= MOST_MODULES.tool, `${script} modules in a process that is no application`)
  assert.ok(lookout <= MOST_MODULES.lookout, `${lookout} modules in the watchdog's thread of a script`)
  assert.ok(outpost <= MOST_MODULES.outpost, `${outpost} modules in the same thread after a late beat`)
  assert.ok(host <= MOST_MODULES.host, `${host} modules in the application's thread`)
  assert.ok(watchdog <= MOST_MODULES.watchdog, `${watchdog} modules in the watchdog's thread`)
})

test('next to an application that serves, the watchdog loads in small steps, and nothing is left for the last one', () => {
  const counts = node('-e', `
    const loaded = () => Object.keys(require.cache).length
    const steps = require('./lib/watchdog/load-steps').stepsOf({ log: true, port: 0 })
    const counts = [...steps, () => require('./lib/watchdog/watchdog')].map((step) => {
      const before = loaded()
      step()
      return loaded() - before
    })
    console.log(JSON.stringify(counts))`)
  assert.equal(counts.pop(), 0)
  assert.ok(Math.max(...counts) <= MOST_IN_A_STEP, `${counts}`)
})

test('a start takes as little CPU time of the whole process, against a bare one, as today', () => {
  const script = path.join(ROOT, 'test', 'fixtures', 'second.js')
  const cpuMs = /** @type {Record<'bare' | 'watched', number[]>} */ ({ bare: [], watched: [] })
  for (let i = 0; i < 3; i++) {
    cpuMs.bare.push(node(script))
    cpuMs.watched.push(node('--require', './lib/register', script))
  }
  const ratio = median(cpuMs.watched) / median(cpuMs.bare)
  assert.ok(ratio <= MOST_START_RATIO, `${ratio.toFixed(1)} times the CPU time: ${JSON.stringify(cpuMs)} ms`)
})

test('the memory that both threads share is as small as today', () => {
  const { byteLength } = createMemory()
  assert.ok(byteLength <= MOST_BRIDGE_BYTES, `${byteLength} bytes`)
})

test('a request takes as little of the heap as today', () => {
  const young = ['--expose-gc', '--max-semi-space-size=512', '--min-semi-space-size=512']
  const bytes = (/** @type {string} */ kind) => Number(median(node(...young, REQUESTS, kind)))
  const [watched, bare] = [bytes('watched'), bytes('bare')]
  assert.ok(watched - bare <= MOST_BYTES_A_REQUEST, `${watched - bare} bytes above ${bare}`)
})

test('starting takes none of the memory that switches on V8\'s memory reducer', () => {
  assert.equal(node(path.join('test', 'fixtures', 'embedder-bytes.js')), 0)
})

test('nextTick() is as fast after full collections at rest as before them', () => {
  const { before, after } = node('--expose-gc', '-e', `
    require('./lib').start({ port: 0, log: false })
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
    /** The best of many, so that no busy machine counts. */
    const cost = async () => {
      let leastMs = Infinity
      for (let i = 0; i < 40; i++) {
        const from = performance.now()
        for (let tick = 0; tick < 1000; tick++) process.nextTick(() => {})
        leastMs = Math.min(leastMs, performance.now() - from)
        await pause(0)
      }
      return leastMs
    }
    const told = async () => {
      const before = await cost()
      for (let i = 0; i < 3; i++) {
        gc()
        await pause(100)
      }
      console.log(JSON.stringify({ before, after: await cost() }))
      process.exit()
    }
    told()`)
  assert.ok(after < 3 * before, `${before} ms before, ${after} after (6 to 16 times as long if no tick is kept)`)
})
