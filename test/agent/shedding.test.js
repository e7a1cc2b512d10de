'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { eventually, startNode } = require('../support/app')
const { parseExposition, valueOf } = require('../support/exposition')

const CLIENTS = 10
const LOAD_MS = 2500

/** @param {import('node:test').TestContext} t @param {string} framework @param {object} options */
async function startShedding (t, framework, options) {
  const app = startNode(t, ['shedding.js', framework, JSON.stringify(options)])
  const { port, url } = await eventually(() => /^\{.*\}$/m.test(app.out.stderr) && JSON.parse(app.out.stderr), () => app.out.stderr)
  const get = (/** @type {string} */ path) => fetch(`http://127.0.0.1:${port}${path}`)
  return {
    get,
    /**
     * Asks until it is served, and says how often it was shed before: where a machine is busy, a process that starts
     * is above a limit as well.
     */
    untilServed: async () => {
      let shed = 0
      const answer = await eventually(async () => {
        const response = await get('/')
        if (response.status === 200) return /** @type {Promise<any>} */ (response.json())
        shed++
        await response.text()
        return undefined
      }, 'to be served')
      return { ...answer, shed }
    },
    /** Requests of 20 ms of work each from ten clients at once, for a while. */
    load: async () => {
      /** @type {{ status: number, retryAfter: string | null, application: string | null, body: string }[]} */
      const responses = []
      const end = performance.now() + LOAD_MS
      await Promise.all(Array.from({ length: CLIENTS }, async () => {
        while (performance.now() < end) {
          const response = await get('/work?ms=20')
          responses.push({ status: response.status, retryAfter: response.headers.get('retry-after'), application: response.headers.get('x-application'), body: await response.text() })
        }
      }))
      return responses
    },
    shed: async () => {
      const { samples } = parseExposition(await (await fetch(`${url}/metrics`)).text())
      return Object.fromEntries(['delay', 'utilization'].map((reason) => [reason, valueOf(samples, 'loopwatch_requests_shed_total', { reason })]))
    }
  }
}

for (const [framework, limit, reason] of /** @type {[string, object, string][]} */ ([['express', { maxDelay: 50 }, 'delay'], ['express-4', { maxUtilization: 0.9 }, 'utilization'], ['fastify', { maxDelay: 50 }, 'delay'], ['fastify', { maxUtilization: 0.9 }, 'utilization']])) {
  test(`${framework} above a limit of ${reason} answers 503 with Retry-After, and 200 again once the load has ended`, async (t) => {
    const app = await startShedding(t, framework, { ...limit, retryAfter: 7, exempt: true })
    const before = await app.untilServed()
    assert.equal(before.handled, 1)
    const responses = await app.load()
    const shed = responses.filter(({ status }) => status === 503)
    const served = responses.filter(({ status }) => status === 200)
    assert.ok(shed.length > 0 && served.length > 0, `${shed.length} shed, ${served.length} served`)
    assert.equal(shed.length + served.length, responses.length)
    for (const { retryAfter, body, application } of shed) assert.deepEqual({ retryAfter, body, application }, { retryAfter: '7', body: 'Service Unavailable\n', application: null })

    await app.get('/exempt?no')
    const again = await app.untilServed()
    assert.ok(again.handled <= served.length + 3, 'a shed request reached the application')
    assert.deepEqual(Object.keys(await app.shed()).sort(), ['delay', 'utilization'])
    const counted = await app.shed()
    const seen = before.shed + shed.length + again.shed
    assert.ok(counted[reason] >= seen && counted[reason] <= seen + 1, JSON.stringify([counted, seen]))
  })
}

test('right after one long block the next request is shed, and exempt ones are served', async (t) => {
  const app = await startShedding(t, 'express', { maxDelay: 200, exempt: true })
  const before = await app.untilServed()
  const [, ...next] = await Promise.all(['/work?ms=1500', '/', '/exempt'].map((path, i) =>
    new Promise((resolve) => setTimeout(resolve, i * 100)).then(() => app.get(path)).then(({ status }) => status)))
  assert.deepEqual(next, [503, 200])
  assert.deepEqual(await app.shed(), { delay: before.shed + 1, utilization: 0 })
})
