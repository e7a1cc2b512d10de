'use strict'

// The process of one generated program: the agent, what brings its block about, and what the agent says of it.

const http = require('node:http')
const { Readable } = require('node:stream')
const { setTimeout: sleep } = require('node:timers/promises')
const loopwatch = require('../../..')

const { file, place, blocks, options } = JSON.parse(String(process.env.BAKEOFF_PROGRAM))
const { block } = require(file)

/** Between blocks, and until records are complete. */
const CALM_MS = 150
const SETTLE_MS = 400

/** @type {{ startMs: number, endMs: number }[]} */
const intervals = []
async function blockNow () {
  const startMs = performance.timeOrigin + performance.now()
  const promise = block()
  const endMs = performance.timeOrigin + performance.now()
  await promise
  intervals.push({ startMs, endMs: promise instanceof Promise ? performance.timeOrigin + performance.now() : endMs })
}

const server = http.createServer(async (req, res) => {
  if (req.url === '/late') await sleep(5)
  await blockNow()
  res.end('done')
})

/** @param {string} path */
const request = (path) => new Promise((resolve, reject) => {
  http.get(`http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}${path}`, (response) => response.resume().on('end', resolve)).on('error', reject)
})

/** @type {Record<string, () => Promise<unknown>>} */
const places = {
  request: () => request('/now'),
  'request after an await': () => request('/late'),
  job: () => loopwatch.run('nightly', blockNow),
  timer: () => new Promise((resolve, reject) => setTimeout(() => blockNow().then(resolve, reject), 5)),
  stream: async () => { for await (const each of Readable.from([1]).map(() => blockNow())) await each },
  reaction: () => sleep(3).then(blockNow)
}

async function main () {
  const agent = loopwatch.start({ port: 0, log: false, ...options })
  await agent.ready
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)))
  await sleep(CALM_MS)
  for (let i = 0; i < blocks; i++) {
    await places[place]()
    await sleep(CALM_MS)
  }
  await sleep(SETTLE_MS)
  const records = await agent.blocks()
  process.stdout.write(JSON.stringify({ intervals, records }), () => process.exit())
}

main()
