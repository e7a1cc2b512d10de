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
})
