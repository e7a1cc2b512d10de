'use strict'

const path = require('node:path')
const { startServer } = require('../load/target/server')
const { FULL_BODY_BYTES } = require('./database/rows')

const SERVER = path.join(__dirname, 'server', 'main.js')
/** @type {Record<string, string>} */
const PATHS = { empty: '/empty', static: '/static', cpu: '/cpu', database: '/', 'database-fixed': '/fixed' }
/** Pads requests to the length of the original's: "GET /", this, and undici's Connection. */
const HEADERS = { host: 'localhost:3000', 'user-agent': 'lw' }

/** @typedef {{ params: any, data: any, shared: any }} Given of a cell */

/** The server of a cell. @param {Given} given */
exports.start = ({ params, data, shared }) => startServer(process.execPath, [SERVER, ...Object.entries({
  topology: data.topology, workers: params.workers, port: shared.port, database: data.usesDatabase ? shared.databaseUrl : '', connections: data.connections, steps: shared.steps, threads: data.threads
}).map(([name, value]) => `--${name}=${value}`)])

/**
 * The order for the driver.
 * @param {Given} given
 * @param {string} url
 * @param {{ seconds: number, ratePerSecond?: number, graceSeconds?: number }} run
 * @returns {import('../load/interface').LoadOrder}
 */
exports.orderOf = ({ params, shared }, url, run) => ({
  url: `${url}${PATHS[params.endpoint]}`,
  users: params.users,
  ...run,
  keepAlive: params.connection === 'kept',
  headers: HEADERS,
  expect: params.endpoint === 'static' || params.endpoint === 'database-fixed' ? { bodyBytes: FULL_BODY_BYTES } : params.endpoint === 'cpu' ? { body: shared.cpuBody } : {}
})

/** The parameters that determine the capacity of one process. @param {any} params */
exports.capacityKey = ({ endpoint, connection }) => `${endpoint} ${connection}`
