'use strict'

// Blocks whose line and request are easily told wrong, in a real application: several callbacks in one turn, middleware
// that only goes on, native calls that call back.
// runtime: V8 stacks and profiles
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { AGAIN } = require('../support/again')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')

const PACKAGE = `
const slow = () => { const [end, from] = [Date.now() + 400, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < 200000); }
exports.compose = (middleware) => {
  const dispatch = (i) => i === middleware.length ? slow() : middleware[i](() => dispatch(i + 1))
  return () => dispatch(0)
}`

const APP = `
const agent = require(${JSON.stringify(ROOT)}).start({ port: false, log: false, threshold: 40, requests: 'on', profile: 'on' })
const http = require('node:http')
const net = require('node:net')
const { setTimeout: sleep } = require('node:timers/promises')
const { compose } = require('chain')
const hold = (ms) => { const [end, from] = [Date.now() + ms, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < ms * 500); }
const refresh = () => {
  hold(400) // refresh
}
const through = compose([(next) => next(), (next) => { next() }])
const handlers = {
  '/small': () => hold(60),
  '/through': () => through()
}
try {
  const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(':memory:')
  database.function('keep', { deterministic: false }, (n) => n % 7)
  const statement = database.prepare('WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 3000000) SELECT sum(CASE WHEN n % 3000 = 0 THEN keep(n) ELSE n * n % 91 END) AS s FROM c')
  handlers['/count'] = () => {
    statement.get() // count
  }
} catch {}
const server = http.createServer((request, response) => {
  handlers[request.url]()
  response.end()
})
${AGAIN}
server.listen(0, '127.0.0.1', async () => {
  const ask = async (url) => {
    const isOf = ({ request, excused }) => request?.route === url && !excused
    told[url] = await again(() => fetch('http://127.0.0.1:' + server.address().port + url), isOf)
  }
  const told = {}
  await sleep(500)
  for (const url of Object.keys(handlers)) {
    if (url === '/small') continue
    await ask(url)
  }
  const socket = net.connect(server.address().port, '127.0.0.1')
  socket.resume()
  await sleep(400)
  // The request comes while the timer's callback runs, and is read in the same turn.
  const turn = () => setTimeout(() => {
    socket.write('GET /small HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n')
    refresh()
  }, 10)
  told.turn = await again(turn, ({ frame, excused }) => ['refresh', 'hold'].includes(frame?.function) && !excused)
  process.stderr.write(JSON.stringify(told) + '\\n')
  await agent.stop()
  process.exit()
})`

test('line and request of a block are of the same callback, and of whoever took its time', { timeout: 180_000 }, async (t) => {
  const dir = makeDir(t)
  const chain = path.join(dir, 'node_modules', 'chain')
  fs.mkdirSync(chain, { recursive: true })
  fs.writeFileSync(path.join(chain, 'package.json'), '{ "name": "chain", "version": "1.0.0" }')
  fs.writeFileSync(path.join(chain, 'index.js'), PACKAGE)
  fs.writeFileSync(path.join(dir, 'app.js'), APP)
  const { stderr } = spawnSync(process.execPath, ['--no-warnings', 'app.js'], { cwd: dir, encoding: 'utf8', timeout: 170_000 })
  const told = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
  const lineOf = (/** @type {string} */ mark) => APP.split('\n').findIndex((line) => line.endsWith(`// ${mark}`)) + 1
  /** The longest that is no start of something, and not of the machine. */
  const longest = (/** @type {any[]} */ records) => records
    .filter(({ frame, excused }) => frame && frame.function !== 'ask' && !excused)
    .sort((a, b) => b.durationMs - a.durationMs)[0]

  await t.test('a request that came after a long timer is not its request', () => {
    const { frame, request, work, callbacks = [] } = longest(told.turn)
    assert.ok(['refresh', 'hold'].includes(frame.function), JSON.stringify(frame))
    assert.deepEqual([request, work], [null, null])
    for (const { kind, work: of } of callbacks) assert.equal(of, kind === 'timer' ? null : 'GET /small', JSON.stringify(callbacks))
  })
  await t.test('middleware that only goes on is not to blame for what its package does', () => {
    const { frame, package: at, request } = longest(told['/through'])
    assert.deepEqual([frame.function, path.basename(path.dirname(frame.file)), request.route], ['slow', 'chain', '/through'])
    assert.equal(at?.name, 'chain')
  })
  await t.test('a native call has the time that is not of the function it calls', { skip: told['/count'] === undefined && 'needs node:sqlite' }, () => {
    const { frame, cause, request } = longest(told['/count'])
    assert.deepEqual([frame.line, request.route], [lineOf('count'), '/count'])
    assert.ok(['native', 'starved'].includes(cause), cause)
  })
})

/** Compiled in memory, without a map, by what leaves comments and empty lines out. */
const COMMENTED = `'use strict'

/**
 * Holds the thread.
 */

exports.hold = (ms) => {
  // The end is fixed before.

  const end = Date.now() + ms

  while (Date.now() < end);
}
`

const COMPILES = `
const agent = require(${JSON.stringify(ROOT)}).start({ port: false, log: false, threshold: 40 })
const fs = require('node:fs')
const { setTimeout: sleep } = require('node:timers/promises')
const load = (name) => {
  const compile = require.extensions['.js']
  require.extensions['.js'] = (module, file) => module._compile(fs.readFileSync(file, 'utf8').replace(/^ *[/*].*\\n|^\\n/gm, ''), file)
  const loaded = require(name)
  require.extensions['.js'] = compile
  return loaded
}
const { hold } = load('./commented.js')
${AGAIN}
agent.ready.then(async () => {
  await sleep(300)
  const isOf = ({ frame }) => frame?.function === 'exports.hold'
  process.stderr.write(JSON.stringify(await again(() => setTimeout(() => hold(300), 10), isOf)) + '\\n')
  await agent.stop()
})`

test('a line of code that was compiled in memory by what leaves no map behind is in doubt, whatever its file is called', { timeout: 60_000 }, (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'commented.js'), COMMENTED)
  fs.writeFileSync(path.join(dir, 'app.js'), COMPILES)
  const { stderr } = spawnSync(process.execPath, ['--no-warnings', 'app.js'], { cwd: dir, encoding: 'utf8', timeout: 50_000 })
  const records = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
  const { frame } = records.find((/** @type {any} */ each) => each.frame?.function === 'exports.hold')
  assert.deepEqual([path.basename(frame.file), frame.exact], ['commented.js', false])
})
