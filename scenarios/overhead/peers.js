'use strict'

/**
 * Alternatives that a user could pick, each set up as in its documentation, without a receiver. Only this file and the
 * packages are loaded, so that the cost at the start is that of the packages.
 * @typedef {import('./watchers').Watcher} Watcher
 */

/** A port of this machine where nobody listens: what cannot be sent is thrown away, as while an agent is away. */
const NOBODY = '127.0.0.1:1'
/** Like the example in pprof's README. */
const PROFILE_MS = 10_000
/** The interval of dd-trace and Pyroscope. By default, pprof samples every millisecond. */
const SAMPLE_MICROS = 10_000

/** OpenTelemetry's exporters of spans and metrics in one, which say that all was sent and send nothing. */
const nowhere = {
  export: (/** @type {unknown} */ _, /** @type {(result: { code: number }) => void} */ done) => done({ code: 0 }),
  forceFlush: async () => {},
  shutdown: async () => {}
}

/**
 * Whether a tracer really has a span around requests: one that was not set up right would cost nothing.
 * @param {() => unknown} activeSpan asked within requests until there is one
 * @returns {import('./watchers').Started}
 */
function seesBySpan (activeSpan) {
  let hasSpan = false
  return {
    inRequest: (_request, _response, next) => {
      hasSpan ||= Boolean(activeSpan())
      next()
    },
    sees: () => hasSpan
  }
}

/** Watchers by variant. @type {Record<string, Watcher>} */
exports.peers = {
  // Its default metrics and, as its examples have it, a histogram of requests by method, route and status.
  'prom-client': {
    packages: ['prom-client'],
    load: () => {
      const { collectDefaultMetrics, Histogram, Registry } = require('prom-client')
      return {
        start: () => {
          const register = new Registry()
          collectDefaultMetrics({ register })
          const histogram = new Histogram({
            name: 'http_request_duration_seconds',
            help: 'Duration of requests.',
            labelNames: ['method', 'route', 'status'],
            registers: [register]
          })
          return {
            inRequest: (request, response, next) => {
              const end = histogram.startTimer()
              response.once('finish', () => end({ method: request.method ?? '', route: '/', status: response.statusCode }))
              next()
            },
            sees: async () => (await histogram.get()).values.some(({ value }) => value > 0)
          }
        }
      }
    }
  },

  // Every request is a span, as by default, and the metrics of runtime and requests are collected every 60 s.
  'opentelemetry-sdk': {
    packages: ['api', 'sdk-node', 'sdk-metrics', 'instrumentation-http', 'instrumentation-runtime-node']
      .map((name) => `@opentelemetry/${name}`),
    load: () => {
      const { trace } = require('@opentelemetry/api')
      const { NodeSDK } = require('@opentelemetry/sdk-node')
      const { PeriodicExportingMetricReader } = require('@opentelemetry/sdk-metrics')
      const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http')
      const { RuntimeNodeInstrumentation } = require('@opentelemetry/instrumentation-runtime-node')
      return {
        start: () => {
          new NodeSDK({
            traceExporter: nowhere,
            metricReaders: [new PeriodicExportingMetricReader({ exporter: nowhere })],
            instrumentations: [new HttpInstrumentation(), new RuntimeNodeInstrumentation()]
          }).start()
          return seesBySpan(() => trace.getActiveSpan()?.isRecording())
        }
      }
    }
  },

  'dd-trace': {
    packages: ['dd-trace'],
    load: () => {
      const tracer = require('dd-trace')
      return {
        start: () => {
          tracer.init({ url: `http://${NOBODY}`, profiling: true, startupLogs: false })
          return seesBySpan(() => tracer.scope().active())
        }
      }
    }
  },

  // Every request is a span. The profiler runs from the start, in chunks of 60 s: with `profileLifecycle: 'trace'` it
  // begins and ends with each request, which takes a large application tens of milliseconds a time.
  'sentry-sdk': {
    packages: ['@sentry/node', '@sentry/profiling-node'],
    load: () => {
      const Sentry = require('@sentry/node')
      const { nodeProfilingIntegration } = require('@sentry/profiling-node')
      return {
        start: () => {
          Sentry.init({
            dsn: `http://nobody@${NOBODY}/1`,
            integrations: [nodeProfilingIntegration()],
            tracesSampleRate: 1,
            profileSessionSampleRate: 1,
            profileLifecycle: 'manual'
          })
          Sentry.profiler.startProfiler()
          return seesBySpan(() => Sentry.getActiveSpan()?.isRecording())
        }
      }
    }
  },

  // Its profile of wall time alone, taken and encoded every ten seconds.
  'datadog-pprof': {
    packages: ['@datadog/pprof'],
    load: () => {
      const { encode, time } = require('@datadog/pprof')
      return {
        start: () => {
          time.start({ intervalMicros: SAMPLE_MICROS })
          setInterval(() => encode(time.stop(true)), PROFILE_MS).unref()
          return { sees: () => time.isStarted() }
        }
      }
    }
  }
}
