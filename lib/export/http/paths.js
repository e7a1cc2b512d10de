'use strict'

const { BUSY, download, json, refusal } = require('./server')
const { WorkQueue } = require('./work-queue')

/** @import { BlockRecord, SlowIncident } from '../../types' */
/** @import { Metrics } from '../prometheus/metrics' */
/** @import { Handler, PathRequest, Reply } from './server' */

/** Requires no token. @param {Handler} handler @param {(accept: string) => boolean} [isOpen] @returns {Handler} */
const open = (handler, isOpen = () => true) => Object.assign(handler, { isOpen })

/** Answers OPTIONS like GET: HAProxy's health check uses it by default. @param {Handler} handler */
const check = (handler) => Object.assign(handler, { takesOptions: true })

const NO_BLOCK = refusal('no such block in memory', 404)

const INDEX = {
  name: 'loopwatch',
  endpoints: [
    '/metrics', '/healthz', '/blocks', '/blocks/:id', '/block', '/slow', '/profile', '/timeline', '/recording',
    '/runbook', '/causes'
  ]
}

/** @param {string} accept */
const isBrowser = (accept) => accept.includes('text/html')

/** Reads the file at each request. @param {keyof typeof import('../page/assets').PARTS} name @returns {Handler} */
const part = (name) => ({ etag, acceptEncoding }) =>
  require('../page/assets').readPart(name, etag, (qualityOf(acceptEncoding, 'gzip') ?? 0) > 0)

/** Parameters that choose blocks, see query-filter.js. */
const FILTERS = [
  'seconds', 'from', 'to', 'cause', 'work', 'route',
  'file', 'line', 'function', 'culprit', 'text', 'aside'
]

/**
 * Refuses other parameters: a misspelt one must not pass for all blocks.
 * @param {string[]} names @param {Handler} handler @returns {Handler}
 */
const taking = (names, handler) => (request) => {
  if ([...request.query.keys()].every((name) => names.includes(name))) return handler(request)
  return refusal(`this path takes ${names.length === 0 ? 'no parameters' : `only ${names.join(', ')}`}`)
}

/**
 * Queues a handler that reads every stack in memory.
 * @param {(request: PathRequest) => Reply | Promise<Reply>} handler @param {WorkQueue} queue @returns {Handler}
 */
const heavy = (handler, queue) => (request) => queue.add(() => handler(request)) ?? BUSY

/** Loads the writers of profiles at the first request for one. */
const loadProfiles = () => require('../profiles/profiles')

/** Paths of the same files in every process. @type {Record<string, Handler>} */
const FILES = {
  '/page.js': open(part('page.js')),
  '/page.css': open(part('page.css')),
  '/runbook': open(part('runbook.html')),
  '/causes': open(part('causes.html'))
}

/**
 * @param {object} sources
 * @param {Pick<Metrics, 'contentType' | 'render'>} sources.metrics
 * @param {() => number} sources.blockedMs how long the block in progress has lasted, 0 without one
 * @param {() => { worker: number, blockedMs: number }[] | null} sources.workers null if this is not a cluster's primary
 * @param {() => BlockRecord[]} sources.blocks newest first; those in progress are up to date
 * @param {(id: string) => BlockRecord | undefined} sources.block with all its stacks
 * @param {(id: string) => object | null} sources.detail record, source and advice of one block
 * @param {() => SlowIncident[]} sources.incidents oldest first
 * @param {() => BlockRecord[]} sources.records newest first, each with all its stacks
 * @param {(query: URLSearchParams) => Reply | Promise<Reply>} sources.timeline
 * @param {() => Buffer | Promise<Buffer>} sources.recording a file
 * @param {{ connect: () => Reply }} sources.page
 * @returns {Record<string, Handler>}
 */
exports.makePaths = (sources, queue = new WorkQueue()) => ({
  '/': open((request) => isBrowser(request.accept) ? part('index.html')(request) : json(INDEX), isBrowser),

  ...FILES,

  '/events': () => sources.page.connect(),

  '/flame': taking(FILTERS, heavy(({ query }) => loadProfiles().answerFlame(sources.records(), query), queue)),

  '/timeline': taking(['from', 'to'], heavy(({ query }) => sources.timeline(query), queue)),

  '/recording': taking([], heavy(async () =>
    download(`loopwatch-${process.pid}.loopwatch`, 'application/gzip', await sources.recording()), queue)),

  '/metrics': async ({ accept }) => {
    const openMetrics = prefers(accept, 'application/openmetrics-text', 'text/plain')
    const { metrics } = sources
    return { status: 200, type: metrics.contentType(openMetrics), body: await metrics.render(openMetrics) }
  },

  '/healthz': check(open(({ query }) => health(query.get('ms') ?? '0', sources.blockedMs(), sources.workers()))),

  '/blocks': taking(['limit', 'since'], ({ query }) => blocksBy(sources.blocks(), query)),

  '/block': taking(['id'], ({ query }) => {
    const detail = sources.detail(query.get('id') ?? '')
    return detail === null ? NO_BLOCK : json(detail)
  }),

  '/blocks/:id': taking([], ({ id }) => {
    const record = sources.block(id)
    return record ? json(record) : loadProfiles().fileOf(id, sources.block) ?? NO_BLOCK
  }),

  '/slow': taking([], () => json([...sources.incidents()].reverse())),

  '/profile': taking(['format', 'group', ...FILTERS],
    heavy(({ query }) => loadProfiles().profileOf(sources.records(), query), queue))
})

/**
 * Whether an Accept header wants a type at least as much as another one. The header must name the type. A client that
 * accepts anything gets the other one.
 * @param {string} accept @param {string} type @param {string} other
 */
function prefers (accept, type, other) {
  const wanted = qualityOf(accept, type) ?? 0
  // The most specific range that covers the other type decides.
  const ranges = [other, other.replace(/\/.*/, '/*'), '*/*']
  const instead = ranges.map((range) => qualityOf(accept, range)).find((quality) => quality !== null) ?? 0
  return wanted > 0 && wanted >= instead
}

/** The quality of a type or range, 0 to 1: the highest if listed twice. @param {string} accept @param {string} type */
function qualityOf (accept, type) {
  /** @type {number | null} */
  let most = null
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim())
    if (name !== type) continue
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    most = Math.max(most ?? 0, quality === undefined ? 1 : Number(quality.slice(2)) || 0)
  }
  return most
}

/** @param {BlockRecord[]} blocks newest first @param {URLSearchParams} query @returns {Reply} */
function blocksBy (blocks, query) {
  const { limit = String(blocks.length || 1), since = '0' } = Object.fromEntries(query)
  const sinceMs = /^\d+$/.test(since) ? Number(since) : Date.parse(since)
  if (!/^[1-9]\d*$/.test(limit)) return refusal('limit takes a whole number of at least 1')
  if (Number.isNaN(sinceMs)) return refusal('since takes a time: Unix ms, or ISO such as 2026-11-22T10:00:00Z')
  const later = blocks.filter(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs >= sinceMs)
  return json(later.slice(0, Number(limit)))
}

/**
 * A liveness probe gets 503 if the loop is blocked, or if all workers of the cluster are.
 * @param {string} text `?ms=`: the probe overlooks blocks up to this long @param {number} blockedMs
 * @param {{ worker: number, blockedMs: number }[] | null} workers
 */
function health (text, blockedMs, workers) {
  const toleratedMs = Number(text)
  // If a mistake were read as 0, it would only show at the first block, which would then restart the service. 1e309 is
  // read as Infinity: the probe would overlook every block.
  const isNumber = text.trim() !== '' && toleratedMs >= 0 && toleratedMs < Infinity
  if (!isNumber) return refusal('ms takes a number of at least 0')
  const ms = Math.round(blockedMs)
  const blocked = workers?.filter((each) => each.blockedMs > toleratedMs)
  const areAllBlocked = blocked !== undefined && blocked.length > 0 && blocked.length === workers?.length
  const isDown = ms > toleratedMs || areAllBlocked
  const status = isDown ? 'blocked' : 'ok'
  const ofWorkers = workers && { workers: { joined: workers.length, blocked } }
  return json({ status, blockedMs: ms, ...ofWorkers }, isDown ? 503 : 200)
}
