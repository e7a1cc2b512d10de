'use strict'

// The cost of following a statement of node:sqlite: CPU time of whole processes, alternating with and without. Needs
// Node.js 26:
//   node scenarios/overhead/checks/sqlite-statements.js [rounds, 7 by default]
const { execFileSync } = require('node:child_process')
// @ts-expect-error: the types are those of Node.js 20.
const { DatabaseSync } = require('node:sqlite')
const { Queries } = require('../../../lib/host/work/queries')
const { median } = require('../../../lib/util/statistics')

const ROWS = 1000
const BYTES = 10_000
/** Runs before the first measurement. */
const WARM = 300

/**
 * Statements, how many run at once, and how often. So few take less time than the budget, at which following ends.
 * @type {Record<string, [sql: string, valuesOf: (i: number) => any[], runs: number, rounds: number]>}
 */
const STATEMENTS = {
  'reads one row': ['SELECT * FROM t WHERE id = ?', (i) => [i % ROWS], 8000, 30],
  'updates one row': ['UPDATE t SET a = ? WHERE id = ?', (i) => [`n${i}`, i % ROWS], 8000, 30],
  'writes a string of 10 kB': ['UPDATE t SET a = ? WHERE id = ?', (i) => ['x'.repeat(BYTES), i % ROWS], 60, 100],
  'writes a blob of 10 kB': ['UPDATE t SET a = ? WHERE id = ?', (i) => [Buffer.alloc(BYTES, 7), i % ROWS], 30, 100],
  'searches 1,000 rows': ['SELECT count(*) FROM t WHERE a LIKE ?', () => ['%5%'], 4000, 2]
}

/** Microseconds of CPU time a statement. @param {string} name @param {boolean} isFollowed */
function measure (name, isFollowed) {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, a)')
  const insert = database.prepare('INSERT INTO t VALUES (?, ?)')
  for (let i = 0; i < ROWS; i++) insert.run(i, `name ${i}`)
  const [sql, valuesOf, runs, rounds] = STATEMENTS[name]
  const statement = database.prepare(sql)
  const values = Array.from({ length: runs }, (_, i) => valuesOf(i))
  for (let i = 0; i < WARM; i++) statement.all(...values[i % runs])
  let micros = 0
  for (let round = 0; round < rounds; round++) {
    const queries = new Queries({ beats: 1 }, () => {})
    if (isFollowed) queries.follow()
    const before = process.cpuUsage()
    for (const each of values) statement.all(...each)
    const { user, system } = process.cpuUsage(before)
    micros += user + system
    queries.stop()
  }
  return micros / runs / rounds
}

/** @param {number} rounds */
function main (rounds) {
  process.stdout.write(`Node.js ${process.version}, ${rounds} rounds, microseconds of CPU time\n`)
  for (const name of Object.keys(STATEMENTS)) {
    const run = (/** @type {string} */ follow) =>
      Number(execFileSync(process.execPath, ['--no-warnings', __filename, name, follow], { encoding: 'utf8' }))
    const pairs = Array.from({ length: rounds }, () => [run(''), run('follow')])
    const [plain, followed] = [0, 1].map((i) => median(pairs.map((pair) => pair[i])) ?? NaN)
    const ratio = median(pairs.map(([a, b]) => b / a)) ?? NaN
    process.stdout.write(`${name}: ${plain.toFixed(1)}, followed ${followed.toFixed(1)}, ${ratio.toFixed(2)} times\n`)
  }
}

const [, , first = '7', follow] = process.argv
if (first in STATEMENTS) process.stdout.write(`${measure(first, follow === 'follow')}`)
else main(Number(first))
