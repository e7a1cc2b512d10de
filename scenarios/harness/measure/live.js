'use strict'

const http = require('node:http')
const { Counter, Gauge, Registry } = require('prom-client')
const { SeriesHistogram } = require('../../../lib/export/prometheus/histograms')
const { table } = require('./metrics')

const MS_PER_S = 1000

/** Name of a cell in labels: its parameters. @param {import('../interface').Params} params */
exports.cellName = (params) => Object.entries(params).map(([key, value]) => `${key}=${value}`).join(' ')

/** @param {string} scenario @param {import('../interface').CellPlan} cell */
const labelsOf = (scenario, { variant, params }) => ({ scenario, variant, cell: exports.cellName(params) })

/** Metrics of the scenario that runs, by the table in metrics.js, on an endpoint of their own. */
class Live {
  #registry = new Registry()
  /** @type {Record<string, any>} */
  #metrics
  /** @type {http.Server | null} */
  #server = null

  constructor () {
    this.#metrics = Object.fromEntries(table.map((row) => {
      const { key, name, type, help, labels: labelNames, buckets } = /** @type {any} */ (row)
      if (type === 'histogram') {
        const metric = new SeriesHistogram({ name, help, buckets })
        this.#registry.registerMetric(/** @type {any} */ (metric))
        return [key, metric]
      }
      return [key, new (type === 'counter' ? Counter : Gauge)({ name, help, labelNames, registers: [this.#registry] })]
    }))
  }

  /**
   * Resolves with its URL, or with the reason why there is none: a taken port must not stop a measurement.
   * @param {number} port
   * @returns {Promise<{ url: string } | { reason: string }>}
   */
  listen (port) {
    const server = http.createServer((request, response) => this.#answer(request, response))
    server.unref()
    return new Promise((resolve) => {
      server.once('error', (error) => resolve({ reason: error.message }))
      server.listen(port, '127.0.0.1', () => {
        this.#server = server
        resolve({ url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/metrics` })
      })
    })
  }

  close () {
    this.#server?.close()
    this.#server?.closeAllConnections()
  }

  /**
   * Cells that will run. A rate needs the value before the first operation, so their series begin with 0.
   * @param {string} scenario @param {import('../interface').CellPlan[]} cells
   */
  begin (scenario, cells) {
    for (const cell of cells) {
      const labels = labelsOf(scenario, cell)
      this.#metrics.operations.inc(labels, 0)
      this.#metrics.operationDuration.series(labels)
    }
  }

  /**
   * Receives the messages of a run of a cell.
   * @param {string} scenario @param {import('../interface').CellPlan} cell
   */
  cell (scenario, cell) {
    const labels = labelsOf(scenario, cell)
    const { operations, operationDuration, callerBlock, scenarioWorkers } = this.#metrics
    scenarioWorkers.set(labels, cell.workers ?? 1)
    return {
      onMessage: (/** @type {any} */ message) => {
        if (message.type === 'blocks') {
          // Without an event loop there are no blocks, and no series.
          const series = callerBlock.series(labels)
          for (const durationMs of message.durationsMs) series.observe(durationMs / MS_PER_S)
        }
        if (message.type !== 'progress') return
        operations.inc(labels, message.operations)
        const series = operationDuration.series(labels)
        for (const [ms, count] of message.latency) series.observe(ms / MS_PER_S, count)
      },
      end: () => scenarioWorkers.set(labels, 0)
    }
  }

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
  async #answer (request, response) {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': this.#registry.contentType }).end(await this.#registry.metrics())
  }
}

exports.Live = Live
