'use strict'

// Takes a minute: each test starts a real PostgreSQL, some end it in the middle of a run.
// The scenarios with servers and a database, when those fail, are interrupted or killed.
const test = require('node:test')
const assert = require('node:assert/strict')
const { randomUUID } = require('node:crypto')
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { Client } = require('pg')
const { eventually, startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { startDatabase } = require('../../scenarios/cluster-http/database/database')
const { setup } = require('../../scenarios/cluster-http/setup')

const MAIN = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
const isLinux = process.platform === 'linux'
/** A server of a second repeat, say, has been asked for a while by then. */
const UNDER_LOAD_MS = 700

/** @param {string} pid @param {string} file */
const read = (pid, file) => {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`, 'latin1').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/**
 * @param {import('node:test').TestContext} t
 * @param {string[]} args
 * @param {{ files?: number, variables?: Record<string, string> }} [limits] files that a process may have open
 */
function start (t, args, { files, variables = {} } = {}) {
  const [mark, dir, out] = [randomUUID(), makeDir(t), makeDir(t)]
  // The database's own user looks in here as well.
  fs.chmodSync(dir, 0o755)
  const json = path.join(out, 'results.json')
  const command = [MAIN, 'scenario', ...args, '--json', json, '--port', '0']
  const env = { TEST_LOOPWATCH_MARK: mark, TMPDIR: dir, ...variables }
  const { child, out: said, closed } = files === undefined
    ? startNode(t, command, { env })
    : startNode(t, ['-c', `ulimit -n ${files}; exec "$0" "$@"`, process.execPath, ...command], { env, node: 'sh' })
  const find = (/** @type {string} */ text) => fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && read(pid, 'environ').includes(mark) && read(pid, 'cmdline').includes(text))
  return {
    child,
    ended: closed.then(({ code, signal }) => code ?? signal),
    said,
    find,
    /** @param {string} text of the command line */
    appears: async (text) => Number((await eventually(() => find(text)[0], () => `a process ${text}: ${said.stderr}`, 40000))),
    results: () => Object.fromEntries(JSON.parse(fs.readFileSync(json, 'utf8')).cells.map((/** @type {any} */ cell) => [`${cell.variant} ${cell.params.endpoint ?? cell.params.kernel}`, cell])),
    leavesNothing: () => eventually(() => find('').length === 0 && !fs.readdirSync(dir).some((name) => /^loopwatch-(postgres|go)-/.test(name)), () => `nothing: ${find('').map((pid) => read(pid, 'cmdline'))} ${fs.readdirSync(dir)}`)
  }
}

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))

test('a database that goes down in mid-run fails its cell, clearly, and the rest goes on with another', { skip: !isLinux }, async (t) => {
  const run = start(t, ['cluster-http', '--quick', '--only', 'single,cluster', '--seconds', '1'])
  await run.appears('--topology=single')
  await sleep(UNDER_LOAD_MS)
  process.kill(await run.appears('postgres -D'), 'SIGKILL')
  assert.equal(await run.ended, 1, run.said.stderr)
  const { 'single database': failed, 'cluster database': next, 'single cpu': other } = run.results()
  assert.match(failed.error, /the database went away during the run/)
  assert.deepEqual([failed.median, next.oracle, other.oracle], [null, 'passed', 'passed'])
  await run.leavesNothing()
})

test('with --database-url one\'s own database is used and left tidy; where it goes away the rest goes on', { skip: !isLinux }, async (t) => {
  const database = await startDatabase(new AbortController().signal)
  t.after(() => database.stop())
  const fine = start(t, ['cluster-http', '--quick', '--only', 'single', '--database-url', database.url])
  assert.equal(await fine.ended, 0, fine.said.stderr)
  assert.equal(fine.results()['single database'].oracle, 'passed')
  assert.deepEqual(fine.find('postgres'), [], 'no other database was started')
  const client = new Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end().catch(() => {}))
  assert.deepEqual((await client.query("select tablename from pg_tables where tablename like 'loopwatch%'")).rows, [])

  const absent = start(t, ['cluster-http', '--quick', '--only', 'single', '--database-url', `${database.url}-absent`])
  assert.equal(await absent.ended, 1)
  assert.match(absent.said.stderr, /no PostgreSQL for the scenario: \S+-absent does not answer: database "postgres-absent" does not exist/)

  const run = start(t, ['cluster-http', '--quick', '--only', 'single,cluster', '--seconds', '1', '--database-url', database.url])
  await run.appears('--topology=single')
  await sleep(UNDER_LOAD_MS)
  process.kill(database.pid, 'SIGKILL')
  assert.equal(await run.ended, 1, run.said.stderr)
  const { 'single database': failed, 'cluster database': next, 'single cpu': other } = run.results()
  assert.match(failed.error, /the database went away during the run/)
  assert.match(next.error, /does not answer|ECONNREFUSED/)
  assert.deepEqual([failed.median, next.median, other.oracle], [null, null, 'passed'])
  await run.leavesNothing()
})

test('one\'s own database is left tidy by a setup that fails or is interrupted, too', { skip: !isLinux }, async (t) => {
  const database = await startDatabase(new AbortController().signal)
  t.after(() => database.stop())
  const client = new Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end().catch(() => {}))
  const tables = async () => (await client.query("select tablename from pg_tables where tablename like 'loopwatch%'")).rows
  /** @type {(() => unknown)[]} */
  const endings = []
  const cell = { variant: 'single', params: { endpoint: 'database-absent', workers: 1, users: 2, connection: 'kept', share: 0.3 }, module: '', data: { usesDatabase: true } }
  const input = { mode: 'full', options: { databaseUrl: database.url }, cells: [cell], environment: { cores: 2 }, signal: new AbortController().signal, say: () => {}, defer: (/** @type {() => unknown} */ end) => endings.push(end) }
  await assert.rejects(setup(/** @type {any} */ (input)), /Invalid URL/)
  assert.equal((await tables()).length, 3, 'it had begun to use it')
  for (const end of endings) await end()
  assert.deepEqual(await tables(), [])
})

test('too few file handles for the users fail the cell before it measures, and say how many it takes', { skip: !isLinux }, async (t) => {
  const run = start(t, ['goroutines', '--quick', '--only', 'node-main'], { files: 66 })
  assert.equal(await run.ended, 1, run.said.stderr)
  const { 'node-main float': failed } = run.results()
  assert.match(failed.error, /4 users need 68 file handles and 66 are allowed: raise it with "ulimit -Hn 68"/)
  assert.equal(failed.median, null)
  await run.leavesNothing()
})

test('a server that dies in mid-run fails its cell, clearly, and the rest goes on', { skip: !isLinux }, async (t) => {
  const run = start(t, ['goroutines', '--quick', '--only', 'node-main,node-pool', '--seconds', '1'])
  const pid = await run.appears('--way main')
  await sleep(UNDER_LOAD_MS)
  process.kill(pid, 'SIGKILL')
  assert.equal(await run.ended, 1, run.said.stderr)
  const { 'node-main float': failed, 'node-pool float': other } = run.results()
  assert.match(failed.error, /the server ended \(SIGKILL\)/)
  assert.equal(other.oracle, 'passed')
  await run.leavesNothing()
})

for (const [name, signal, code] of /** @type {const} */ ([['Ctrl-C', 'SIGINT', 130], ['a harness that is killed', 'SIGKILL', 'SIGKILL']])) {
  test(`${name} leaves no server, no driver and no database behind`, { skip: !isLinux }, async (t) => {
    const run = start(t, ['cluster-http', '--quick', '--only', 'cluster', '--repeats', '50'])
    await run.appears('--topology=cluster')
    await run.appears('driver-main')
    run.child.kill(signal)
    assert.equal(await run.ended, code)
    await run.leavesNothing()
  })
}

test('what is missing or wrong is one line that says what to do', async (t) => {
  const taken = net.createServer()
  await new Promise((resolve) => taken.listen(0, '127.0.0.1', () => resolve(undefined)))
  t.after(() => taken.close())
  const port = String(/** @type {net.AddressInfo} */ (taken.address()).port)
  for (const [args, expected, variables] of /** @type {[string[], RegExp, Record<string, string>?][]} */ ([
    [['cluster-http', '--quick', '--only', 'single', '--database-url', 'postgres://me:secret@127.0.0.1:1/shop'], /no PostgreSQL for the scenario: 127.0.0.1:1\/shop does not answer/],
    [['goroutines', '--quick', '--only', 'node-main', '--server-port', port], /--server-port \d+: the port is taken/],
    [['cluster-http', '--database-url', 'mysql://x'], /--database-url/],
    [['cluster-http', '--driver', 'wrk'], /--driver/],
    [['cluster-http', '--quick', '--only', 'single', '--driver', 'k6'], /k6 is not on the PATH: https:\/\/k6\.io/, { PATH: makeDir(t) }],
    [['goroutines', '--faithful', '--loop', '1000'], /--loop/]
  ])) {
    const run = start(t, args, { variables })
    assert.notEqual(await run.ended, 0)
    assert.match(run.said.stderr, expected)
    assert.doesNotMatch(run.said.stderr, /secret|\n {4}at /)
  }
})
