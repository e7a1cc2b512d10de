'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { Client } = require('@modelcontextprotocol/client')
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio')
const { eventually, startApp, startNode } = require('../support/app')
const { openPage, reads, startBrowser } = require('../support/browser')
const { makeDir } = require('../support/files')
const { readTrace } = require('../support/trace-format')
const { ownCauseOf } = require('../../lib/tables/causes')

const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
const PROJECT = path.join(__dirname, '..')

/** @param {string[]} args @param {string} [cwd] @returns {Promise<{ code: number, stdout: string, stderr: string }>} */
const loopwatch = (args, cwd) => new Promise((resolve) => {
  execFile(process.execPath, [CLI, ...args], { cwd }, (error, stdout, stderr) => {
    resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
  })
})

/**
 * An application that has blocked, and its recording.
 * @param {import('node:test').TestContext} t @param {object} [setup]
 */
async function record (t, setup = {}, flags = /** @type {string[]} */ ([])) {
  const app = await startApp(t, setup)
  const authorization = flags.length > 0 ? { authorization: `Bearer ${flags[1]}` } : undefined
  await eventually(async () => {
    await app.get('/spin?ms=300')
    const blocks = /** @type {any[]} */ (await (await app.watchdog('/blocks', { headers: authorization })).json())
    return blocks.some(({ frame, ongoing, stacks }) =>
      !ongoing && frame?.function === 'spin' && stacks.some((/** @type {any} */ { frames }) => frames[0].function === 'spin'))
  }, 'a block of spin')
  const file = path.join(makeDir(t), 'incident.loopwatch')
  const { code, stdout, stderr } = await loopwatch(['record', app.url, file, ...flags])
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /incident\.loopwatch: \d+ blocks? of process \d+, \d+ kB; loopwatch view .*incident\.loopwatch shows it\n$/)
  return { app, file }
}

/** @param {import('node:test').TestContext} t @param {string} file */
async function view (t, file) {
  const { child, out, closed } = startNode(t, [CLI, 'view', file, '--no-open'])
  const url = await eventually(() => /^(http:\/\/127\.0\.0\.1:\d+)\/ shows process \d+ as it was at /m.exec(out.stdout)?.[1], () => `a page; ${out.stderr}`)
  return { child, out, closed, url }
}

const text = JSON.stringify

test('what was recorded is viewed, listed and asked without the process', async (t) => {
  const { app, file } = await record(t)
  const pid = app.child.pid
  app.child.kill('SIGKILL')
  await app.closed
  const { child, out, closed, url } = await view(t, file)
  assert.match(out.stdout, new RegExp(`^watching +process ${pid}: loopwatch `, 'm'))

  const get = async (/** @type {string} */ path) => (await fetch(`${url}${path}`)).text()
  const [block] = JSON.parse(await get('/blocks')).filter((/** @type {any} */ { frame }) => frame?.function === 'spin')
  assert.equal(block.pid, pid)
  const detail = JSON.parse(await get(`/block?id=${block.id}`))
  assert.ok(detail.source.lines.some((/** @type {any} */ each) => each.line === block.frame.line), text(detail))
  assert.ok(readTrace(await get('/timeline')).some(({ cat, args }) => cat === 'block' && args?.id === block.id))
  assert.match(await get('/metrics'), /^loopwatch_build_info\{/m)
  assert.match(await get('/flame'), /"(?:≈ )?spin /)
  assert.match(await get('/profile?format=folded'), /spin \(/)
  assert.match(await get('/'), /"endpoints"/)
  const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } })
  assert.match(await page.text(), /<script src="page\.js"/)
  const saved = Buffer.from(await (await fetch(`${url}/recording`)).arrayBuffer())
  assert.deepEqual(saved, fs.readFileSync(file))

  const reader = /** @type {ReadableStream<Uint8Array>} */ ((await fetch(`${url}/events`)).body).getReader()
  let events = ''
  while (events.split('event: state').length < 3) events += Buffer.from(/** @type {Uint8Array} */ ((await reader.read()).value))
  await reader.cancel()
  assert.match(events, /^event: hello\ndata: \{.*"recordedAt":"\d{4}-/)

  assert.match((await loopwatch(['blocks', file])).stdout, /event loop was blocked for .*spin/)
  assert.match((await loopwatch(['blocks', file, '--top'])).stdout, /spin/)
  child.kill('SIGINT')
  assert.equal((await closed).code, 0)
})

test('the page of a recording made during a block says when that was, and shows no alarm', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const app = await startApp(t)
  const answer = app.get('/spin?ms=60000').catch(() => {})
  await eventually(async () => {
    const blocks = /** @type {any[]} */ (await (await app.watchdog('/blocks')).json())
    // The page names the work of a block whose cause is known to be in it.
    return blocks.some((each) => each.ongoing && each.frame?.function === 'spin' && ownCauseOf(each) === 'js')
  }, 'a block of spin')
  const file = path.join(makeDir(t), 'incident.loopwatch')
  assert.equal((await loopwatch(['record', app.url, file])).code, 0)
  app.child.kill('SIGKILL')
  await answer
  const { page, complaints } = await openPage(browser, (await view(t, file)).url)
  const shown = /^Recorded \d\d:\d\d:\d\d, utilization .*The loop was blocked for (\d+ m|[\d.]+ )s (?:in GET \/spin|: the process was kept waiting for a CPU)/
  const first = await reads(page, '#state-now', shown)
  await reads(page, '#announcer', /^The loop was blocked for /)
  await eventually(async () => /^Recorded \d\d:\d\d:\d\d: .*loopwatch$/.test(await page.title()), 'the tab to say so')
  assert.doesNotMatch(await page.locator('#icon').getAttribute('href') ?? '', /d1242f/)
  assert.equal(await page.locator('#state .blocked').count(), 0)
  await reads(page, '#build', /, recorded \d/)
  assert.equal(await page.locator('#connection').isVisible(), false, 'one banner says so')
  await page.waitForTimeout(300)
  assert.equal(await page.locator('#state-now').textContent(), first, 'its time stands still')
  assert.deepEqual(complaints, [])
})

test('an assistant asks a recording: status, culprits, one block with its source and advice', async (t) => {
  const { file } = await record(t)
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp', file], cwd: PROJECT }))
  t.after(() => client.close())
  const ask = async (/** @type {string} */ name, given = {}) =>
    /** @type {any} */ (await client.callTool({ name, arguments: given })).content[0].text
  assert.match(await ask('status'), /^This is a recording of \d{4}-.*Z\. Event loops that were blocked then: none\.\nLast 10 minutes: \d+ block/)
  const culprit = (await ask('culprits')).split('\n').find((/** @type {string} */ line) => /^(?:≈ )?spin /.test(line))
  const id = /block id=(\S+)/.exec(`${culprit}`)?.[1]
  assert.match(await ask('block', { id }), /\n> \d+ \| /)
})

test('no secret of the application or of an option is in a recording', async (t) => {
  const options = {
    token: 'hunter2-token',
    allowHosts: ['hunter2.example'],
    log: { level: 'error', destination: path.join(makeDir(t), 'hunter2-log') },
    dir: path.join(makeDir(t), 'hunter2-dir'),
    notify: 'http://user:hunter2-notify@127.0.0.1:1/hunter2-path',
    otlp: 'http://user:hunter2-otlp@127.0.0.1:1/'
  }
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=hunter2-header', APP_SECRET: 'hunter2-env' }
  const { app, file } = await record(t, { options, env }, ['--token', 'hunter2-token'])
  const text = zlib.gunzipSync(fs.readFileSync(file)).toString()
  assert.deepEqual(text.match(/.{0,60}hunter2.{0,20}/g), null)
  const { settings, versions, findings, profile } = JSON.parse(text)
  assert.deepEqual([settings.token, settings.notify, settings.otlp, settings.threshold], ['set', 'set', 'set', 50])
  assert.ok(versions.loopwatch && versions.node && findings.length > 0 && profile.nodes.length > 0)
  assert.equal((await app.watchdog('/recording')).status, 401)
  if (process.platform !== 'win32') assert.equal(fs.statSync(file).mode & 0o007, 0, 'nobody else may read it')
})

test('a file that is not a recording, is cut short or of a newer version is a coded error for every command', async (t) => {
  const { file } = await record(t)
  const dir = makeDir(t)
  const whole = fs.readFileSync(file)
  const write = (/** @type {string} */ name, /** @type {Buffer | string} */ data) => {
    fs.writeFileSync(path.join(dir, name), data)
    return path.join(dir, name)
  }
  const newer = { ...JSON.parse(zlib.gunzipSync(whole).toString()), formatVersion: 99 }
  const cases = /** @type {[string, RegExp][]} */ ([
    [write('cut', whole.subarray(0, whole.length >> 1)), /cut short or damaged.*LOOPWATCH_ERR_RECORDING/],
    [write('newer', zlib.gzipSync(JSON.stringify(newer))), /newer version of loopwatch.*update loopwatch \(LOOPWATCH_ERR_RECORDING/],
    [write('other', zlib.gzipSync('some text')), /another kind of compressed file \(LOOPWATCH_ERR_RECORDING/]
  ])
  for (const [source, message] of cases) {
    for (const args of [['view', source, '--no-open'], ['blocks', source], ['mcp', source]]) {
      const { code, stdout, stderr } = await loopwatch(args, PROJECT)
      assert.deepEqual([code, stdout], [1, ''], `${args} ${stderr}`)
      assert.match(stderr, message, `${args}`)
      assert.equal(stderr.trim().split('\n').length, 1, stderr)
    }
  }
  assert.match((await loopwatch(['view', write('text', 'hello')])).stderr, /not written by loopwatch.*LOOPWATCH_ERR_RECORDING/)
  assert.match((await loopwatch(['view', path.join(dir, 'none')])).stderr, /there is no such file \(LOOPWATCH_ERR_SOURCE\)/)
  assert.match((await loopwatch(['record', '127.0.0.1:1', path.join(dir, 'x')])).stderr, /LOOPWATCH_ERR_SOURCE/)
  assert.equal((await loopwatch(['view'])).code, 2)
})

test('a file that cannot be written is a coded error', async (t) => {
  const app = await startApp(t)
  const { code, stderr } = await loopwatch(['record', app.url, path.join(makeDir(t), 'no', 'such', 'folder')])
  assert.equal(code, 1)
  assert.match(stderr, /record cannot write .*LOOPWATCH_ERR_OUTPUT/)
})
