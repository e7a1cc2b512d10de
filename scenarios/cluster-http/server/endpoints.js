'use strict'

const path = require('node:path')
const { kernels } = require('../../goroutines/kernels')
const { FULL_BODY_BYTES } = require('../database/rows')

const KERNEL = 'int32'

const part = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A constant token; nobody checks its signature, as nobody does in the original. */
const token = [part({ alg: 'HS256', typ: 'JWT' }), part({ sub: '1234567890', name: 'A. Reader', iat: 1516239022 }), 'c2lnbmF0dXJl'].join('.')

/** Content of a token, unverified. @param {string} token @returns {{ sub: string }} */
const decode = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())

/** @typedef {{ query: (text: string, values?: unknown[]) => Promise<{ rows: object[] }> }} Database */

/** Nobody waits for it; that it failed shows in the query that somebody waits for. */
const ignore = () => {}

/**
 * The work of each request of the original: three queries, one after the other on a connection. It waits for the last
 * one.
 * @param {Database} database @param {{ into: string, from: string }} tables
 */
const askDatabase = (database, { into, from }) => async () => {
  decode(token)
  database.query(`insert into ${into}(t) values ($1)`, [new Date()]).catch(ignore)
  database.query(`select count(1) from ${from}`).catch(ignore)
  const { rows } = await database.query(`select * from ${from} limit 1000`)
  return JSON.stringify({ rows })
}

/**
 * @param {object} parts
 * @param {Database | null} parts.database
 * @param {number} parts.steps of the CPU work
 * @param {number} parts.threads that do it, 0 = this one
 * @returns {Record<string, () => string | Promise<string>>}
 */
exports.createEndpoints = ({ database, steps, threads }) => {
  const body = JSON.stringify({ text: 'x'.repeat(FULL_BODY_BYTES - JSON.stringify({ text: '' }).length) })
  const pool = threads === 0 ? null : new (require('piscina').Piscina)({ filename: path.join(__dirname, 'cpu-task.js'), minThreads: threads, maxThreads: threads, idleTimeout: Infinity })
  return {
    '/empty': () => '',
    '/static': () => body,
    '/cpu': pool === null ? () => kernels[KERNEL](steps) : () => pool.run(steps),
    ...(database === null
      ? {}
      : {
          '/': askDatabase(database, { into: 'loopwatch_requests', from: 'loopwatch_requests' }),
          '/fixed': askDatabase(database, { into: 'loopwatch_log', from: 'loopwatch_fixed' })
        })
  }
}

exports.KERNEL = KERNEL
