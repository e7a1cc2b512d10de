'use strict'

const { prefers } = require('./negotiate')
const { BUSY, json } = require('./server')
const { Turns } = require('./work-queue')

/** @typedef {import('./server').Route} Route */

/** A route that is served without the token: what it answers is no secret. @param {Route} route @param {(accept: string) => boolean} [isOpen] @returns {Route} */
const open = (route, isOpen = () => true) => Object.assign(route, { isOpen })

/** A health check: HAProxy's asks by OPTIONS where it is told no method. @param {Route} route @returns {Route} */
const check = (route) => Object.assign(route, { takesOptions: true })

const isBrowser = (/** @type {string} */ accept) => accept.includes('text/html')

/** A file of the page, read when it is asked for. @param {keyof typeof import('../page/parts').PARTS} name @returns {Route} */
const part = (name) => ({ etag }) => require('../page/assets').readPart(name, etag)

/** Routes whose answers are made of every stack in memory, one answer at a time. @param {(asked: import('./server').Asked) => import('./server').Reply | Promise<import('./server').Reply>} route @param {Turns} turns @returns {Route} */
const heavy = (route, turns) => (asked) => turns.take(() => route(asked)) ?? BUSY

/**
 * What the endpoint serves, by path.
 * @param {object} sources
 * @param {Pick<import('../prometheus/metrics').Metrics, 'contentType' | 'render'>} sources.metrics
 * @param {() => number} sources.blockedMs by the block in progress, 0 without one
 * @param {() => { worker: number, blockedMs: number }[] | null} sources.workers of the cluster this process leads
 * @param {() => import('../../types').BlockRecord[]} sources.blocks newest first, the one in progress up to date
 * @param {(id: string) => import('../../types').BlockRecord | undefined} sources.block with all its stacks
 * @param {() => import('../../types').BlockRecord[]} sources.records newest first, each with all its stacks
 * @param {(id: string) => string | undefined} sources.profile of one block, as a .cpuprofile
 * @param {{ connect: () => import('./server').Reply }} sources.page
 * @returns {Record<string, Route>}
 */
exports.makeRoutes = ({ metrics, blockedMs, workers, blocks, block, records, profile, page }, turns = new Turns()) => ({
  '/': open((asked) => isBrowser(asked.accept)
    ? part('index.html')(asked)
    : json({ name: 'loopwatch', endpoints: ['/metrics', '/healthz', '/blocks', '/blocks/:id', '/profile'] }), isBrowser),

  '/page.js': open(part('page.js')),

  '/page.css': open(part('page.css')),

  '/events': () => page.connect(),

  '/flame': heavy(async () => json(await require('../profiles/flame-of-records').flameOf(records())), turns),

  '/metrics': async ({ accept }) => {
    const openMetrics = prefers(accept, 'application/openmetrics-text', 'text/plain')
    return { status: 200, type: metrics.contentType(openMetrics), body: await metrics.render(openMetrics) }
  },

  // ?ms= is how long a block a liveness probe is willing to overlook.
  '/healthz': check(open(({ query }) => {
    const text = query.get('ms') ?? '0'
    const toleratedMs = Number(text)
    // Taken for 0, a mistake would show with the first block alone, and restart the service then;
    // taken for Infinity, as 1e309 is, the probe would overlook every block.
    const isNumber = text.trim() !== '' && toleratedMs >= 0 && toleratedMs < Infinity
    if (!isNumber) return json({ error: 'ms takes a number from 0 on' }, 400)
    const ms = Math.round(blockedMs())
    const all = workers()
    const blocked = all?.filter((each) => each.blockedMs > toleratedMs)
    const isDown = ms > toleratedMs || (blocked !== undefined && blocked.length > 0 && blocked.length === all?.length)
    return json({ status: isDown ? 'blocked' : 'ok', blockedMs: ms, ...(all && { workers: { joined: all.length, blocked } }) }, isDown ? 503 : 200)
  })),

  '/blocks': () => json(blocks()),

  '/blocks/:id': ({ id }) => {
    const record = block(id)
    return record ? json(record) : require('../profiles/profiles').fileOf(id, block, profile) ?? json({ error: 'no such block in memory' }, 404)
  },

  '/profile': heavy(({ query }) => require('../profiles/profiles').profileOf(records(), query), turns)
})
