'use strict'

const path = require('node:path')
const { AsyncLocalStorage } = require('node:async_hooks')
const { Worker } = require('node:worker_threads')
const { freePort } = require('../../lib/cli/common/ports')
const { THREAD } = require('./target/thread-name')

/** All report blocks from this length on. */
exports.THRESHOLD_MS = 50
/** For a contestant whose documentation has intervals in seconds only. */
const HEARTBEAT_MS = 20

/**
 * @typedef {object} Watching what a contestant adds to the application
 * @property {(route: string, run: () => unknown) => unknown} [inRequest]
 * @property {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => boolean}
 * [onPlain] true: it has answered
 * @property {(app: any) => void} [onExpress]
 * @property {(fastify: any) => void} [onFastify]
 * @property {(ports: { plain: number, express: number, fastify: number }) => string | Promise<string>} [endpoint] where
 * it says how the process is
 *
 * @typedef {object} Contestant
 * @property {string[]} packages
 * @property {('frame' | 'route' | 'cause' | 'duration')[]} tells what its reports can hold
 * @property {boolean} [marksDoubt] it tells what is certain from what is not
 * @property {number} settleMs until it has said of a block what it says
 * @property {boolean} [isBlindInThreads] of a block of a worker thread it tells the duration only
 * @property {string} [threadMetric] of its endpoint, above 0 once it watches a worker thread
 * @property {string} [metric] of its endpoint, in which a block shows, seconds; the histogram behind it begins anew
 * with each scrape
 * @property {string} [records] of its endpoint: blocks that its log left out as there were too many
 * @property {string} [poke] what has to be requested of Fastify for it to say anything
 * @property {boolean} [isPrompt] it reports a block once, at its end or before
 * @property {(parts: { packages: any[] }) => void} [inThread] what its documentation has a worker thread do
 * @property {(parts: { packages: any[], report: (fields: Record<string, unknown>) => void, thresholdMs: number,
 * beatMs?: number, checkMs?: number }) => Watching | undefined | void | Promise<Watching>} start
 */

/** @param {Record<string, unknown>} [options] beyond the threshold @returns {Contestant} */
const loopwatchWith = (options) => ({
  packages: [],
  tells: ['frame', 'route', 'cause', 'duration'],
  marksDoubt: true,
  // Its log takes ten blocks in a row, then one per second.
  settleMs: 650,
  isBlindInThreads: true,
  threadMetric: 'loopwatch_eventloop_time_seconds_total',
  isPrompt: true,
  records: '/blocks',
  start: ({ thresholdMs }) => {
    const agent = require('../../lib').start({ threshold: thresholdMs, port: 0, ...options })
    return { endpoint: async () => `${(await agent.ready).url}/metrics` }
  }
})

/** Each as its documentation sets it up; README.md says where that left a choice. @type {Record<string, Contestant>} */
exports.contestants = {
  loopwatch: loopwatchWith(),

  // The option `profile` in the README explains its purpose and cost.
  'loopwatch-profile': loopwatchWith({ profile: 'on' }),

  'blocked-at': {
    packages: ['blocked-at'],
    tells: ['frame', 'duration'],
    settleMs: 100,
    isPrompt: true,
    start: ({ packages: [blockedAt], report, thresholdMs }) => {
      blockedAt((/** @type {number} */ durationMs, /** @type {string[]} */ stack) => report({ durationMs, stack }), {
        threshold: thresholdMs
      })
    }
  },

  blocked: {
    packages: ['blocked'],
    tells: ['duration'],
    settleMs: 200,
    isPrompt: true,
    start: ({ packages: [blocked], report, thresholdMs }) => {
      blocked((/** @type {number} */ durationMs) => report({ durationMs }), { threshold: thresholdMs })
    }
  },

  'toobusy-js': {
    packages: ['toobusy-js'],
    tells: ['duration'],
    // The package looks every 500 ms.
    settleMs: 600,
    start: ({ packages: [toobusy], report, thresholdMs }) => {
      toobusy.maxLag(thresholdMs)
      toobusy.onLag((/** @type {number} */ durationMs) => report({ durationMs }))
    }
  },

  'under-pressure': {
    packages: ['@fastify/under-pressure'],
    tells: ['duration'],
    // The package takes a mean every second.
    settleMs: 1100,
    poke: '/calm',
    start: ({ packages: [underPressure], report, thresholdMs }) => ({
      onFastify: (fastify) =>
        fastify.register(underPressure, {
          maxEventLoopDelay: thresholdMs,
          exposeStatusRoute: true,
          pressureHandler: (
            /** @type {unknown} */ _,
            /** @type {unknown} */ reply,
            /** @type {string} */ type,
            /** @type {number} */ value
          ) => report({ durationMs: value })
        }),
      endpoint: ({ fastify }) => `http://127.0.0.1:${fastify}/status`
    })
  },

  'prom-client': {
    packages: ['prom-client'],
    tells: ['duration'],
    settleMs: 100,
    metric: 'nodejs_eventloop_lag_max_seconds',
    start: ({ packages: [{ collectDefaultMetrics, Registry }] }) => {
      const register = new Registry()
      collectDefaultMetrics({ register })
      return {
        onPlain: (request, response) => {
          if (request.url !== '/metrics') return false
          register.metrics().then((/** @type {string} */ text) => response.end(text))
          return true
        },
        endpoint: ({ plain }) => `http://127.0.0.1:${plain}/metrics`
      }
    }
  },

  opentelemetry: {
    packages: [
      '@opentelemetry/instrumentation-runtime-node',
      '@opentelemetry/exporter-prometheus',
      '@opentelemetry/sdk-metrics'
    ],
    tells: ['duration'],
    settleMs: 100,
    metric: 'nodejs_eventloop_delay_max',
    start: async ({ packages: [{ RuntimeNodeInstrumentation }, { PrometheusExporter }, { MeterProvider }] }) => {
      const port = await freePort()
      const exporter = new PrometheusExporter({ host: '127.0.0.1', port })
      const instrumentation = new RuntimeNodeInstrumentation()
      instrumentation.setMeterProvider(new MeterProvider({ readers: [exporter] }))
      return { endpoint: () => `http://127.0.0.1:${port}/metrics` }
    }
  },

  sentry: {
    packages: ['@sentry-internal/node-native-stacktrace'],
    // The request, which the application keeps in an AsyncLocalStorage, on Node.js 24 and later.
    tells: [
      'frame',
      'duration',
      ...(Number.parseInt(process.versions.node) >= 24 ? /** @type {const} */ (['route']) : [])
    ],
    settleMs: 200,
    isPrompt: true,
    inThread: ({ packages: [{ registerThread, threadPoll }] }) => {
      registerThread(THREAD)
      setInterval(threadPoll, HEARTBEAT_MS)
    },
    start: ({
      packages: [{ registerThread, threadPoll }],
      thresholdMs,
      beatMs = HEARTBEAT_MS,
      checkMs = HEARTBEAT_MS
    }) => {
      const storage = new AsyncLocalStorage()
      registerThread({ asyncLocalStorage: storage })
      setInterval(threadPoll, beatMs)
      const file = path.join(__dirname, 'target', 'sentry-watchdog.js')
      const watchdog = new Worker(file, { workerData: { thresholdMs, checkMs } })
      return new Promise((resolve) =>
        watchdog.once('online', () => resolve({ inRequest: (route, run) => storage.run({ route }, run) }))
      )
    }
  }
}
