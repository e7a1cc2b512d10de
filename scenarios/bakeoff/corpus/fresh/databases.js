'use strict'

const ROWS = 360000
const TABLE = 'CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, sku TEXT, amount REAL)'
const FILL = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
  INSERT INTO orders SELECT i, 'name ' || (i * 7919 % 100003), 'sku ' || i, i / 7.0 FROM n`

/**
 * Node.js 20 has no node:sqlite, and better-sqlite3's binary ends it with a segmentation fault, which no
 * attempt to load the binary would survive: hence by version.
 */
const hasDatabases = Number.parseInt(process.versions.node) >= 22

/** The same rows in node:sqlite and in better-sqlite3, in memory; null before Node.js 22. */
exports.openDatabases = () => {
  if (!hasDatabases) return null
  const load = (/** @type {string} */ name) => require(name)
  const { DatabaseSync } = load('node:sqlite')
  const BetterSqlite = load('better-sqlite3')
  const databases = { sqlite: new DatabaseSync(':memory:'), betterSqlite: new BetterSqlite(':memory:') }
  for (const database of Object.values(databases)) database.exec(`${TABLE}; ${FILL}`)
  return databases
}

exports.hasDatabases = hasDatabases
