'use strict'

// `npm start` and `loopwatch demo`: the shop under the agent, a gentle load on it, and what blocks, as it happens.
const net = require('node:net')
const { Child } = require('./child')
const { readFlags, DEFAULT_PORT } = require('./flags')
const { passThrough } = require('./output')
const { topTable } = require('../../lib/cli/blocks/top')

const SUMMARY_TIMEOUT_MS = 3000

/** @type {ReturnType<typeof readFlags>} */
let flags

/** For people; stdout carries the shop's own lines and nothing else. @param {string} text */
const say = (text) => process.stderr.write(text)

/** @type {{ shop?: Child, load?: Child, appUrl?: string, agentUrl?: string | null, stopping?: Promise<void> }} */
const demo = {}

/**
 * Whether one can listen there now.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
const isFree = (port) => new Promise((resolve) => {
  const server = net.createServer()
  server.on('error', () => resolve(false))
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
})

/** @param {string[]} args @param {string} command as it was typed */
async function main (args, command) {
  flags = readFlags(args, command)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  // Whoever read our output has gone, as in `npm start | head`.
  process.stdout.on('error', stop)
  const port = flags.port ?? (await isFree(DEFAULT_PORT) ? DEFAULT_PORT : 0)
  if (demo.stopping !== undefined) return
  if (flags.port === undefined && port === 0) say(`port ${DEFAULT_PORT} is taken: the agent's endpoint gets a free one (--port chooses)\n`)
  demo.shop = new Child('shop', [], { LOOPWATCH_PORT: `${port}`, PORT: `${flags.appPort}` }, died('the shop'))
  passThrough(demo.shop.stdout, follow)
}

/** Hears from the shop and the agent's endpoint where they are; then the load can start. @param {any} line */
function follow ({ name, event, reason, url }) {
  if (name === 'shop' && event === 'listening') demo.appUrl = url
  if (name === 'loopwatch' && event === 'listening') demo.agentUrl = url
  if (name === 'loopwatch' && event === 'degraded' && reason === 'endpoint') demo.agentUrl = null
  if (demo.load !== undefined || demo.stopping !== undefined) return
  if (demo.appUrl !== undefined && demo.agentUrl !== undefined) startLoad(demo.appUrl, demo.agentUrl)
}

/** @param {string} appUrl @param {string | null} agentUrl */
function startLoad (appUrl, agentUrl) {
  const load = demo.load = new Child('load', [appUrl, `${flags.every * 1000}`], {}, died('the load'))
  const agent = agentUrl === null
    ? `no endpoint on port ${flags.port} (see above); --port chooses another`
    : `live page: ${agentUrl}/\n          ${['/metrics', '/healthz', '/blocks'].map((path) => agentUrl + path).join('\n          ')}`
  const end = flags.seconds === undefined ? 'Ctrl-C ends' : `after ${flags.seconds} s, or by Ctrl-C`
  say(`
  shop    ${appUrl} (pid ${demo.shop?.pid})
  agent   ${agent}
  load    a few requests a second, and every ${flags.every} s one that blocks (pid ${load.pid})
  end     ${end}

`)
  if (flags.seconds !== undefined) setTimeout(stop, flags.seconds * 1000).unref()
}

/** What to do where a child ends unasked. @param {string} who */
const died = (who) => (/** @type {number | null} */ code, /** @type {string | null} */ signal) => {
  // Ctrl-C goes to the children too, and may find one that does not yet leave it to us.
  if (signal !== 'SIGINT') {
    say(`\n${who} ${signal === null ? `has exited with code ${code}` : `was ended by ${signal}`}: the demo ends\n`)
    process.exitCode = 1
  }
  stop()
}

/** Ends both children, the load first, and says in between what has been seen. */
function stop () {
  demo.stopping ??= (async () => {
    await demo.load?.end()
    if (demo.load && demo.agentUrl && !process.exitCode) say(`\n  ${await report(demo.agentUrl)}\n`)
    await demo.shop?.end()
  })()
}

/** What the agent has seen so far, or why that cannot be told. @param {string} url of its endpoint */
async function report (url) {
  try {
    const response = await fetch(`${url}/blocks`, { signal: AbortSignal.timeout(SUMMARY_TIMEOUT_MS) })
    return topTable(/** @type {any} */ (await response.json()))
  } catch (error) {
    return `no summary: ${url}/blocks gave no answer: ${error.message}\n`
  }
}

exports.main = (/** @type {string[]} */ args) => main(args, 'loopwatch demo')

if (require.main === module) main(process.argv.slice(2), 'npm start --')
