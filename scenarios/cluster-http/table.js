'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { schema } = require('./database/rows')

const SETTLE_LIMIT_MS = 5000
const SETTLE_POLL_MS = 20

/** The tables, made anew. @param {string} connectionString */
exports.openTable = async (connectionString) => {
  const { Client } = require('pg')
  const client = new Client({ connectionString, connectionTimeoutMillis: SETTLE_LIMIT_MS })
  client.on('error', () => {})
  await client.connect().catch((error) => { throw new Error(`the database does not answer: ${error.message || error.code}`, { cause: error }) })
  await client.query(schema)
  const count = async () => Number((await client.query('select count(1) from loopwatch_requests')).rows[0].count)
  // Nobody waits for the inserts, so the last of them come after the last answer.
  const settled = async (/** @type {number} */ expected) => {
    for (let waitedMs = 0; waitedMs < SETTLE_LIMIT_MS && (await count()) < expected; waitedMs += SETTLE_POLL_MS) {
      await sleep(SETTLE_POLL_MS)
    }
    return count()
  }
  return {
    count: settled,
    empty: async (/** @type {number} */ expected) => {
      await settled(expected)
      await client.query('truncate loopwatch_requests')
    },
    close: () => client.end().catch(() => {})
  }
}
