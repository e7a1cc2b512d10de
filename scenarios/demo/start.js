'use strict'

// `npm start` and `loopwatch demo`: the shop under the agent with a gentle load on it, a queue worker without HTTP, and
// what blocks, as it happens.
const { endWith } = require('../../lib/cli/common/failure')
const { Child } = require('./child')
const { readFlags, DEFAULT_PORT, DEFAULT_WORKER_PORT } = require('./flags')
const { passThrough } = require('./output')
const { isFree } = require('./port')
const { report } = require('./summary')

/** @type {ReturnType<typeof readFlags>} */
let flags

/** For people; stdout carries the shop's own lines and nothing else. @param {string} text */
const say = (text) => process.stderr.write(text)

/**
 * @typedef {object} Demo
 * @property {Child} [shop]
 * @property {Child} [worker]
 * @property {Child} [load]
 * @property {string} [appUrl]
 * @property {string | null} [agentUrl] of the shop's agent, null without one
 * @property {string | null} [workerUrl] of the worker's
 * @property {Promise<void>} [stopping]
 */

/** @type {Demo} */
const demo = {}

/** @param {string[]} args @param {string} command as it was typed */
async function main (args, command) {
  flags = readFlags(args, command)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  // The reader of our output has closed it, as in `npm start | head`.
  process.stdout.on('error', stop)
  const port = await choosePort('--port', flags.port, DEFAULT_PORT)
  const workerPort = await choosePort('--worker-port', flags.workerPort, DEFAULT_WORKER_PORT)
  if (demo.stopping !== undefined) return
  demo.shop = new Child('shop', [], { LOOPWATCH_PORT: `${port}`, PORT: `${flags.appPort}` }, died('the shop'))
  const format = flags.format ?? (process.stdout.isTTY ? 'pretty' : 'json')
  passThrough('shop', demo.shop.stdout, format, followShop)
  demo.worker = new Child('worker', [`${flags.every * 2000}`], { LOOPWATCH_PORT: `${workerPort}` }, died('the worker'))
  passThrough('worker', demo.worker.stdout, format, followWorker)
}

/** @param {string} flag @param {number | undefined} asked @param {number} usual */
async function choosePort (flag, asked, usual) {
  if (asked !== undefined || await isFree(usual)) return asked ?? usual
  say(`port ${usual} is taken: an agent's endpoint gets a free one (${flag} chooses)\n`)
  return 0
}

/** @typedef {{ name: string, event: string, reason: string, url: string }} Line of the agent's log */

/** The agent's endpoint, once a line of its log says where it is, or that it is nowhere. @param {Line} line */
function endpointIn ({ name, event, reason, url }) {
  if (name === 'loopwatch' && event === 'listening') return url
  return name === 'loopwatch' && event === 'degraded' && reason === 'endpoint' ? null : undefined
}

/** @param {Line} line */
function followShop (line) {
  if (line.name === 'shop' && line.event === 'listening') demo.appUrl = line.url
  demo.agentUrl ??= endpointIn(line)
  startWhenReady()
}

/** @param {Line} line */
function followWorker (line) {
  demo.workerUrl ??= endpointIn(line)
  startWhenReady()
}

/** The load can start when the shop is there, and it is known where the endpoints are. */
function startWhenReady () {
  const { appUrl, agentUrl, workerUrl, load, stopping } = demo
  if (load !== undefined || stopping !== undefined) return
  if (appUrl !== undefined && agentUrl !== undefined && workerUrl !== undefined) startLoad(appUrl, agentUrl)
}

/** @param {string} appUrl @param {string | null} agentUrl */
function startLoad (appUrl, agentUrl) {
  const load = demo.load = new Child('load', [appUrl, `${flags.every * 1000}`], {}, died('the load'))
  const agent = agentUrl === null
    ? `no endpoint on port ${flags.port} (see above); --port chooses another`
    : `live page: ${agentUrl}/\n          ${['/metrics', '/healthz', '/blocks'].map((path) => agentUrl + path).join('\n          ')}`
  const hint = flags.format !== undefined || process.stdout.isTTY
    ? ''
    : '  lines   JSON, as stdout is not a terminal; --format pretty prints readable text\n'
  const end = flags.seconds === undefined ? 'press Ctrl-C' : `after ${flags.seconds} s, or by Ctrl-C`
  say(`
  shop    ${appUrl} (pid ${demo.shop?.pid})
  agent   ${agent}
  worker  a queue worker without HTTP (pid ${demo.worker?.pid}), live page: ${demo.workerUrl ?? 'none'}
  load    a few requests per second, and every ${flags.every} s one that blocks (pid ${load.pid})
${hint}  end     ${end}

`)
  if (flags.seconds !== undefined) setTimeout(stop, flags.seconds * 1000).unref()
}

/** Handler for a child that ends unexpectedly. @param {string} who */
const died = (who) => (/** @type {number | null} */ code, /** @type {string | null} */ signal) => {
  // Ctrl-C goes to the children too, and may find one that does not yet leave it to us.
  if (signal !== 'SIGINT') {
    say(`\n${who} ${signal === null ? `has exited with code ${code}` : `was ended by ${signal}`}: the demo ends\n`)
    process.exitCode = 1
  }
  stop()
}

/** Ends all children, the load first. What the agents have seen is the last that is printed. */
function stop () {
  demo.stopping ??= (async () => {
    await demo.load?.end()
    const summary = demo.load && !process.exitCode ? `${await summaryOf('shop')}${await summaryOf('worker')}\n` : ''
    await Promise.all([demo.shop?.end(), demo.worker?.end()])
    say(summary)
  })()
}

/** @param {'shop' | 'worker'} name */
async function summaryOf (name) {
  const url = name === 'shop' ? demo.agentUrl : demo.workerUrl
  return typeof url === 'string' ? `\n  ${name} (pid ${demo[name]?.pid}): ${await report(url)}` : ''
}

exports.main = (/** @type {string[]} */ args) => main(args, 'loopwatch demo')

if (require.main === module) main(process.argv.slice(2), 'npm start --').catch(endWith)
