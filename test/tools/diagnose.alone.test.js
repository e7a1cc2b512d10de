'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { eventually, startNode, FIXTURES } = require('../support/app')
const { openPage, startBrowser } = require('../support/browser')
const { makeDir } = require('../support/files')
const { installFor } = require('../support/packages')

const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')

test('one report says in words what blocks, where, what it costs and what to try', { timeout: 60000 }, async (t) => {
  const cwd = makeDir(t)
  const { code, stdout, stderr } = await startNode(t, [CLI, 'diagnose', '--no-open', '--tool', 'cpu', '--seconds', '1', '--on-port', '/?ms=60', '--', 'node', path.join(FIXTURES, 'profiled.js')], { cwd }).closed
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^The event loop was blocked for .*culprit \(\S*profiled\.js:\d+\), \d+ times, .*in GET \/\.$/m)
  const file = /** @type {RegExpExecArray} */ (/^report: (.*diagnosis\.html)$/m.exec(stdout))[1]
  assert.deepEqual(fs.readdirSync(cwd), ['loopwatch-profiles'])
  const browser = await startBrowser(t)
  if (browser === null) return
  const { page, complaints } = await openPage(browser, pathToFileURL(file).href)
  const text = await eventually(async () => {
    const body = await page.locator('body').innerText()
    return /all/.test(body) && body
  }, 'the report')
  for (const part of [/What blocks, and where/, /What it costs in latency/, /What to try: js/, /worker thread/]) assert.match(text, part)
  assert.match(text, /JavaScript of the application kept the CPU|a native call kept the CPU/)
  assert.match(text, /The second run agrees: culprit|The two runs disagree/)
  await page.setViewportSize({ width: 1280, height: 900 })
  assert.ok(await page.evaluate('[document.documentElement, ...document.querySelectorAll("section")].every((each) => each.scrollWidth <= each.clientWidth)'), 'it is wider than 1280 px')
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download the results as JSON' }).click()])
  const data = JSON.parse(fs.readFileSync(await download.path(), 'utf8'))
  assert.ok(data.verdict.sites.length > 0 && text.includes(data.told[0]), JSON.stringify(data))
  await page.getByRole('link', { name: 'The report of cpu' }).click()
  await eventually(async () => /CPU profile of node/.test(await page.locator('body').innerText()), 'the tool\'s report')
  assert.deepEqual(complaints, [])
})

test('a loop that is stuck for good is diagnosed as well, and one that ends at once is told', { timeout: 60000 }, async (t) => {
  const cwd = makeDir(t)
  fs.writeFileSync(path.join(cwd, 'primary.js'), "require('node:cluster').fork()\n")
  const diagnose = (/** @type {string[]} */ args, env = {}) => startNode(t, [CLI, 'diagnose', '--no-open', ...args], { cwd, env }).closed
  const [stuck, gone, cluster] = await Promise.all([
    diagnose(['--no-on-port', '--tool', 'none', '--seconds', '1', '--', 'node', path.join(FIXTURES, 'profiled.js')], { TEST_MODE: 'stuck' }),
    diagnose(['--', 'node', '-e', 'process.exit(9)']),
    diagnose(['--', 'node', './primary.js'])
  ])
  assert.equal(stuck.code, 0, stuck.stderr)
  assert.match(stuck.stdout, /culprit \(\S*profiled\.js:\d+\), once/)
  assert.equal(gone.code, 1)
  assert.match(gone.stderr, /the application could not start: it ended with exit code 9.*LOOPWATCH_ERR_START/)
  assert.doesNotMatch(gone.stderr, /has not listened/)
  assert.match(cluster.stderr, /node:cluster.*loopwatch run.*LOOPWATCH_ERR_CLUSTER/)
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
  const { code, stdout, stderr } = await startNode(t, [CLI, 'diagnose', '--no-open', '--tool', 'none', '--seconds', '1', '--on-port', '/', '--', 'node', './app.js'], { cwd, env }).closed
  assert.equal(code, 0, stderr)
  assert.match(stdout, /culprit \(\S*app\.js:\d+\)/)
  assert.match(stdout, /^of the environment: LOOPWATCH_HOST,LOOPWATCH_THRESHOLD$/m, 'its own host, and how blocks are measured')
  assert.deepEqual([fs.readdirSync(records), pushes], [[], 0])
})

test('an application that answers nothing but 404 under the load is said to, by profile and by diagnose', { timeout: 60000 }, async (t) => {
  const cwd = makeDir(t)
  fs.writeFileSync(path.join(cwd, 'app.js'), "require('node:http').createServer((request, response) => response.writeHead(request.url === '/' ? 200 : 404).end()).listen(0)\n")
  const load = ['--no-open', '--seconds', '1', '--on-port', '/nothing', '--', 'node', './app.js']
  const [diagnosis, profile] = await Promise.all([['diagnose', '--tool', 'none'], ['profile', 'cpu']].map((args) => startNode(t, [CLI, ...args, ...load], { cwd }).closed))
  const fault = /the application answered 404 to (\d+) of \1 requests/
  assert.deepEqual([diagnosis.code, profile.code], [0, 0], `${diagnosis.stderr} ${profile.stderr}`)
  assert.match(diagnosis.stdout, fault)
  for (const { stderr } of [diagnosis, profile]) assert.match(stderr, new RegExp(`^load on \\S+/nothing: (\\d+) requests, 0 failed, \\1 refused, .*${fault.source}`, 'm'))
})

test('where the second run is clinic\'s flame, its samples confirm the function, and the report says that they have no lines', { timeout: 120000 }, async (t) => {
  installFor('test')
  const cwd = makeDir(t)
  const PATH = `${path.join(__dirname, '..', 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`
  const args = ['diagnose', '--no-open', '--tool', 'flame', '--seconds', '2', '--on-port', '/?ms=60']
  const { code, stdout, stderr } = await startNode(t, [CLI, ...args, '--', 'node', path.join(FIXTURES, 'profiled.js')], { cwd, env: { PATH } }).closed
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^The second run agrees: culprit \(\S*profiled\.js\) had \d+ % of its samples\.$/m)
  const file = /** @type {RegExpExecArray} */ (/^report: (.*diagnosis\.html)$/m.exec(stdout))[1]
  assert.match(fs.readFileSync(file, 'utf8'), /The samples of flame have no line numbers: lines come from the first run/)
})
