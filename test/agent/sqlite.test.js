'use strict'

// runtime: node:sqlite
const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { eventually, startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
const [major] = process.versions.node.split('.').map(Number)
const hasSqlite = major >= 22

/** A shorter wait may lose so much of its time beside other tests that it counts as kept waiting for a CPU. */
const TIMEOUT_MS = 800

/** Holds the lock of a database for as long as it lives. */
const WRITER = `
const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(process.argv[1])
database.exec('PRAGMA journal_mode = ' + process.argv[2])
database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY)')
database.exec('BEGIN IMMEDIATE')
console.log('locked')
setInterval(() => {}, 1000)
`

const WAITING = `
const agent = require(${JSON.stringify(ROOT)}).start({ port: false, threshold: 60, log: { destination: 2 } })
const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(process.argv[1], { timeout: ${TIMEOUT_MS} })
const insert = () => { try { database.exec('INSERT INTO orders DEFAULT VALUES') } catch {} }
agent.ready.then(() => setInterval(insert, ${TIMEOUT_MS + 500}))
`

const SLOW = `
const options = JSON.parse(process.argv[1])
const agent = require(${JSON.stringify(ROOT)}).start({ port: false, threshold: 60, log: { destination: 2 }, ...options })
const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(':memory:')
database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT)')
const sql = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) FROM n LEFT JOIN orders ON id = i AND customer = ?'
const count = (most) => {
  return database.prepare(sql).get(most, 's3cret')
}
// Longer until it is a block, however fast the machine.
let most = 100000
agent.ready.then(() => setInterval(() => {
  const startMs = performance.now()
  count(most)
  if (performance.now() - startMs < 250) most *= 2
}, 700))
`

/** @param {string} log */
const linesOf = (log) => log.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))

describe('a block in SQLite', { concurrency: 2 }, () => {
  for (const mode of ['DELETE', 'WAL']) {
    const skip = !hasSqlite || process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)
    test(`a call that waits for another connection says which database is locked (journal_mode ${mode})`, { skip }, async (t) => {
      const file = path.join(makeDir(t), 'orders.db')
      const writer = startNode(t, ['--no-warnings', '-e', WRITER, file, mode])
      await eventually(() => writer.out.stdout.includes('locked'), () => `the lock; ${writer.out.stderr}`)
      const { out } = startNode(t, ['--no-warnings', '-e', WAITING, file])
      const isWait = ({ event = '', cause = '', durationMs = 0 }) =>
        event === 'settled' && cause === 'sync-io' && durationMs > TIMEOUT_MS / 2
      const line = await eventually(() => linesOf(out.stderr).find(isWait), () => `a block; the log: ${out.stderr}`)
      const { call, target, text } = line.evidence.sleptIn
      assert.deepEqual([call, target], ['nanosleep', file], JSON.stringify(line))
      assert.equal(text, `waits for the lock of a SQLite database: ${file}`)
      assert.ok(line.msg.includes(`, ${text}`) && !line.msg.includes('asleep in'), line.msg)
    })
  }

  const hasChannel = major >= 26
  test('the second block in a slow statement names it, without the values', { skip: !hasChannel }, async (t) => {
    const { out } = startNode(t, ['--no-warnings', '-e', SLOW, '{"statements":"on"}'])
    const line = await eventually(() => linesOf(out.stderr).find(({ event, query }) => event === 'settled' && query),
      () => `a block with a statement; the log: ${out.stderr}`)
    const { text, durationMs, count, totalMs } = line.query
    assert.equal(text, 'WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + ? FROM n WHERE i < ?) ' +
      'SELECT count(*) FROM n LEFT JOIN orders ON id = i AND customer = ?')
    assert.ok(durationMs >= 60 && count === 1 && totalMs === durationMs, JSON.stringify(line.query))
    assert.ok(line.msg.endsWith(`, statement (${durationMs} ms): ${text}`), line.msg)
    assert.doesNotMatch(out.stderr, /s3cret/)
  })

  test('no statement is named by default', { skip: !hasChannel }, async (t) => {
    const { out } = startNode(t, ['--no-warnings', '-e', SLOW, '{}'])
    const isBlock = ({ event = '', durationMs = 0 }) => event === 'settled' && durationMs > 150
    const lines = await eventually(() => {
      const blocks = linesOf(out.stderr).filter(isBlock)
      return blocks.length > 3 && blocks
    }, () => `four blocks; the log: ${out.stderr}`)
    assert.ok(lines.every(({ query }) => query === undefined), out.stderr)
    assert.doesNotMatch(out.stderr, /RECURSIVE/)
  })
})
