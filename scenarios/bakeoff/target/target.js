'use strict'

// The process that is watched: a contestant as its documentation sets it up, then the application, whose
// routes block its event loop. Its orders come in BAKEOFF_ORDER, its reports go to stdout.
const { once } = require('node:events')
const http = require('node:http')
const path = require('node:path')
const { PerformanceObserver } = require('node:perf_hooks')
const { setTimeout: sleep } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const { measured, tell } = require('./channel')
const { contestants, THRESHOLD_MS } = require('../contestants')
const { corpus } = require('../corpus/corpus')
const { THREAD } = require('./thread-name')

const TURN_MS = 100
/** A pause of the collector that somebody may take for a block, as it is one. */
const PAUSE_MS = 40
const order = JSON.parse(process.env.BAKEOFF_ORDER ?? '')
// Its children are not targets.
delete process.env.BAKEOFF_ORDER

/** @param {Record<string, unknown>} fields */
const report = (fields) => tell('report', { atMs: Date.now(), ...fields })

/** @typedef {import('../contestants').Watching} Watching */

/** Loads a module by a name that TypeScript does not resolve. @param {string} name @returns {any} */
const load = (name) => require(name)

/** @type {Worker | undefined} while a case needs it */
let thread
/** The commands of the cell. @type {Record<string, () => unknown>} */
const threadOrders = {
  '/thread/start': async () => {
    thread = new Worker(path.join(__dirname, 'thread.js'), { name: THREAD, workerData: { contestant: order.contestant, ms: order.ms } })
    await once(thread, 'online')
  },
  '/thread/end': () => thread?.terminate()
}

async function askThread () {
  thread?.postMessage('block')
  await once(/** @type {Worker} */ (thread), 'message')
}

function watchPauses () {
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      const startMs = performance.timeOrigin + startTime
      if (duration >= PAUSE_MS) tell('pause', { startMs, endMs: startMs + duration })
    }
  }).observe({ entryTypes: ['gc'] })
}

/**
 * @typedef {object} BlockModule
 * @property {Record<string, (ms: number) => unknown>} blocks
 * @property {() => Promise<void>} [prepare]
 * @property {(router: any) => void} [mountExpress] handlers of its own
 * @property {(scope: any) => void} [mountFastify]
 * @property {(app: any) => void} [mountKoa]
 */

/**
 * The modules of these sets, as a process is no larger for blocks that it is not asked for; the one of the warm-up is
 * always there.
 * @param {{ sets: import('../corpus/corpus').Case['set'][], only?: string }} order only: one module
 * @returns {Promise<Record<string, BlockModule>>}
 */
async function loadModules ({ sets, only }) {
  const ofSets = corpus.filter(({ set, module }) => sets.includes(set) && (only === undefined || module === only))
  const names = new Set(['blocks', ...ofSets.map(({ module }) => module)])
  const modules = Object.fromEntries([...names].map((name) => [name, load(`../corpus/${name}`)]))
  for (const { prepare } of Object.values(modules)) await prepare?.()
  return modules
}

/** The route of a handler that a module mounts itself. @param {string} url */
const templateOf = (url) => url.replace(/^\/(shop|api)\/17\//, '/$1/:id/')

async function main () {
  watchPauses()
  const contestant = contestants[order.contestant]
  const packages = contestant.packages.map(load)
  const started = contestant.start({ packages, report, thresholdMs: THRESHOLD_MS })
  // Most need no turn of the loop, so that what comes is still at the top level.
  /** @type {Watching} */
  const watching = (started instanceof Promise ? await started : started) ?? {}
  if (order.startsBlocked) {
    require('../corpus/at-top-level')
    // Loading the modules below is not part of that block.
    await sleep(TURN_MS)
  }

  const places = require('../corpus/places')
  const { ways, together } = places
  const modules = await loadModules(order)
  const isHandled = (/** @type {import('../corpus/corpus').Case} */ { kind, module }) =>
    kind !== 'startup' && kind !== 'together' && kind !== 'mounted' && module in modules
  const handlers = Object.fromEntries(corpus.filter(isHandled).map(({ name, module, kind }) => {
    const block = modules[module].blocks[name]
    if (kind === 'thread') return [name, () => askThread()]
    return [name, async () => {
      await null
      await new Promise((resolve) => setImmediate(resolve))
      const run = () => measured(name, () => block(order.ms))
      await (ways[name] ?? ((run) => run()))(run)
    }]
  }))

  const inRequest = watching.inRequest ?? ((/** @type {string} */ _, /** @type {() => unknown} */ run) => run())
  const server = http.createServer(async (request, response) => {
    const name = /** @type {string} */ (request.url).slice(1)
    if (name in together) {
      inRequest(`/${name}`, () => { measured(name, together[name]) })
      return response.end('{}')
    }
    if (name === 'gate') places.gate()
    if (watching.onPlain?.(request, response)) return
    await threadOrders[`${request.url}`]?.()
    if (name in handlers) await inRequest(`/${name}`, handlers[name])
    response.end('{}')
  })
  const ofServer = (/** @type {string} */ which) =>
    corpus.filter(({ server, name }) => server === which && name in handlers)

  /** Those mounted by their modules are in a request as well. @param {http.RequestListener} listener */
  const asRequest = (listener) =>
    watching.inRequest === undefined
      ? listener
      : (/** @type {http.IncomingMessage} */ request, /** @type {any} */ response) =>
          inRequest(templateOf(`${request.url}`), () => listener(request, response))

  const express = load('express')
  const app = express()
  watching.onExpress?.(app)
  const router = express.Router()
  for (const { name, route } of ofServer('express')) {
    router.get(`/:id/${name}`, async (/** @type {any} */ _, /** @type {any} */ response) => {
      await inRequest(`${route}`, handlers[name])
      response.json({})
    })
  }
  for (const { mountExpress } of Object.values(modules)) mountExpress?.(router)
  app.use('/shop', router)

  const fastify = require('fastify').fastify({
    serverFactory: (/** @type {http.RequestListener} */ listener) => http.createServer(asRequest(listener))
  })
  watching.onFastify?.(fastify)
  fastify.get('/calm', async () => ({}))
  fastify.register(async (/** @type {any} */ scope) => {
    for (const { name, route } of ofServer('fastify')) scope.get(`/:id/${name}`, async () => { await inRequest(`${route}`, handlers[name]); return {} })
    for (const { mountFastify } of Object.values(modules)) mountFastify?.(scope)
  }, { prefix: '/api' })

  const mountsOfKoa = Object.values(modules).flatMap(({ mountKoa }) => mountKoa ?? [])
  const koa = mountsOfKoa.length === 0 ? null : new (load('koa'))()
  for (const mountKoa of mountsOfKoa) mountKoa(koa)

  const listening = (/** @type {http.Server} */ each) => new Promise((resolve) => each.listen(0, '127.0.0.1', () => resolve(/** @type {import('node:net').AddressInfo} */ (each.address()).port)))
  const ports = {
    plain: await listening(server),
    express: await listening(http.createServer(asRequest(app))),
    fastify: Number(new URL(await fastify.listen({ port: 0, host: '127.0.0.1' })).port),
    ...(koa !== null && { koa: await listening(http.createServer(asRequest(koa.callback()))) })
  }
  const endpoint = await watching.endpoint?.(ports) ?? null
  // Inputs that are made on the first call are not part of a block.
  if (order.prepares) modules.blocks.blocks.jsonParse(order.ms)
  tell('ready', { ports, endpoint })
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
