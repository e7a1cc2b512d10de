'use strict'

const { json } = require('./http-server')

/**
 * What the endpoint serves, by path.
 * @param {object} sources
 * @param {Pick<import('./metrics').Metrics, 'contentType' | 'render'>} sources.metrics
 * @param {() => number} sources.blockedMs by the block in progress, 0 without one
 * @param {() => { worker: number, blockedMs: number }[] | null} sources.workers of the cluster this process leads
 * @param {() => import('../store/record').BlockRecord[]} sources.blocks newest first, the one in progress up to date
 * @param {(id: string) => import('../store/record').BlockRecord | undefined} sources.block with all its stacks
 * @returns {Record<string, import('./http-server').Route>}
 */
exports.makeRoutes = ({ metrics, blockedMs, workers, blocks, block }) => ({
  '/': () => json({ name: 'loopwatch', endpoints: ['/metrics', '/healthz', '/blocks', '/blocks/:id'] }),

  '/metrics': async ({ accept }) => {
    const openMetrics = accept.includes('application/openmetrics-text')
    return { status: 200, type: metrics.contentType(openMetrics), body: await metrics.render(openMetrics) }
  },

  // ?ms= is how long a block a liveness probe is willing to overlook.
  '/healthz': ({ query }) => {
    const toleratedMs = Number(query.get('ms')) || 0
    const ms = Math.round(blockedMs())
    const all = workers()
    const blocked = all?.filter((each) => each.blockedMs > toleratedMs)
    const isDown = ms > toleratedMs || (blocked !== undefined && blocked.length > 0 && blocked.length === all?.length)
    return json({ status: isDown ? 'blocked' : 'ok', blockedMs: ms, ...(all && { workers: { joined: all.length, blocked } }) }, isDown ? 503 : 200)
  },

  '/blocks': () => json(blocks()),

  '/blocks/:id': ({ id }) => {
    const record = block(id)
    return record ? json(record) : json({ error: 'no such block in memory' }, 404)
  }
})
