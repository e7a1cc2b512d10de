'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { eventually, startNode, FIXTURES } = require('../support/app')
const { makeDir } = require('../support/files')
const { readRecording } = require('../../lib/store/recording')

const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')

/** The file that it has written. @param {string} stdout */
const recordingIn = (stdout) => /** @type {RegExpExecArray} */ (/^recording: (.*diagnosis\.loopwatch)$/m.exec(stdout))[1]

/** With an empty PATH no browser opens, and no tool is found. */
test('a run under load prints what blocks and what to do, and opens the page on its recording until Ctrl-C', { timeout: 60000 }, async (t) => {
  const cwd = makeDir(t)
  const { child, out, closed } = startNode(t, [CLI, 'diagnose', '--seconds', '2', '--on-port', '/?ms=60', '--', 'node', path.join(FIXTURES, 'profiled.js')], { cwd, env: { PATH: cwd } })
  const url = await eventually(() => /^(http:\S+) shows process/m.exec(out.stdout)?.[1], () => `the page; ${out.stdout} ${out.stderr}`, 45000)
  assert.match(out.stdout, /^The event loop was blocked for \d+% of /m)
  assert.match(out.stdout, /^ {2}.*\(\S*profiled\.js:\d+\) +(≈ )?GET \/ /m)
  assert.match(out.stdout, /^.* \(\S*profiled\.js:\d+\): .*\n- /m)
  const { blocks, findings } = readRecording(recordingIn(out.stdout))
  assert.ok(blocks.length > 0 && findings !== undefined)
  assert.deepEqual(fs.readdirSync(cwd), ['loopwatch-profiles'])
  const served = /** @type {any[]} */ (await (await fetch(new URL('/blocks', url))).json())
  assert.deepEqual(served.map(({ id }) => id), blocks.map(({ id }) => id))
  child.kill('SIGINT')
  const { code, stderr } = await closed
  assert.equal(code, 0, stderr)
})

test('with --tool, the application runs again under that tool, whose report is next to the recording', { timeout: 60000 }, async (t) => {
  const cwd = makeDir(t)
  const { code, stdout, stderr } = await startNode(t, [CLI, 'diagnose', '--no-open', '--tool', 'cpu', '--seconds', '1', '--on-port', '/?ms=60', '--', 'node', path.join(FIXTURES, 'profiled.js')], { cwd }).closed
  assert.equal(code, 0, stderr)
  const [, report] = /** @type {RegExpExecArray} */ (/^report: (.*profile\.html)$/m.exec(stdout))
  assert.equal(path.dirname(path.dirname(report)), path.dirname(recordingIn(stdout)))
  assert.match(fs.readFileSync(report, 'utf8'), /culprit/)
})

test('a tool that is not installed is reported before anything runs', async (t) => {
  const cwd = makeDir(t)
  const { code, stdout, stderr } = await startNode(t, [CLI, 'diagnose', '--tool', 'bubbleprof', '--', 'node', '-e', 'console.log("ran")'], { cwd, env: { PATH: cwd } }).closed
  assert.equal(code, 1)
  assert.match(stderr, /LOOPWATCH_ERR_PROFILER/)
  assert.deepEqual([stdout, fs.readdirSync(cwd)], ['', []])
})

test('Ctrl-C ends the run early: it prints what was seen, and neither runs the tool nor opens the page', { timeout: 60000 }, async (t) => {
  const cwd = makeDir(t)
  const { child, out, closed } = startNode(t, [CLI, 'diagnose', '--tool', 'cpu', '--seconds', '600', '--on-port', '/?ms=60', '--', 'node', path.join(FIXTURES, 'profiled.js')], { cwd })
  await eventually(() => out.stdout.includes('"up"'), () => `the application; ${out.stderr}`)
  await new Promise((resolve) => setTimeout(resolve, 1000))
  child.kill('SIGINT')
  const { code, stdout, stderr } = await closed
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^\d+ blocks?, .* in all$/m)
  assert.ok(fs.existsSync(recordingIn(stdout)))
  assert.doesNotMatch(stdout, /shows process|^report:/m)
})

test('a loop that is stuck for good is diagnosed as well; an application that ends at once or forks is an error', { timeout: 60000 }, async (t) => {
  const cwd = makeDir(t)
  fs.writeFileSync(path.join(cwd, 'primary.js'), "require('node:cluster').fork()\n")
  const diagnose = (/** @type {string[]} */ args, env = {}) => startNode(t, [CLI, 'diagnose', '--no-open', ...args], { cwd, env }).closed
  const [stuck, gone, cluster] = await Promise.all([
    diagnose(['--no-on-port', '--output', 'stuck', '--seconds', '1', '--', 'node', path.join(FIXTURES, 'profiled.js')], { TEST_MODE: 'stuck' }),
    diagnose(['--', 'node', '-e', 'process.exit(9)']),
    diagnose(['--', 'node', './primary.js'])
  ])
  assert.equal(stuck.code, 0, stuck.stderr)
  assert.match(stuck.stdout, /^ {2}(?:≈ )?culprit \(\S*profiled\.js:\d+\) .* 1 /m)
  assert.equal(gone.code, 1)
  assert.match(gone.stderr, /the application could not start: it ended with exit code 9.*LOOPWATCH_ERR_START/)
  assert.doesNotMatch(gone.stderr, /did not listen/)
  assert.match(cluster.stderr, /node:cluster.*loopwatch run.*LOOPWATCH_ERR_CLUSTER/)
  assert.deepEqual(fs.readdirSync(path.join(cwd, 'loopwatch-profiles')), [], 'a run without a recording leaves no folder')
})

test('what the environment says for production neither breaks a diagnosis nor gets its blocks', { timeout: 60000 }, async (t) => {
  const cwd = makeDir(t)
  let pushes = 0
  const receiver = http.createServer((request, response) => {
    pushes++
    response.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.after(() => receiver.close().closeAllConnections())
  const { port } = /** @type {import('node:net').AddressInfo} */ (receiver.address())
  const records = path.join(cwd, 'records')
  fs.mkdirSync(records)
  const env = {
    LOOPWATCH_HOST: '127.0.0.2', LOOPWATCH_DIR: records, LOOPWATCH_NOTIFY: `http://127.0.0.1:${port}`, LOOPWATCH_STUCK: '100', LOOPWATCH_ON_STUCK: 'abort', LOOPWATCH_GC: 'off', LOOPWATCH_THRESHOLD: '40'
  }
  fs.writeFileSync(path.join(cwd, 'app.js'), `
    console.log('of the environment:', Object.keys(${JSON.stringify(env)}).filter((name) => process.env[name]).join())
    require('node:http').createServer(function culprit (request, response) {
      for (const end = Date.now() + 200; Date.now() < end;);
      response.end()
    }).listen(0)`)
  const { code, stdout, stderr } = await startNode(t, [CLI, 'diagnose', '--no-open', '--seconds', '1', '--on-port', '/', '--', 'node', './app.js'], { cwd, env }).closed
  assert.equal(code, 0, stderr)
  assert.match(stdout, /culprit \(\S*app\.js:\d+\)/)
  assert.match(stdout, /^of the environment: LOOPWATCH_HOST,LOOPWATCH_THRESHOLD$/m, 'its own host, and how blocks are measured')
  assert.deepEqual([fs.readdirSync(records), pushes], [[], 0])
})

test('profile and diagnose report an application that answers only 404 under the load', { timeout: 60000 }, async (t) => {
  const cwd = makeDir(t)
  fs.writeFileSync(path.join(cwd, 'app.js'), "require('node:http').createServer((request, response) => response.writeHead(request.url === '/' ? 200 : 404).end()).listen(0)\n")
  const load = ['--no-open', '--seconds', '1', '--on-port', '/nothing', '--', 'node', './app.js']
  const [diagnosis, profile] = await Promise.all([['diagnose'], ['profile', 'cpu']].map((args) => startNode(t, [CLI, ...args, ...load], { cwd }).closed))
  const fault = /the application answered 404 to (\d+) of \1 requests/
  assert.deepEqual([diagnosis.code, profile.code], [0, 0], `${diagnosis.stderr} ${profile.stderr}`)
  assert.match(diagnosis.stdout, fault)
  for (const { stderr } of [diagnosis, profile]) assert.match(stderr, new RegExp(`^load on \\S+/nothing: (\\d+) requests, 0 failed, \\1 refused, .*${fault.source}`, 'm'))
})
