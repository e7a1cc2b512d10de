'use strict'

const { json } = require('./http-server')

/**
 * What the endpoint serves, by path.
 * @param {object} sources
 * @param {import('./metrics').Metrics} sources.metrics
 * @param {() => number} sources.blockedMs by the block in progress, 0 without one
 * @param {() => import('../store/record').BlockRecord[]} sources.blocks newest first, the one in progress up to date
 * @param {(id: string) => import('../store/record').BlockRecord | undefined} sources.block with all its stacks
 * @returns {Record<string, import('./http-server').Route>}
 */
exports.makeRoutes = ({ metrics, blockedMs, blocks, block }) => ({
  '/': () => json({ name: 'loopwatch', endpoints: ['/metrics', '/healthz', '/blocks', '/blocks/:id'] }),

  '/metrics': async ({ accept }) => {
    const openMetrics = accept.includes('application/openmetrics-text')
    return { status: 200, type: metrics.contentType(openMetrics), body: await metrics.render(openMetrics) }
  },

  // ?ms= is how long a block a liveness probe is willing to overlook.
  '/healthz': ({ query }) => {
    const toleratedMs = Number(query.get('ms')) || 0
    const ms = Math.round(blockedMs())
    return ms > toleratedMs ? json({ status: 'blocked', blockedMs: ms }, 503) : json({ status: 'ok', blockedMs: ms })
  },

  '/blocks': () => json(blocks()),

  '/blocks/:id': ({ id }) => {
    const record = block(id)
    return record ? json(record) : json({ error: 'no such block in memory' }, 404)
  }
})
