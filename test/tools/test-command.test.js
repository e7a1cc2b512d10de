'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { parse } = require('yaml')
const { eventually, startNode, FIXTURES } = require('../support/app')
const { tables } = require('../support/docs/markdown')
const { makeDir } = require('../support/files')

const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
const HOLD = JSON.stringify(path.join(FIXTURES, 'cpu-hold.js'))
/** Where `hold` of the fixture begins. */
const FIRST_LINE = fs.readFileSync(path.join(FIXTURES, 'cpu-hold.js'), 'utf8').split('\n').findIndex((line) => line.includes('function hold')) + 1
const LAST_LINE = FIRST_LINE + 9

const BLOCKING = `
const { describe, it } = require('node:test')
const { hold } = require(${HOLD})
describe('orders', () => {
  it('are fast', () => { hold(5) })
  it('are slow', () => { hold(150) })
})
`
/** Of no test: code at the top level; of many that are each below the limit: 300 ms in a row. */
const CALM = `
const test = require('node:test')
const { hold } = require(${HOLD})
hold(120)
for (let i = 0; i < 15; i++) test('short ' + i, () => { hold(20) })
test('waits', () => new Promise((resolve) => { setTimeout(resolve, 100) }))
`

/** Its tests rely on being called before the loop turns, as some of Fastify's do. */
const IN_ONE_TURN = `
const test = require('node:test')
const { hold } = require(${HOLD})
let hasTurned = false
setImmediate(() => { hasTurned = true })
for (const ms of [30, 30, 100, 30]) test('takes ' + ms, (t) => { hold(ms); t.assert.equal(hasTurned, false) })
`

/** @param {import('node:test').TestContext} t @param {Record<string, string>} files */
function makeSuite (t, files) {
  const dir = fs.realpathSync(makeDir(t))
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(dir, name), text)
  return dir
}

/**
 * @param {import('node:test').TestContext} t
 * @param {string} cwd
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
const run = (t, cwd, args, env) => startNode(t, [CLI, 'test', ...args], { cwd, env })

test('a test that blocks fails with its name, file and line; the runner\'s own lines stay as they are', async (t) => {
  const cwd = makeSuite(t, { 'orders.test.js': BLOCKING })
  const command = [process.execPath, '--test', '--test-reporter=tap', 'orders.test.js']
  const { stdout, stderr, code } = await run(t, cwd, ['--json', 'out.json', '--junit', 'out.xml', '--', ...command]).closed
  assert.equal(code, 1, stderr)
  assert.match(stdout, /^# pass 2$/m)
  assert.ok(!stdout.includes('loopwatch'))
  const [block, ...others] = JSON.parse(fs.readFileSync(path.join(cwd, 'out.json'), 'utf8')).blocks
  assert.deepEqual(others, [], stderr)
  assert.equal(block.function, 'hold')
  assert.equal(path.basename(block.file), 'cpu-hold.js')
  assert.ok(block.line > FIRST_LINE && block.line < LAST_LINE, `line ${block.line}`)
  assert.ok(block.longestMs >= 75 && block.longestMs <= 250, `${block.longestMs} ms`)
  assert.deepEqual(block.tests, [{ file: 'orders.test.js', name: 'orders > are slow', others: 0 }])
  assert.match(stderr, /orders\.test\.js > orders > are slow/)
  assert.match(fs.readFileSync(path.join(cwd, 'out.xml'), 'utf8'), /failures="1"/)
})

test('startup, and a row of short tests, are not reported as blocks', async (t) => {
  const cwd = makeSuite(t, { 'calm.test.js': CALM })
  const { stderr, code } = await run(t, cwd, ['--', process.execPath, '--test', 'calm.test.js']).closed
  assert.equal(code, 0, stderr)
  assert.match(stderr, /no new block above 50 ms \(1 process watched\)/)
})

test('tests are called in the same turn of the loop as without the command, and told apart all the same', async (t) => {
  const cwd = makeSuite(t, { 'turn.test.js': IN_ONE_TURN })
  const { stdout, stderr, code } = await run(t, cwd, ['--json', 'out.json', '--', process.execPath, '--test', '--test-reporter=tap', 'turn.test.js']).closed
  assert.match(stdout, /^# pass 4$/m)
  assert.equal(code, 1, stderr)
  const blocks = JSON.parse(fs.readFileSync(path.join(cwd, 'out.json'), 'utf8')).blocks
  assert.deepEqual(blocks.map((/** @type {any} */ block) => [block.function, block.tests]),
    [['hold', [{ file: 'turn.test.js', name: 'takes 100', others: 0 }]]], stderr)
})

test('of more files that block than a folder of records keeps, each is named', async (t) => {
  const files = Array.from({ length: 70 }, (_, i) => `many-${i}.test.js`)
  const cwd = makeSuite(t, Object.fromEntries(files.map((file) => [file, `require('node:test')('is slow', () => { require(${HOLD}).hold(200) })`])))
  const { stderr, code } = await run(t, cwd, ['--json', 'out.json', '--', process.execPath, '--test', ...files]).closed
  assert.equal(code, 1, stderr)
  const blocks = JSON.parse(fs.readFileSync(path.join(cwd, 'out.json'), 'utf8')).blocks
  const named = blocks.flatMap((/** @type {any} */ { tests }) => tests.map((/** @type {any} */ { file }) => file))
  assert.deepEqual([...new Set(named)].sort(), files.sort(), stderr)
})

test('a block that --update has written is known from then on, also when it is repeated to be sure', async (t) => {
  const cwd = makeSuite(t, { 'orders.test.js': BLOCKING })
  const command = ['--', process.execPath, '--test', 'orders.test.js']
  const sure = await run(t, cwd, ['--repeat-to-be-sure', ...command]).closed
  assert.equal(sure.code, 1, sure.stderr)
  const update = await run(t, cwd, ['--update', ...command]).closed
  assert.equal(update.code, 0, update.stderr)
  const { blocks } = JSON.parse(fs.readFileSync(path.join(cwd, 'loopwatch.json'), 'utf8'))
  assert.deepEqual(blocks.map((/** @type {any} */ block) => block.function), ['hold'], update.stderr)
  const known = await run(t, cwd, command).closed
  assert.equal(known.code, 0, known.stderr)
  assert.match(known.stderr, /^known:$/m)
})

test('the exit code is the command\'s own, and wrong usage is 2 before anything runs', async (t) => {
  const cwd = makeSuite(t, { 'conflict.json': '{\n<<<<<<< a\n=======\n>>>>>>> b\n}', 'half.json': '{' })
  const touch = [process.execPath, '-e', 'require("fs").writeFileSync("ran", "")']
  const cases = /** @type {[string[], number, RegExp][]} */ ([
    [['--', process.execPath, '-e', 'process.exit(7)'], 7, /no new block/],
    [['--', process.execPath, '-e', 'process.kill(process.pid, "SIGKILL")'], 137, /no new block/],
    [[], 2, /expected a test command after --/],
    [['--', './no-such-command'], 2, /cannot start \.\/no-such-command: not found/],
    [['--over', 'soon', '--', ...touch], 2, /--over takes a time/],
    [['--ratchet', 'conflict.json', '--', ...touch], 2, /conflict\.json has a merge conflict/],
    [['--ratchet', 'half.json', '--', ...touch], 2, /half\.json is not JSON/]
  ])
  for (const [args, expected, message] of cases) {
    const { stderr, code } = await run(t, cwd, args).closed
    assert.equal(code, expected, `${args}: ${stderr}`)
    assert.match(stderr, message)
  }
  assert.ok(!fs.existsSync(path.join(cwd, 'ran')))
})

test('a run that has watched nothing is not green, says so first, and takes nothing out of the list', { skip: process.platform === 'win32' }, async (t) => {
  const list = '{ "blocks": [{ "file": "a.js", "function": "f", "longestMs": 100 }] }'
  const cwd = makeSuite(t, { 'loopwatch.json': list })
  const cases = /** @type {[string[], number][]} */ ([
    [['sh', '-c', 'exit 0'], 3],
    [['sh', '-c', 'exit 7'], 7],
    [['env', '-u', 'NODE_OPTIONS', process.execPath, '-e', ''], 3],
    [[process.execPath, '-e', ''], 0]
  ])
  for (const [command, expected] of cases) {
    const { stderr, code } = await run(t, cwd, ['--junit', 'out.xml', '--', ...command]).closed
    assert.equal(code, expected, `${command}: ${stderr}`)
    if (expected === 0) continue
    assert.match(stderr, /^\nloopwatch: nothing was watched: the command started no Node\.js process, or replaced NODE_OPTIONS /)
    assert.match(fs.readFileSync(path.join(cwd, 'out.xml'), 'utf8'), /errors="1"[^]*<error type="unwatched"\/>/)
  }
  const update = await run(t, cwd, ['--update', '--', 'env', '-u', 'NODE_OPTIONS', process.execPath, '-e', '']).closed
  assert.equal(update.code, 3)
  assert.equal(fs.readFileSync(path.join(cwd, 'loopwatch.json'), 'utf8'), list)
  const wrong = await run(t, cwd, ['--', process.execPath, '-e', ''], { LOOPWATCH_KEEP: 'many' }).closed
  assert.equal(wrong.code, 3)
  assert.match(wrong.stderr, /nothing was watched: LOOPWATCH_KEEP takes .*, got "many"/)
})

test('Ctrl-C goes to the command, and what was seen until then is reported', async (t) => {
  const cwd = makeSuite(t, {
    'long.js': `const { hold } = require(${HOLD}); setTimeout(() => { hold(200); setTimeout(() => console.log('held'), 100) }, 300); setInterval(() => {}, 1000)`
  })
  const { child, out, closed } = run(t, cwd, ['--', process.execPath, './long.js'])
  await eventually(() => out.stdout.includes('held'), () => `the block to be over; ${out.stderr}`)
  child.kill('SIGINT')
  const { stderr, code } = await closed
  assert.equal(code, 130, stderr)
  assert.match(stderr, /1 place blocked the event loop.*until it was interrupted/)
  assert.match(stderr, /hold \(.*cpu-hold\.js:\d+\)/)
})

const SYNC = `
const { beforeEach, describe, it } = require('node:test')
const fs = require('node:fs')
const { promisify } = require('node:util')
const zlib = require('node:zlib')
const loopwatch = require(${JSON.stringify(path.join(__dirname, '..', '..'))})
fs.readFileSync(__filename)
const load = () => fs.readFileSync(__filename)
describe('orders', () => {
  beforeEach(() => { fs.statSync(__filename) })
  it('load', () => { load(); load() })
  it('are zipped', async () => {
    await promisify(zlib.gzip)('text')
    zlib.gzipSync('text')
  })
  it('are allowed', () => loopwatch.allow(() => fs.readdirSync(__dirname), 'a test'))
  it('are lazy', () => { require('./lazy') })
})
process.on('exit', () => fs.existsSync(__filename))
`

test('--sync tells every synchronous call after startup with its line, its test and its twin, once known none', async (t) => {
  const cwd = makeSuite(t, { 'orders.test.js': SYNC, 'lazy.js': 'require("node:fs").readFileSync(__filename)' })
  const command = ['--', process.execPath, '--test', '--test-reporter=tap', 'orders.test.js']
  const { stdout, stderr, code } = await run(t, cwd, ['--sync', '--json', 'out.json', ...command]).closed
  assert.equal(code, 1, stderr)
  assert.match(stdout, /^# pass 4$/m)
  const { blocks } = JSON.parse(fs.readFileSync(path.join(cwd, 'out.json'), 'utf8'))
  const lineOf = (/** @type {string} */ text) => SYNC.split('\n').findIndex((line) => line.includes(text)) + 1
  const calls = blocks.filter((/** @type {any} */ { call }) => call !== null)
  const told = calls.map((/** @type {any} */ { call, twin, file, line, count }) => [call, twin, file, line, count])
  assert.deepEqual(told.sort(), [
    ['fs.readFileSync', 'fs.promises.readFile', 'orders.test.js', lineOf('const load'), 2],
    ['fs.statSync', 'fs.promises.stat', 'orders.test.js', lineOf('statSync'), 4],
    ['zlib.gzipSync', 'zlib.gzip', 'orders.test.js', lineOf('gzipSync'), 1]
  ], stderr)
  assert.match(stderr, /load \(orders\.test\.js:\d+\): calls fs\.readFileSync, 2 times; fs\.promises\.readFile does not block\n {4}orders\.test\.js > orders > load\n/)
  assert.equal((await run(t, cwd, ['--sync', '--update', ...command]).closed).code, 0)
  const known = await run(t, cwd, ['--sync', ...command]).closed
  assert.equal(known.code, 0, known.stderr)
  assert.match(known.stderr, /no new synchronous call after startup/)
  // Nothing is patched otherwise.
  const plain = await run(t, cwd, ['--', process.execPath, '-p', '/native code/.test(require("fs").readFileSync) || require("fs").readFileSync.toString().length']).closed
  assert.ok(Number(plain.stdout) > 200, plain.stdout)
})

test('a runner that is killed has its own exit code, and what was seen until then is reported', async (t) => {
  const cwd = makeSuite(t, {
    'killed.js': `const { hold } = require(${HOLD}); setTimeout(() => { hold(200); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 300) }, 300)`
  })
  const { stderr, code } = await run(t, cwd, ['--', process.execPath, './killed.js']).closed
  assert.equal(code, 137, stderr)
  assert.match(stderr, /hold \(.*cpu-hold\.js:\d+\): \d+ ms on the CPU/)
})

test('the action of action/action.yml does what its steps say', { skip: process.platform === 'win32' }, async (t) => {
  const action = parse(fs.readFileSync(path.join(__dirname, '..', '..', 'action', 'action.yml'), 'utf8'))
  const [step, ...others] = action.runs.steps
  assert.deepEqual([action.runs.using, step.shell, others], ['composite', 'bash', []])
  const described = tables('action/README.md', '')[0]
  assert.deepEqual(described.map(([name, value]) => [name, value === 'the project\'s own' ? '' : value]),
    Object.entries(action.inputs).map(([name, input]) => [name, /** @type {any} */ (input).default]))
  // GitHub Marketplace lists nothing that lacks one of these.
  for (const key of ['name', 'description', 'author', 'branding']) assert.ok(key in action, key)
  const cwd = makeSuite(t, { 'orders.test.js': BLOCKING })
  fs.mkdirSync(path.join(cwd, 'bin'))
  fs.writeFileSync(path.join(cwd, 'bin', 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 })
  /** @type {Record<string, string>} */
  const inputs = {}
  for (const name of Object.keys(action.inputs)) inputs[name] = action.inputs[name].default
  inputs.command = `'${process.execPath}' --test orders.test.js`
  const variables = /** @type {[string, string][]} */ (Object.entries(step.env))
  const env = Object.fromEntries(variables.map(([name, value]) => [name, value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input) => inputs[input])]))
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...inherited } = process.env
  const summary = path.join(cwd, 'summary.md')
  const { status, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', step.run], {
    cwd, encoding: 'utf8', env: { ...inherited, ...env, PATH: `${path.join(cwd, 'bin')}:${process.env.PATH}`, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }
  })
  assert.equal(status, 1, stderr)
  assert.match(stderr, /^::error file=.*cpu-hold\.js,line=\d+,title=event loop blocked::/m)
  assert.match(fs.readFileSync(summary, 'utf8'), /\| new \| .*hold/)
  assert.equal(JSON.parse(fs.readFileSync(path.join(cwd, inputs.sarif), 'utf8')).runs[0].results[0].level, 'error')
})
