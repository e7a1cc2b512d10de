'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { channel } = require('node:diagnostics_channel')
const { setTimeout: sleep } = require('node:timers/promises')
const { Queries, queryText } = require('../../../../lib/host/work/queries')
const { seeded } = require('../../../support/simulated-host')

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e6))

test('a statement is shown without its literals and comments, and with its names', () => {
  for (const [sql, text] of [
    ["SELECT * FROM orders WHERE customer = 'O''Brien' AND total > 17.50", 'SELECT * FROM orders WHERE customer = ? AND total > ?'],
    ["INSERT INTO \"order lines\" VALUES (1, x'c0ffee', 'a', NULL)", 'INSERT INTO "order lines" VALUES (?, …, NULL)'],
    ['SELECT t1.a2, [it\'s 5], `b 7` -- 4711\nFROM t1 /* \'x */ LIMIT 0x1F', "SELECT t1.a2, [it's 5], `b 7` FROM t1 LIMIT ?"],
    ['SELECT 1e-10 + .5 - 1_000, ?1, :name, @x, $y', 'SELECT ? + ? - ?, …, :name, @x, $y'],
    ["SELECT name FROM täglich WHERE note LIKE '%--%' AND b=X''", 'SELECT name FROM täglich WHERE note LIKE ? AND b=?'],
    ['-- a\u2028secret\r7\nSELECT b', 'SELECT b'],
    ["SELECT 'cut off", 'SELECT ?'],
    ['SELECT a /* cut off', 'SELECT a'],
    ['SELECT "cut off', 'SELECT ?']
  ]) assert.equal(queryText(sql), text)
})

test('a long statement is cut to 200 characters, wherever it ends', () => {
  const columns = Array.from({ length: 90 }, (_, i) => `column_${i}`).join(', ')
  assert.match(queryText(`SELECT ${columns} FROM t`), /^SELECT column_0, column_1, .{172}…$/)
  assert.equal(queryText(`INSERT INTO files VALUES ('${'secret'.repeat(1e6)}', 5)`), 'INSERT INTO files VALUES (?…')
})

test('no literal of a statement survives, whatever it contains', (t) => {
  t.diagnostic(`seed ${seed}`)
  const random = seeded(seed)
  /** @template T @param {T[]} list */
  const oneOf = (list) => list[Math.floor(random() * list.length)]
  const some = (/** @type {string[]} */ list, most = 6) => Array.from({ length: Math.floor(random() * most) }, () => oneOf(list)).join('')
  const INNER = ["''", '"', '`', '[', ']', '--', '/*', '*/', '\n', '\r', '\u2028', ' ', '?', '\\', ';', 'é', '\u{1f600}', '5', 'x']
  const secret = () => `s3cret${Math.floor(random() * 1000)}`
  const literals = [
    () => `'${some(INNER)}${secret()}${some(INNER)}'`,
    () => `${oneOf(['x', 'X'])}'${some(['73', '33', 'ff', '00'])}'`,
    () => `${Math.floor(random() * 1e6)}${oneOf(['', '.25', 'e5', 'e-7', 'E+3', '.'])}`,
    () => `.${Math.floor(random() * 1e6)}`,
    () => `0x${Math.floor(random() * 1e9).toString(16)}`,
    () => `--${some(INNER).replaceAll('\n', '')}${secret()}\n`,
    () => `/*${some(INNER).replaceAll('/', '')}${secret()}*/`
  ]
  const names = [
    () => oneOf(['SELECT', 'order_2', 'täglich', '_a$1', 'x1', 'X', 'e5', 'naïve7']),
    () => `"${some(['""', "'", '--', '/*', ' ', '[', '7'])}name"`,
    () => `[${some(["'", '"', '--', '/*', ' ', '7'])}name]`,
    () => `\`${some(['``', "'", '"', '--', '7'])}name\``
  ]
  const BETWEEN = [' ', '\n', ', ', ' = ', '(', ')', '+', ' - ', '||', '; ', ' ->> ']
  for (let i = 0; i < 5000; i++) {
    const parts = Array.from({ length: 1 + Math.floor(random() * 8) }, () =>
      random() < 0.6 ? { literal: oneOf(literals)() } : { name: oneOf(names)() })
    const sql = parts.map((part) => (part.literal ?? part.name) + oneOf(BETWEEN)).join('')
    const text = queryText(sql)
    const what = `seed ${seed}: ${JSON.stringify(sql)} became ${JSON.stringify(text)}`
    const left = parts.flatMap(({ name }) => name === undefined ? [] : name.replace(/\s+/g, ' '))
      .reduce((rest, name) => rest.includes(name) ? rest.replace(name, () => '') : rest, text)
    assert.doesNotMatch(left, /s3cret|\d|'/, what)
    assert.ok(text.length <= 200, what)
    if (text.length < 200) for (const { name } of parts) assert.ok(name === undefined || text.includes(name.replace(/\s+/g, ' ')), `${what}, without ${name}`)
    // Cut anywhere, as a long statement is.
    assert.doesNotMatch(queryText(sql.slice(0, Math.floor(random() * sql.length))), /s3cret\d/, what)
  }
})

const published = channel('sqlite.db.query')
/** @param {string} sql @param {number} ms */
const run = (sql, ms) => published.publish({ sql, duration: ms * 1e6, database: {} })

/** @param {import('node:test').TestContext} t */
function makeQueries (t) {
  const beat = { beats: 1 }
  /** @type {any[]} */
  const posted = []
  const queries = new Queries(beat, (message) => posted.push(message))
  t.after(() => queries.stop())
  return { beat, posted, queries }
}

test('nobody listens to statements before a block may have been in one, nor after the agent has stopped', (t) => {
  const { queries } = makeQueries(t)
  assert.equal(published.hasSubscribers, false)
  queries.follow()
  queries.follow()
  assert.equal(published.hasSubscribers, true)
  queries.stop()
  assert.equal(published.hasSubscribers, false)
  queries.follow()
  assert.equal(published.hasSubscribers, false)
})

test('a late beat reports the longest statement of its turn, and the time of all', (t) => {
  const { beat, posted, queries } = makeQueries(t)
  queries.follow()
  run('SELECT 1', 900)
  beat.beats++
  for (const [sql, ms] of /** @type {[string, number][]} */ ([['SELECT a', 0], ['SELECT b FROM t WHERE c = 5', 80], ['SELECT d', 3]])) run(sql, ms)
  queries.late()
  beat.beats++
  queries.late()
  const [{ code, atMs, ...rest }] = posted
  assert.deepEqual(rest, { text: 'SELECT b FROM t WHERE c = ?', durationMs: 80, count: 3, totalMs: 83 })
  assert.equal(posted.length, 1)
})

test('garbage on the channel neither throws nor is reported', (t) => {
  const { posted, queries } = makeQueries(t)
  t.mock.method(process, 'nextTick', () => assert.fail('an error of a subscriber ends the process'))
  queries.follow()
  const throwing = new Proxy({}, { get () { throw new Error('from the application') } })
  for (const message of [
    undefined, null, 5, 'text', [], {}, throwing, { sql: 5, duration: 5 }, { sql: 'SELECT 1' }, { sql: 'SELECT 1', duration: NaN },
    { sql: 'SELECT 1', duration: Infinity }, { sql: 'SELECT 1', duration: '5' }, { sql: 'SELECT 1', duration: 5n },
    { sql: { length: 5, slice: 5 }, duration: 5 }, { sql: throwing, duration: 5 }, { sql: Symbol('a'), duration: 5 }
  ]) published.publish(message)
  queries.late()
  assert.deepEqual(posted, [])
})

test('statements are followed for a hundredth of the time at most: some thousand at once, and then none for a second', async (t) => {
  const { posted, queries } = makeQueries(t)
  queries.follow()
  for (let i = 0; i < 30_000; i++) run('SELECT 1', 0)
  assert.equal(published.hasSubscribers, false)
  queries.late()
  assert.ok(posted[0].more && posted[0].count > 5000 && posted[0].count < 15_000, JSON.stringify(posted))
  queries.follow()
  assert.equal(published.hasSubscribers, false)
  await sleep(1000)
  queries.follow()
  assert.equal(published.hasSubscribers, true)
})

test('a statement with large values is the last that is followed', (t) => {
  const { posted, queries } = makeQueries(t)
  queries.follow()
  run(`INSERT INTO files VALUES (x'${'ff'.repeat(1e5)}')`, 5)
  assert.equal(published.hasSubscribers, false)
  queries.follow()
  assert.equal(published.hasSubscribers, false)
  queries.late()
  assert.deepEqual(posted, [])
})
