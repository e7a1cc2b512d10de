'use strict'

// Native code that calls the application back, and native code that is the last act of a function: what runs next is
// not what took the time. `here:` as in ../blocks.js.
const { pbkdf2Sync } = require('node:crypto')
const tls = require('node:tls')
const { hasDatabases } = require('../fresh/databases')

const READINGS = 2400
const ROWS = 130000
const ROUNDS = 660000
const KEY_BYTES = 32
const AUTHORITIES = 800

/** A function of the application that SQLite calls once per row of the outer query, which is a small part. */
function openDatabase () {
  if (!hasDatabases) return null
  /** @type {any} */
  const BetterSqlite = require('better-sqlite3')
  const database = new BetterSqlite(':memory:')
  database.exec(`CREATE TABLE readings (id INTEGER PRIMARY KEY, value REAL); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL
    SELECT i + 1 FROM n WHERE i < ${READINGS}) INSERT INTO readings SELECT i, i * 7919 % 1009 / 7.0 FROM n`)
  database.function('bucketOf', function bucketOf (/** @type {number} */ distance) {
    return Math.floor(distance) % 7
  })
  return database.prepare(`WITH distances AS (SELECT a.id, sum(abs(a.value - b.value)) AS distance
    FROM readings a, readings b GROUP BY a.id) SELECT count(*) AS total FROM distances WHERE bucketOf(distance) = 3`)
}

const statement = openDatabase()
const json = JSON.stringify(Array.from({ length: ROWS }, (_, id) => ({ id, name: `name ${id}`, paid: id % 2 === 0 })))
const authorities = Array.from({ length: AUTHORITIES }, (_, i) => tls.rootCertificates[i % tls.rootCertificates.length])

/** Gives back what it is given, but for one kind of field. @param {string} key @param {unknown} value */
function revive (key, value) {
  return key === 'at' ? new Date(Number(value)) : value
}

/** @param {string} secret */
async function deriveKey (secret) {
  await null
  return pbkdf2Sync(secret, 'salt', ROUNDS, KEY_BYTES, 'sha512') // here: keyAfterAwait
}

exports.blocks = {
  sqliteCallback () {
    const { total } = statement.get() // here: sqliteCallback
    return total
  },
  reviver () {
    const rows = JSON.parse(json, revive) // here: reviver
    return rows.length
  },
  async keyAfterAwait () {
    const key = await deriveKey('a secret')
    return key.toString('hex')
  },
  tlsAuthorities (/** @type {number} */ ms) {
    let context = null
    const end = performance.now() + ms
    // As a client that is given them makes one for each connection.
    while (performance.now() < end) context = tls.createSecureContext({ ca: authorities }) // here: tlsAuthorities
    return context?.context
  }
}
