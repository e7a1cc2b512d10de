'use strict'

const { contestants, THRESHOLD_MS } = require('../bakeoff/contestants')
const { readLoad } = require('../load/target/remote-agent')
const { peers } = require('./peers')

/**
 * A started watcher of a server.
 * @typedef {object} Started
 * @property {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, next: () =>
 * void) => void} [inRequest] around each request
 * @property {() => Promise<number>} [counted] the requests it has counted
 * @property {() => boolean | Promise<boolean>} [sees] whether it has seen any: of one that counts none
 *
 * @typedef {object} Watcher
 * @property {string[]} [packages] of npm
 * @property {(params: { dir: string }) => { env?: Record<string, string>, cwd?: string }} [around] of the server's
 * process
 * @property {() => { start: () => Started | void | Promise<Started | void> }} load what start() is measured without
 */

/** @param {Record<string, unknown>} options @returns {Watcher} */
const loopwatch = (options, countsRequests = true) => ({
  load: () => {
    const { start } = require('../../lib')
    return {
      start: () => {
        const agent = start({ port: 0, log: false, ...options })
        return countsRequests ? { counted: async () => readLoad(await agent.metrics())['']?.requests ?? 0 } : undefined
      }
    }
  }
})

/**
 * One that the bakeoff compares too, set up as there but for these settings.
 * @param {string} name
 * @param {{ thresholdMs?: number, beatMs?: number, checkMs?: number }} [settings]
 * @returns {Watcher}
 */
const contestant = (name, settings = {}) => ({
  packages: contestants[name].packages,
  load: () => {
    const packages = contestants[name].packages.map((each) => require(each))
    return {
      start: async () => {
        const { inRequest } =
          (await contestants[name].start({ packages, report: () => {}, thresholdMs: THRESHOLD_MS, ...settings })) ?? {}
        return inRequest === undefined ? undefined : { inRequest: (_request, _response, next) => inRequest('/', next) }
      }
    }
  }
})

/** Watchers by variant. @type {Record<string, Watcher>} */
exports.watchers = {
  nothing: { load: () => ({ start: () => {} }) },

  loopwatch: loopwatch({}),

  'loopwatch-requests-off': loopwatch({ requests: 'off' }, false),

  // All that may stay on in production: requests followed from the start.
  'loopwatch-full': loopwatch({ requests: 'on' }),

  'loopwatch-origin': loopwatch({ origin: 'on' }),

  'loopwatch-profile': loopwatch({ profile: 'on' }),

  'loopwatch-profile-off': loopwatch({ profile: 'off' }),

  'blocked-at': contestant('blocked-at'),

  // prom-client is among them.
  ...peers,

  opentelemetry: contestant('opentelemetry'),

  // Set up as in its README. The bakeoff asks for blocks of 50 ms, which takes ten times as many beats.
  sentry: contestant('sentry', { thresholdMs: 1000, beatMs: 200, checkMs: 500 }),

  // The process that `clinic doctor` starts, without the report it makes afterwards.
  'clinic-doctor': {
    packages: ['@clinic/doctor'],
    around: ({ dir }) => ({
      cwd: dir,
      env: {
        NODE_PATH: require('node:path').join(require.resolve('@clinic/doctor'), '..', 'injects'),
        NODE_OPTIONS: '-r no-cluster.js -r sampler.js --trace-events-enabled --trace-event-categories v8',
        NODE_CLINIC_DOCTOR_SAMPLE_INTERVAL: '10',
        NODE_CLINIC_DOCTOR_TIMEOUT_DELAY: '0',
        NODE_CLINIC_DOCTOR_COLLECT_LOOP_UTILIZATION: 'true',
        NODE_CLINIC_DOCTOR_DATA_PATH: dir
      }
    }),
    load: () => ({ start: () => {} })
  }
}
