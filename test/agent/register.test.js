'use strict'

// runtime: how modules are loaded
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { isOwnProgram, isTestRunner } = require('../../lib/host/launchers')
const { eventually, startNode } = require('../support/app')
const { eachOf } = require('../support/each-of')
const { makeDir } = require('../support/files')
const { makeRecord } = require('../support/record')

const REGISTER = path.join(__dirname, '..', '..', 'lib', 'register.js')
const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
const env = { LOOPWATCH_PORT: '0' }

/** So many processes wait beside each other; with more, blocks of one may be starved by the others. */
const AT_ONCE = 3

/** An application that blocks again and again until its stdin ends, and says then whether it has an agent. */
const APP = `
  const hasAgent = () => Symbol.for('loopwatch.agent.1') in globalThis
  const blocking = setInterval(function hold () { const [end, from] = [Date.now() + 200, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < 100000); }, 400)
  process.stdin.resume().on('end', () => {
    clearInterval(blocking)
    console.log(JSON.stringify({ agent: hasAgent(), args: process.argv.slice(2) }))
  })`

/** @param {import('node:test').TestContext} t @param {string} name @param {string} source */
function writeApp (t, name, source) {
  const dir = path.join(makeDir(t), 'an application') // with a space
  fs.mkdirSync(dir)
  const file = path.join(dir, name)
  fs.writeFileSync(file, source)
  return file
}

/** @param {string} stdout */
const parse = (stdout) => stdout.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))

/** Whole lines only. @param {string} text */
const toldOf = (text) => parse(text.slice(0, text.lastIndexOf('\n') + 1)).some(({ event, frame }) => event === 'settled' && frame?.function === 'hold')

/**
 * Runs an application until the agent has told of its block, and lets it end then.
 * @param {import('node:test').TestContext} t
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, cwd?: string, stream?: 'stdout' | 'stderr' }} [how] stream = where the log is
 * expected
 */
async function runWatched (t, args, { stream = 'stderr', ...how } = {}) {
  const { child, out, closed } = startNode(t, args, { env, ...how })
  await eventually(() => toldOf(out[stream]), () => `a block on ${stream} of ${args.join(' ')}: ${JSON.stringify(out)}`)
  child.stdin?.end()
  return closed
}

/**
 * An application that is watched.
 * @param {import('node:test').TestContext} t
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, cwd?: string }} [how]
 */
async function assertWatched (t, args, how) {
  const out = await runWatched(t, args, how)
  assert.equal(out.code, 0)
  assert.ok(parse(out.stdout).some(({ agent }) => agent === true), out.stdout)
  return out
}

test('node -r loopwatch/register app.js watches a CommonJS application', async (t) => {
  await assertWatched(t, ['-r', REGISTER, writeApp(t, 'app-main.js', APP)])
})

test('node --import loopwatch/register app.mjs watches an ES module', async (t) => {
  await assertWatched(t, ['--import', REGISTER, writeApp(t, 'app-main.mjs', APP)])
})

test('the package name resolves: loopwatch and loopwatch/register from an application that installed it', async (t) => {
  const app = writeApp(t, 'app-main.js', APP)
  fs.mkdirSync(path.join(path.dirname(app), 'node_modules'))
  fs.symlinkSync(path.join(__dirname, '..', '..'), path.join(path.dirname(app), 'node_modules', 'loopwatch'))
  await eachOf(['-r', '--import'], AT_ONCE, (flag) => assertWatched(t, [flag, 'loopwatch/register', app], { cwd: path.dirname(app) }))
  const { stdout } = await startNode(t, ['-p', "typeof require('loopwatch').start + typeof require('loopwatch/package.json').version"], { cwd: path.dirname(app) }).closed
  assert.equal(stdout, 'functionstring\n')
})

test('through NODE_OPTIONS child processes get an agent of their own, worker threads do not', async (t) => {
  const app = writeApp(t, 'app-main.js', `
    const { fork } = require('node:child_process')
    const { Worker, isMainThread } = require('node:worker_threads')
    const agent = Symbol.for('loopwatch.agent.1') in globalThis
    if (process.argv[2] === 'child') {
      process.send({ agent })
      process.disconnect()
    } else {
      new Worker('require("node:worker_threads").parentPort.postMessage(Symbol.for("loopwatch.agent.1") in globalThis)', { eval: true }).on('message', (worker) => {
        fork(__filename, ['child']).on('message', (child) => console.log(JSON.stringify({ agent, worker, child: child.agent })))
      })
    }`)
  const { stdout } = await startNode(t, [app], { env: { ...env, LOOPWATCH_LOG: 'false', NODE_OPTIONS: `--require "${REGISTER}"` } }).closed
  assert.deepEqual(parse(stdout), [{ agent: true, worker: false, child: true }])
})

test('the start of an application with large packages is not taken for a block of loopwatch', async (t) => {
  const packages = ['eslint', 'typescript'].map((name) => require.resolve(name))
  const source = `for (const file of ${JSON.stringify(packages)}) require(file)
    require('node:http').createServer().listen(0)
    setTimeout(process.exit, 700)`
  // Several at once: the less CPU there is, the fewer samples a start has.
  const runs = Array.from({ length: AT_ONCE }, () => startNode(t, ['-r', REGISTER, writeApp(t, 'app.js', source)], { env: { ...env, LOOPWATCH_ONLY: 'app' } }).closed)
  const settled = (await Promise.all(runs)).flatMap(({ stderr }) => parse(stderr)).filter(({ event }) => event === 'settled')
  assert.ok(settled.some(({ msg }) => msg.includes('at startup')), JSON.stringify(settled))
  assert.deepEqual(settled.filter((line) => line.package?.name === 'loopwatch' || line.level === 50), [])
})

test('package managers are left alone, as is what a package brings', async (t) => {
  for (const script of [null, '/usr/lib/node_modules/npm/bin/npm-cli.js', '/x/npx-cli.js', '/usr/bin/npx', '/x/yarn.js', '/x/.yarn/releases/yarn-4.9.1.cjs', '/x/pnpm.cjs', '/x/corepack.js', '/srv/node_modules/eslint/bin/eslint.js']) {
    assert.equal(isOwnProgram(script), false, `${script}`)
  }
  for (const script of ['/srv/app.js', '/srv/npm-like.js', '/srv/my-npm.js', '/srv/yarn-and-more/app.js', '/srv/my_node_modules/app.js']) assert.equal(isOwnProgram(script), true, script)
  const npm = writeApp(t, 'npm-cli.js', "console.log(Symbol.for('loopwatch.agent.1') in globalThis)")
  const { stdout } = await startNode(t, ['-r', REGISTER, npm], { env }).closed
  assert.equal(stdout, 'false\n')
})

test('the files of node --test may start the agent, which the preload does later; the runner would not survive it', async (t) => {
  for (const flags of ['--test', '-r x.js --test', '--test --test-isolation=process', '--test --test-isolation none-of-it']) assert.equal(isTestRunner(flags.split(' ')), true, flags)
  for (const flags of ['', '--test-only', '--test --test-isolation=none', '--test --experimental-test-isolation none', '--test --test_isolation=none', '-r ./--test.js']) assert.equal(isTestRunner(flags.split(' ')), false, flags)
  const block = writeApp(t, 'block.js', 'setTimeout(() => { const [end, from] = [Date.now() + 150, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < 75000); }, 100)')
  const file = writeApp(t, 'app.test.js', `
    const test = require('node:test')
    test('agent: ' + (Symbol.for('loopwatch.agent.1') in globalThis), (t, done) => setTimeout(done, 400))`)
  const runs = [{ NODE_OPTIONS: `--require "${REGISTER}" --require "${block}"` }, { NODE_OPTIONS: `--require "${writeApp(t, 'start.js', `require(${JSON.stringify(path.join(__dirname, '..', '..'))}).start()`)}" --require "${block}"` }]
  const results = await Promise.all(runs.map((each) => startNode(t, ['--test', '--test-reporter=tap', file], { env: { ...env, ...each, LOOPWATCH_LOG: 'false' } }).closed))
  for (const [i, { stdout, stderr, code }] of results.entries()) {
    assert.deepEqual({ stderr, code }, { stderr: '', code: 0 })
    assert.match(stdout, i === 0 ? /ok 1 - agent: false/ : /ok 1 - agent: true/)
  }
})

test('the log of a preload is on stderr, so what a tool prints on stdout is still what its reader parses', async (t) => {
  const result = JSON.stringify({ result: 'of a tool' })
  const app = writeApp(t, 'tool.js', `
    const blocking = setInterval(function hold () { const [end, from] = [Date.now() + 200, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < 100000); }, 400)
    process.stdin.resume().on('end', () => {
      clearInterval(blocking)
      console.log(${JSON.stringify(result)})
    })`)
  const eslint = path.join(__dirname, '..', '..', 'node_modules', 'eslint', 'bin', 'eslint.js')
  /** @type {{ args: string[], env?: Record<string, string> }[]} */
  const runs = [
    { args: ['-r', REGISTER, app] },
    { args: ['--import', REGISTER, app] },
    { args: [app], env: { NODE_OPTIONS: `--require "${REGISTER}"` } },
    // A level says how much is logged, not where.
    { args: ['-r', REGISTER, app], env: { LOOPWATCH_LOG: 'info' } },
    { args: ['-r', REGISTER, app], env: { LOOPWATCH_LOG: 'stderr' } },
    { args: [CLI, 'run', '--port', '0', app] },
    { args: [CLI, 'run', '--port', '0', '--log', 'info', app] }
  ]
  const linted = startNode(t, [eslint, '-f', 'json', 'lib/host'], {
    env: { ...env, NODE_OPTIONS: `--require "${REGISTER}"` }, cwd: path.join(__dirname, '..', '..')
  }).closed
  await eachOf(runs, AT_ONCE, async ({ args, env: more }) => {
    const { stdout, code } = await runWatched(t, args, { env: { ...env, ...more } })
    assert.deepEqual({ stdout, code }, { stdout: `${result}\n`, code: 0 }, args.join(' '))
  })
  const { stdout, stderr } = await linted
  assert.ok(JSON.parse(stdout).length > 0)
  assert.equal(stderr, '')
})

test('the log of a preload goes to stdout if configured so, and so does that of an agent started in code', async (t) => {
  const app = writeApp(t, 'app-main.js', APP)
  const own = writeApp(t, 'own.js', `require(${JSON.stringify(path.join(__dirname, '..', '..'))}).start();${APP}`)
  /** @type {{ args: string[], env?: Record<string, string> }[]} */
  const runs = [
    { args: ['-r', REGISTER, app], env: { LOOPWATCH_LOG: 'true' } },
    { args: ['-r', REGISTER, app], env: { LOOPWATCH_LOG: 'stdout' } },
    { args: [CLI, 'run', '--port', '0', '--log', 'true', app] },
    { args: [CLI, 'run', '--port', '0', '--log', 'stdout', app] },
    { args: [own] },
    { args: [own], env: { LOOPWATCH_LOG: 'info' } }
  ]
  await eachOf(runs, AT_ONCE, async ({ args, env: more }) => {
    const { stderr, code } = await runWatched(t, args, { env: { ...env, ...more }, stream: 'stdout' })
    assert.deepEqual({ stderr, code }, { stderr: '', code: 0 }, args.join(' '))
  })
})

test('a wrong environment variable is reported once, and the application runs unwatched', async (t) => {
  const { stdout, stderr, code } = await startNode(t, ['-r', REGISTER, writeApp(t, 'two.js', 'console.log(2)')], { env: { LOOPWATCH_THRESHOLD: 'fast' } }).closed
  assert.deepEqual({ stdout, code }, { stdout: '2\n', code: 0 })
  assert.match(stderr, /LOOPWATCH_ERR_OPTION.*LOOPWATCH_THRESHOLD takes a number of milliseconds from 2 to 60000, got "fast"/)
})

test('loopwatch run starts CommonJS and ES modules with their arguments, in the same process', async (t) => {
  await eachOf(['app-main.js', 'app-main.mjs'], AT_ONCE, async (name) => {
    const args = ['--port', '0', '--threshold', '60', writeApp(t, name, APP), '--port', 'its own', '-x']
    const out = await assertWatched(t, [CLI, 'run', ...args], { env: {} })
    assert.deepEqual(parse(out.stdout).find(({ args }) => args).args, ['--port', 'its own', '-x'])
  })
})

test('loopwatch run keeps exit codes, refuses wrong flags and names the nearest', async (t) => {
  const leave = writeApp(t, 'app-main.js', 'process.exit(9)')
  assert.equal((await startNode(t, [CLI, 'run', '--port', '0', leave]).closed).code, 9)
  const wrong = await startNode(t, [CLI, 'run', '--threshold', 'fast', leave]).closed
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /^loopwatch: --threshold takes .*"fast" \(LOOPWATCH_ERR_OPTION\)/)
  const unknown = await startNode(t, [CLI, 'run', '--treshold', '5', leave]).closed
  assert.notEqual(unknown.code, 0)
  assert.match(unknown.stderr, /Did you mean --threshold/)
})

test('loopwatch run refuses a folder that cannot be made and a host of another machine before the application starts', async (t) => {
  const app = writeApp(t, 'app-main.js', "console.log('started')")
  /** @type {[string[], number, RegExp][]} */
  const cases = [
    [['--dir', '/proc/nope'], 1, /^loopwatch: --dir cannot write \/proc\/nope: .* \(LOOPWATCH_ERR_OUTPUT\)\n$/],
    [['--host', '203.0.113.1'], 2, /^loopwatch: --host takes an address of this machine.* got "203\.0\.113\.1" \(LOOPWATCH_ERR_OPTION\)\n/]
  ]
  await eachOf(cases, AT_ONCE, async ([flags, exitCode, message]) => {
    const { code, stdout, stderr } = await startNode(t, [CLI, 'run', ...flags, app]).closed
    assert.deepEqual({ code, stdout }, { code: exitCode, stdout: '' }, stderr)
    assert.match(stderr, message)
  })
})

test('loopwatch blocks says clearly what it cannot read', async (t) => {
  const sources = ['/no/such/folder', 'http://127.0.0.1:2', '127.0.0.1:2', 'localhost:2/blocks', '[::1]:2']
  await eachOf(sources, AT_ONCE, async (source) => {
    const { code, stderr } = await startNode(t, [CLI, 'blocks', source]).closed
    assert.equal(code, 1)
    assert.match(stderr, /^loopwatch: cannot read .*: (no such file or folder|nothing is listening there\. .*) \(LOOPWATCH_ERR_SOURCE\)\n$/)
  })
})

test('loopwatch blocks says of a port that fetch() refuses that it is the port', async (t) => {
  const { code, stderr } = await startNode(t, [CLI, 'blocks', 'http://127.0.0.1:10080']).closed
  assert.equal(code, 1)
  assert.match(stderr, /^loopwatch: cannot read http:\/\/127\.0\.0\.1:10080: fetch\(\) refuses port 10080, .* \(LOOPWATCH_ERR_SOURCE\)\n$/)
})

test('loopwatch blocks says also of a name with several addresses that nothing answers', async (t) => {
  const twice = writeApp(t, 'two-addresses.js', "require('node:dns').lookup = (host, options, callback) => callback(null, [{ address: '::1', family: 6 }, { address: '127.0.0.1', family: 4 }])")
  const { code, stderr } = await startNode(t, ['-r', twice, CLI, 'blocks', 'http://localhost:2']).closed
  assert.equal(code, 1)
  assert.match(stderr, /localhost:2: nothing is listening there.*\(LOOPWATCH_ERR_SOURCE\)/)
})

test('loopwatch blocks reports a URL that answers no blocks as an error, skips invalid records and shows the other sources', async (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'blocks-1-1.ndjson'), `${JSON.stringify(makeRecord({ id: '1-1' }))}\n`)
  fs.mkdirSync(path.join(dir, 'folder.ndjson'))
  const bodies = ['{}', 'null', '[1,2]', '[null]', '[{"id":"x"}]', JSON.stringify([null, makeRecord({ id: '2-1' })])]
  const server = http.createServer((request, response) => response.end(bodies[Number(request.headers.authorization?.split(' ')[1])])).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  // As a person may write it.
  const url = `HTTP://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
  const answers = await Promise.all(bodies.map((_, i) => startNode(t, [CLI, 'blocks', '--token', `${i}`, url, dir]).closed))
  const mixed = /** @type {typeof answers[0]} */ (answers.pop())
  for (const { code, stdout, stderr } of answers) {
    assert.equal(code, 1, stderr)
    assert.match(stderr, /folder\.ndjson: it is not a regular file\nloopwatch: cannot read HTTP:\S+ .* its response is not a list of blocks \(LOOPWATCH_ERR_SOURCE\)\n$/)
    assert.match(stdout, /1-1 event loop was blocked/)
  }
  assert.equal(mixed.code, 0, mixed.stderr)
  assert.match(mixed.stderr, /skipped 1 of 2 blocks/)
  assert.match(mixed.stdout, /2-1 event loop was blocked/)
})

test('loopwatch blocks says of what is neither a folder or file nor an address what one looks like', async (t) => {
  await eachOf(['localhost', 'ftp://x'], AT_ONCE, async (source) => {
    const { code, stderr } = await startNode(t, [CLI, 'blocks', source]).closed
    assert.equal(code, 2)
    assert.match(stderr, /an address \(host:port, or a URL such as .* \(LOOPWATCH_ERR_ADDRESS\)/)
  })
})

test('what the application throws under loopwatch run is an exception, not a rejection', async (t) => {
  const app = writeApp(t, 'app-main.js', `
    process.on('unhandledRejection', () => console.log('rejection'))
    process.on('uncaughtException', (error, origin) => { console.log(origin); process.exitCode = 5 })
    throw new Error('at the top level')`)
  const { stdout, code } = await startNode(t, [CLI, 'run', '--port', 'false', app]).closed
  assert.deepEqual({ stdout, code }, { stdout: 'uncaughtException\n', code: 5 })
})
