'use strict'

const { LISTENING } = require('../bridge/messages')
const { nowMs } = require('../util/clock')

/**
 * @import { Cluster } from '../cluster/cluster'
 * @import { HttpServer } from '../export/http/server'
 * @import { Blocks } from './blocks'
 * @import { Health } from './health'
 * @import { MainLoop } from './main-loop'
 * @import { PageFeed } from './page-feed/feed'
 * @import { Scrape } from './scrape'
 * @import { Range } from './timeline/timeline'
 * @import { WorkerData } from './watchdog'
 */

/**
 * @typedef {object} EndpointParts
 * @property {WorkerData} data @property {Health} health
 * @property {MainLoop} mainLoop @property {Blocks} blocks
 * @property {Cluster} cluster whose workers learn the address as well
 * @property {PageFeed} page @property {Scrape} scrape
 * @property {(message: object) => void} post to the host, which learns the address
 */

/** The HTTP endpoint: opens and closes with the process's role in a cluster, and announces itself in the log. */
class Endpoint {
  #parts
  /** @type {HttpServer | null} */
  #server = null
  #hasWarned = false

  /** @param {EndpointParts} parts */
  constructor (parts) {
    this.#parts = parts
  }

  /** @param {0 | 1} [above] added to the configured port */
  listen (above = 0) {
    if (this.#server !== null) return
    const { data: { options }, health } = this.#parts
    const { port: configured, host, token, allowHosts } = options
    if (configured === false) {
      this.#settled(null)
      return
    }
    // Loaded only if there is an endpoint.
    const { HttpServer, LAST_PORT } = require('../export/http/server')
    const { makePaths } = require('../export/http/paths')
    const port = configured === 0 ? 0 : Math.min(configured + above, LAST_PORT)
    this.#server = new HttpServer({
      options: { host, port, token, allowHosts },
      paths: makePaths(sourcesOf(this.#parts)),
      onState: (url, error) => {
        health.set('endpoint', error)
        if (url !== null) this.#announce(url, port)
        this.#settled(url)
      }
    })
  }

  /** @param {string | null} url null = there is none */
  #settled (url) {
    const { cluster, post } = this.#parts
    cluster.tellUrl(url)
    post({ code: LISTENING, url })
  }

  /** @param {string} url @param {number} port as configured */
  #announce (url, port) {
    const { data: { options, isQuiet }, health: { say } } = this.#parts
    const own = Number(new URL(url).port || 80)
    if (port !== 0 && own !== port) {
      say(isQuiet ? 'info' : 'warn', { event: 'listening', url, port },
      `port ${port} is taken, using ${own}; live page: ${url}/`)
    } else say('info', { event: 'listening', url }, `watching, live page: ${url}/`)
    if (this.#hasWarned || !require('./page-feed/block-detail').isExposed(options)) return
    this.#hasWarned = true
    say('warn', { event: 'exposed', host: options.host },
      `the endpoint listens on ${options.host} without a token: anyone who reaches it can read routes, stacks, ` +
        'functions and paths of files; set the option `token` (LOOPWATCH_TOKEN)')
  }

  /** A worker of a cluster listens itself only if it finds no primary. @param {boolean} isShown */
  show (isShown) {
    if (this.#parts.data.role.kind === 'worker') return
    if (isShown) this.listen()
    else this.close()
  }

  /** Joins this process's cluster, if any. */
  joinCluster () {
    const { cluster, scrape, blocks: { memories }, page, health, post } = this.#parts
    cluster.join({
      nowMs,
      snapshot: () => scrape.snapshot(),
      blocks: () => memories.main.list(),
      onBlock: (record) => {
        memories.cluster.put(record)
        page.put(record)
      },
      onJoined: (url) => {
        const where = url === null ? 'the primary, which has no endpoint' : `the primary; live page: ${url}/`
        health.say('info', { event: 'joined', url }, `watching, joined ${where}`)
        this.close()
        health.set('endpoint', null)
        post({ code: LISTENING, url })
      },
      // A primary that comes back must find its port free.
      onAlone: (hadPrimary) => this.listen(hadPrimary ? 1 : 0),
      onState: health.listener('cluster'),
      onFault: (error, isFirst) => {
        scrape.metrics.drop('cluster_connection')
        if (!isFirst) return
        const message = `closed a connection that is not from a cluster worker: ${error.message}`
        health.say('warn', { event: 'fault' }, message)
      }
    })
  }

  close () {
    this.#server?.close()
    this.#server = null
  }
}

/**
 * Files that take work are loaded when they are first asked for.
 * @param {EndpointParts} parts
 * @returns {Parameters<typeof import('../export/http/paths').makePaths>[0]}
 */
function sourcesOf ({ mainLoop, cluster, blocks, page, scrape, data: { options } }) {
  const { makeDetail } = require('./page-feed/block-detail')
  const records = () => blocks.records()
  const block = (/** @type {string} */ id) => blocks.get(id)
  const waitsFor = (/** @type {string} */ id) => page.recent.waitsFor(id)
  const detail = makeDetail({
    options, block, records, waitsFor, sourceRows: (file) => mainLoop.sources.sourceRows(file)
  })
  const trace = (/** @type {Range} */ range) =>
    require('./timeline/timeline').gatherTrace({ page, records, scrape }, range)
  return {
    metrics: scrape,
    blockedMs: () => mainLoop.monitor.blockedMs,
    workers: () => cluster.blockedMs,
    blocks: () => blocks.list(),
    block,
    detail,
    incidents: () => page.incidents,
    records,
    timeline: (query) => require('../export/timeline/answer').answerTimeline(query, trace),
    recording: () => require('./recording').makeRecording({ options, records, detail, page, metrics: scrape, trace }),
    page
  }
}

exports.Endpoint = Endpoint
