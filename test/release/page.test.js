'use strict'

// Takes half a minute to a minute: a real Chromium looks at agents that block for seconds.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const path = require('node:path')
const { spawnSync } = require('node:child_process')
const { once } = require('node:events')
const { startApp, startNode, eventually } = require('../support/app')
const { startBrowser, openPage, deepStack, openBlock, reads, violations } = require('../support/browser')
const { startCluster } = require('../support/cluster')
const { makeDir } = require('../support/files')
const { startPageAgent } = require('../support/page-agent')
const { makeRecord, NEW } = require('../support/record')
const { STREAMS } = require('../../lib/export/http/event-streams')
const { readText } = require('../../lib/export/page/assets')
const { causes } = require('../../lib/tables/causes')
const manifest = require('../../package.json')

const PAGE = path.join(__dirname, '..', '..', 'lib', 'export', 'page')
const SERVED = ['index.html', 'page.js', 'page.css', 'runbook.html']
/** On a busy machine a block is one of waiting for a CPU, which the page folds away. */
const ALL = '#aside=1'
const html = { headers: { accept: 'text/html' } }

test('nothing on the page is ever parsed as markup, and nothing comes from elsewhere', () => {
  const source = path.join(PAGE, 'source')
  for (const file of fs.readdirSync(source, { encoding: 'utf8', recursive: true }).filter((name) => /\.mjs$/.test(name) && name !== 'build.mjs')) {
    assert.doesNotMatch(fs.readFileSync(path.join(source, file), 'utf8'), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\.html\(|DOMParser|eval\(|new Function/, file)
  }
  for (const name of SERVED) assert.doesNotMatch(readText(name), /(?:src|href)="?https?:|@import|url\(|sourceMappingURL/, name)
  assert.doesNotMatch(readText('index.html'), /style=|<style|onclick|<script>/)
})

test('the endpoint serves the page to browsers alone, once, under a strict policy', async (t) => {
  const { watchdog } = await startApp(t, { options: { token: 'secret' } })
  assert.equal((await watchdog('/')).status, 401)
  const authorization = 'Bearer secret'
  assert.deepEqual(Object.keys(/** @type {any} */ (await (await watchdog('/', { headers: { authorization } })).json())), ['name', 'endpoints'])
  const page = await watchdog('/', html)
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'/)
  for (const name of ['/', '/page.js', '/page.css', '/runbook', '/causes']) {
    const first = await watchdog(name, html)
    assert.equal(first.status, 200, name)
    const again = await watchdog(name, { headers: { ...html.headers, 'if-none-match': first.headers.get('etag') ?? '' } })
    assert.deepEqual([again.status, await again.text()], [304, ''], name)
  }
  for (const name of ['/events', '/flame']) assert.equal((await watchdog(name)).status, 401, name)
  for (const name of ['/page.html', '/page.js/1', '/page.jsx', '/events/1', '/flame/1', '/page.js.gz', '/page.css.map']) assert.equal((await watchdog(name, { headers: { authorization } })).status, 404, name)
  const head = await watchdog('/events', { method: 'HEAD', headers: { authorization } })
  assert.deepEqual([head.status, head.headers.get('content-type'), await head.text()], [200, 'text/event-stream; charset=utf-8', ''])
})

test('the runbook of every alert is on the agent itself, under the policy of the page', async (t) => {
  const { watchdog } = await startApp(t, { options: { token: 'secret' } })
  const runbook = await watchdog('/runbook')
  const text = await runbook.text()
  assert.equal(runbook.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(runbook.headers.get('content-security-policy') ?? '', /^default-src 'none'; /)
  const alerts = fs.readFileSync(path.join(__dirname, '..', '..', 'grafana', 'prometheus', 'alerts.yml'), 'utf8')
  const anchors = [...alerts.matchAll(/\/runbook#([\w-]+)/g)].map(([, anchor]) => anchor)
  assert.ok(anchors.length >= 10, `${anchors}`)
  for (const anchor of anchors) assert.ok(text.includes(` id="${anchor}"`), anchor)
  for (const [, href] of text.matchAll(/href="([^"]*)"/g)) {
    const { status } = await watchdog(href.startsWith('data:') ? '/' : `/${href.replace('./', '')}`, { headers: { ...html.headers, authorization: 'Bearer secret' } })
    assert.equal(status, 200, href)
  }
  assert.doesNotMatch(text, /<script|style=|\]\(/)
  for (const cause of ['many', 'gc', 'starved']) assert.ok(text.includes(`<a href="causes#${cause}">`), cause)
  const about = await (await watchdog('/causes')).text()
  const ids = [...about.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  assert.deepEqual(ids, [...Object.keys(causes), 'slow-without-a-block'])
  for (const [, id] of `${about}${text}`.matchAll(/href="causes#([^"]+)"/g)) assert.ok(ids.includes(id), id)
  assert.doesNotMatch(about, /<script|style=|\]\(/)
  const files = [...`${about}${text}`.matchAll(/<code>([\w./-]+)<\/code> of the package/g)].map(([, file]) => file)
  const isPacked = (/** @type {string} */ file) => manifest.files.some((packed) => file === packed || file.startsWith(`${packed}/`))
  assert.deepEqual(files.filter((file) => !isPacked(file)), [])
  assert.equal((await watchdog('/runbook', { method: 'POST' })).status, 405)
})

test('streams are not taken for idle connections, and are at most so many', async (t) => {
  const { url, watchdog } = await startApp(t)
  const agent = new http.Agent({ maxSockets: Infinity })
  let ended = 0
  const streams = await Promise.all(Array.from({ length: STREAMS }, async () => {
    const [response] = await once(http.get(`${url}/events`, { agent }), 'response')
    response.on('close', () => ended++).on('error', () => {}).resume()
    return response
  }))
  t.after(() => agent.destroy())
  assert.ok(streams.every(({ statusCode }) => statusCode === 200))
  const refused = await watchdog('/events')
  assert.equal(refused.status, 503)
  assert.match(await refused.text(), /pages are already open/)
  const sockets = Array.from({ length: 200 }, () => net.connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {}))
  t.after(() => sockets.forEach((socket) => socket.destroy()))
  await eventually(() => sockets.filter(({ destroyed, closed }) => destroyed || closed).length >= 100, 'idle connections to be dropped')
  assert.equal(ended, 0)
  streams[0].destroy()
  await eventually(async () => (await watchdog('/events', { signal: AbortSignal.timeout(1000) })).status === 200, 'a place')
})

test('a block that cannot be shown costs the page its stream, and the watchdog nothing', async (t) => {
  const { url, page, records } = await startPageAgent(t, [])
  const stream = await fetch(`${url}events`)
  const bad = makeRecord({ origin: /** @type {any} */ ({}) })
  records.push(bad)
  page.put(bad)
  // Its connection is closed in mid-answer.
  await assert.rejects(stream.text())
  assert.equal((await fetch(`${url}events`)).status, 500)
  records.pop()
  const again = await fetch(`${url}events`)
  assert.equal(again.status, 200)
  const { value } = /** @type {any} */ (await again.body?.getReader().read())
  assert.match(Buffer.from(value).toString(), /^event: hello/)
})

test('during a block the page shows the line, and a click opens stack and flame graph', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const app = await startApp(t)
  const { page, complaints } = await openPage(browser, `${app.url}${ALL}`)
  await reads(page, '#state-now', /^Running, utilization/)
  await reads(page, '#blocks-empty, #blocks-note', /No block of 50 ms or longer so far|block/)
  assert.doesNotMatch(await page.title(), /Blocked/)
  assert.deepEqual(await violations(page), [])

  const answer = app.get('/spin?ms=6000')
  await reads(page, '#state-now', /^Blocked for \d+(\.\d)? m?s in GET \/spin, spin corpus\/blocks\.js:\d+\./)
  await reads(page, '#announcer', /^Blocked for .* in GET \/spin, spin corpus\/blocks\.js:\d+/)
  await eventually(async () => /^Blocked \d/.test(await page.title()), 'the tab to say so')
  assert.match(await page.locator('#icon').getAttribute('href') ?? '', /d1242f/)
  await page.click('#blocks > li.ongoing > button')
  await reads(page, '#blocks > li.ongoing .stack li:first-child', /^spin \(.*blocks\.js:\d+:\d+\)(, concluded: .*)?$/)
  await reads(page, '#blocks > li.ongoing .why', /^The loop has been blocked for .* spin corpus\/blocks\.js:\d+, for GET \/spin\.$/)
  await reads(page, '#blocks > li.ongoing .source .blamed', /\d/)
  await page.click('#blocks > li.ongoing .raw > summary')
  await reads(page, '#blocks > li.ongoing .flame-graph', /spin corpus\/blocks\.js:\d+/)
  await reads(page, '#charts .chart:first-child .legend', /max [1-5]\.\d s/)
  assert.match(await page.locator('#state-now').innerText(), /^Blocked for/, 'still while it lasts')
  await answer
  await reads(page, '#state-now', /^Running/)
  await reads(page, '#announcer', /^Running again$/)
  await reads(page, '#blocks > li .duration', /[67]\.\d s(?! so far)/)
  await reads(page, '#culprits-body', /spin corpus\/blocks\.js:\d+.*GET \/spin.*\d\.\d s/)
  await reads(page, '#verdict', /^In .* the loop was blocked \d+% of the time/)
  await reads(page, '#flame', /spin corpus\/blocks\.js/)
  assert.equal(await page.locator('#blocks > li > button[aria-expanded="true"]').count(), 1, 'what was open stays open')
  assert.match(page.url(), /#block=\d+-\d+&aside=1$/)
  assert.deepEqual(await violations(page), [])
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  assert.deepEqual(await violations(page), [])
  assert.deepEqual(complaints, [])
})

test('a full thread pool is in the verdict, while it is full and afterwards', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const pipe = path.join(makeDir(t), 'pipe')
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0)
  const { out } = startNode(t, ['busy-pool.js', pipe, '4'])
  const [line] = await eventually(() => /^\{.*\}$/m.exec(out.stderr), () => `the application to listen: ${out.stderr}`)
  const { port, url } = JSON.parse(line)
  const { page, complaints } = await openPage(browser, url)
  await reads(page, '#verdict', / \d\d:\d\d:\d\d: the thread pool is full, work has been waiting for .*: \d+ file operations \(4 threads\)\.$/)
  await fetch(`http://127.0.0.1:${port}/free`)
  await reads(page, '#verdict', / \d\d:\d\d:\d\d: the thread pool was full for .*; work waited for up to .*\.$/)
  assert.deepEqual(complaints, [])
})

test('a block of a job shows its name where a request stands, and opened its attributes', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const { child } = startNode(t, ['work-app.js'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [{ url }] = await once(child, 'message')
  const { page, complaints } = await openPage(browser, `${url}/${ALL}`)
  // One that is kept waiting for a CPU all the while is nobody's.
  const jobs = setInterval(() => child.send({ do: 'job' }), 1000)
  t.after(() => clearInterval(jobs))
  await reads(page, '#blocks .who', /task email:send/)
  clearInterval(jobs)
  await openBlock(page, 'email:send')
  await reads(page, '#blocks dl', /task\s*email:send.*attributes\s*tenant acme, attempt 2/s)
  assert.deepEqual(complaints, [])
})

test('it works by keyboard and on 320 pixels', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const { url, page: live } = await startPageAgent(t, [makeRecord({ id: '1-2', durationMs: 100, stacks: deepStack(1) }), makeRecord()])
  const { page, complaints } = await openPage(browser, url, { viewport: { width: 320, height: 640 } })
  await reads(page, '#blocks-note', /^2 blocks, newest first/)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await reads(page, '#blocks .stack', /step59 .*step0 /)
  assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).document.documentElement.scrollWidth), 320)
  live.put(makeRecord({ id: '1-3', durationMs: 77 }))
  await reads(page, '#blocks > li:first-child .duration', /^77 ms/)
  await reads(page, '#blocks .duration', /^77 ms/)
  assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).document.activeElement.getAttribute('aria-controls')), 'block-1-2', 'focus stays where it was')

  await page.click('#block-1-2 .raw > summary')
  await page.waitForSelector('#block-1-2 g.frame')
  await page.keyboard.press('Tab')
  const focused = () => page.evaluate(() => /** @type {any} */ (globalThis).document.activeElement.getAttribute('aria-label'))
  assert.equal(await focused(), 'all, 100 ms')
  await page.keyboard.press('ArrowDown')
  assert.match(await focused(), /^step0 app\/block-1\.js:1, 100 ms$/)
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  assert.match(await focused(), /^step1 /)
  await page.keyboard.press('Escape')
  assert.equal(await focused(), 'all, 100 ms')
  assert.deepEqual(await violations(page), [])
  assert.deepEqual(complaints, [])
})

test('whatever is named as markup stays text', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const { out } = startNode(t, ['hostile-names.js'])
  const { port, url } = JSON.parse(/** @type {RegExpExecArray} */ (await eventually(() => /^\{.*\}$/m.exec(out.stderr), () => out.stderr))[0])
  const { page, complaints } = await openPage(browser, `${url}${ALL}`)
  await reads(page, '#build', /service <img src=x onerror/)
  // While the machine is busy, a block may have the line of its caller.
  await eventually(async () => {
    await fetch(`http://127.0.0.1:${port}/`)
    return /<img src=x onerror="window\.hacked = true">/.test(await page.locator('#blocks').textContent())
  }, 'a block in the function that is named as an image')
  await reads(page, '#blocks', /GET \/<script>window\.hacked = true<\/script>/)
  await openBlock(page, '<img src=x')
  await reads(page, '#blocks .stack', /<img src=x/)
  await reads(page, '#flame', /<img src=x/)
  assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).hacked), undefined)
  assert.equal(await page.locator('img, body script').count(), 0)
  assert.deepEqual(complaints, [])
})

test('an opened block names the package at fault, with a link to its bugs if that is an address of the web', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const bugs = ['https://github.com/moment/moment/issues', 'bugs@moment.example', 'javascript:alert(1)', 'https://', null]
  const records = bugs.map((bugs, i) => makeRecord({ id: `1-${i}`, package: { name: 'moment', version: '2.29.1', bugs } }))
  const { url } = await startPageAgent(t, [...records, makeRecord({ id: '2-1' })])
  const { page, complaints } = await openPage(browser, url)
  await reads(page, '#blocks-note', /^6 blocks/)
  for (const [i, address] of bugs.entries()) {
    await page.locator('#blocks > li > button').nth(i).click()
    const row = page.locator(`#block-1-${i} dd`, { hasText: 'moment@2.29.1' })
    await row.waitFor()
    assert.deepEqual(await row.locator('a').evaluateAll((/** @type {any[]} */ links) => links.map((link) => link.getAttribute('href'))), i === 0 ? [address] : [], `${address}`)
  }
  await page.locator('#blocks > li > button').last().click()
  await reads(page, '#block-2-1 dt', /^block/)
  assert.doesNotMatch((await page.locator('#block-2-1').textContent()) ?? '', /package/)
  assert.deepEqual(await violations(page), [])
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  assert.deepEqual(await violations(page), [])
  assert.deepEqual(complaints, [])
})

test('a block of a function that is new since a version says so, and a button hides all others', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const { url } = await startPageAgent(t, [makeRecord({ id: '1-1', change: NEW }), makeRecord({ id: '1-2' })])
  const { page, complaints } = await openPage(browser, url)
  await reads(page, '#blocks-note', /^2 blocks/)
  assert.deepEqual(await page.locator('#blocks > li strong').allTextContents(), [' new since version 1.8.2'])
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await reads(page, '#blocks-note', /^1 block,/)
  assert.match(page.url(), /new.since.version/)
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'New', exact: true, pressed: true }).click()
  await reads(page, '#blocks-note', /^2 blocks/)
  const { url: without } = await startPageAgent(t, [makeRecord()])
  await page.goto(without)
  await reads(page, '#blocks-note', /^1 block/)
  assert.equal(await page.getByRole('button', { name: 'New', exact: true }).count(), 0)
  assert.deepEqual(complaints, [])
})

test('the page asks for the token and keeps it out of every address', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const app = await startApp(t, { options: { token: 'secret' } })
  const { page } = await openPage(browser, app.url)
  /** @type {string[]} */
  const asked = []
  page.on('request', (/** @type {any} */ request) => asked.push(request.url()))
  await page.waitForSelector('#token-field:focus')
  assert.deepEqual(await violations(page), [])
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await reads(page, '#token-error', /Wrong token/)
  // No header can carry it, so it is not sent.
  await page.keyboard.insertText('„secret“')
  const askedBefore = asked.length
  await page.keyboard.press('Enter')
  await page.waitForFunction("document.querySelector('#token-field').value === ''")
  await reads(page, '#token-error', /Wrong token/)
  assert.equal(asked.length, askedBefore)
  await page.reload()
  await reads(page, '#token-error', /Wrong token/)
  assert.equal(await page.locator('#connection').textContent(), '')
  await page.keyboard.type('secret')
  await page.keyboard.press('Enter')
  await reads(page, '#state-now', /^Running/)
  await page.reload()
  await reads(page, '#state-now', /^Running/)
  assert.ok(asked.length > 0 && asked.every((address) => !/secret|wrong/.test(address)), asked.join())
})

test('an agent that restarts is seen to go and to come back', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const first = await startApp(t)
  const { page } = await openPage(browser, `${first.url}${ALL}`)
  await reads(page, '#build', new RegExp(`process ${first.child.pid}$`))
  await first.get('/spin?ms=200')
  // Its line may be that of a caller while the machine is busy.
  await reads(page, '#blocks .who', /GET \/spin/)
  first.child.kill('SIGKILL')
  await first.closed
  await reads(page, '#connection', /^Disconnected since .*, retrying\.$/)
  await reads(page, '#state-now', /^Not connected$/)
  assert.deepEqual(await violations(page), [])
  const second = await startApp(t, { options: { port: Number(new URL(/** @type {string} */ (first.url)).port) } })
  assert.equal(second.url, first.url)
  await reads(page, '#connection', new RegExp(`Another process serves this page now: ${second.child.pid} instead of ${first.child.pid}`))
  await reads(page, '#build', new RegExp(`process ${second.child.pid}$`))
  await reads(page, '#state-now', /^Running/)
  await second.get('/recursion?ms=200')
  await reads(page, '#blocks .who', /GET \/recursion/)
})

test('500 blocks with stacks of 60 frames, the newest five minutes long, are listed and drawn', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const records = Array.from({ length: 500 }, (_, i) => makeRecord({ id: `1-${500 - i}`, stacks: deepStack(i), startedAt: new Date(Date.now() - i * 1000).toISOString() }))
  records[0] = { ...records[0], ongoing: true, durationMs: 5 * 60 * 1000 }
  const agent = await startPageAgent(t, records)
  const { page, complaints } = await openPage(browser, agent.url)
  await reads(page, '#blocks-note', /^500 blocks/)
  assert.equal(await page.locator('#blocks > li').count(), 20)
  await reads(page, '#state-now', /^Blocked for 5 min \d+ s in GET \/report\/:id, report app\/report\.js:41/)
  await reads(page, '#flame', /step59 app\/block-/)
  await page.uncheck('#flame-lines')
  await reads(page, '#flame', /step59 app\/block-\d\.js(?!:)/)
  await reads(page, '#charts .chart:first-child .legend', /max 5 min 0 s/)
  const besideChartPx = await page.locator('#charts .chart:first-child .u-over').evaluate((/** @type {any} */ element) => element.offsetLeft)
  assert.ok(besideChartPx > 75, `"3 min 20 s" has ${besideChartPx} px`)
  for (let i = 1; i <= 150; i++) agent.page.put(makeRecord({ id: `2-${i}`, stacks: deepStack(i) }))
  await reads(page, '#blocks-note', /^600 blocks/)
  await page.click('#blocks-more')
  assert.equal(await page.locator('#blocks > li').count(), 40, 'twenty at a time')
  await page.locator('#search').fill('1-500')
  await reads(page, '#blocks-note', /^1 block, of 600 in memory/)
  await page.locator('#blocks > li.ongoing > button').click()
  await reads(page, '#blocks > li.ongoing .stack', /step59 .*step0 /)
  assert.deepEqual(complaints, [])
})

test('a culprit that is chosen, and the block that is opened, are in the address and come back from it', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const file = __filename
  const known = { function: 'known', file, line: 5, column: 1, exact: false }
  const records = [
    makeRecord({ id: '1-3', frame: known, durationMs: 900, stacks: [{ count: 3, weightMs: 900, frames: [known] }] }),
    makeRecord({ id: '1-2' }),
    makeRecord({ id: '1-1', cause: 'starved', frame: null, durationMs: 80 })
  ]
  const { url, page: live } = await startPageAgent(t, records)
  live.recent.add({ startMs: 0, endMs: 900, workIds: [] }, '1-3')
  live.recent.note({ startMs: 10, endMs: 950, id: 9, hasWaited: false, name: 'GET /victim' })
  const { page, complaints } = await openPage(browser, url, { viewport: { width: 1024, height: 800 } })
  await reads(page, '#aside-note', /^2 blocks of .* below\. Not shown: 1 block of 80 ms is not your code \(1 starved\)\.$/)
  await reads(page, '#blocks-note', /^2 blocks, of 3 in memory/)
  await reads(page, '#victims-body', /GET \/victim1900 ms/)
  await page.locator('#culprits-body button', { hasText: '≈ known' }).click()
  await reads(page, '#blocks-note', /^1 block, of 3/)
  await page.locator('#blocks > li > button').click()
  await reads(page, '#block-1-3 .source .blamed', /≈ 5/)
  assert.deepEqual(await violations(page), [])
  const again = await openPage(browser, page.url(), { viewport: { width: 390, height: 800 }, colorScheme: 'dark' })
  await reads(again.page, '#block-1-3 .why', /^The loop was blocked for 900 ms/)
  await reads(again.page, '#chosen', /^Showing only blocks of ≈ known/)
  assert.deepEqual(await violations(again.page), [])
  await again.page.click('#reset')
  await reads(again.page, '#blocks-note', /^2 blocks/)
  await again.page.fill('#search', 'zzz')
  await reads(again.page, '#verdict', /no block matches the filters\.$/)
  await reads(again.page, '#culprits-note', /^No block matches the filters above\.$/)
  await reads(again.page, '#flame', /^No block to show\.$/)
  await reads(again.page, '#timeline-note', /^No block to show\.$/)
  await again.page.fill('#search', '')
  // What ranks the rows is on the screen of a telephone.
  for (const kind of ['total', 'work', 'number', 'cause']) {
    const cell = await again.page.locator(`#culprits-body td.${kind}`).first().boundingBox()
    assert.ok(cell !== null && cell.x + cell.width <= 390 && cell.height < 60, `${kind}: ${JSON.stringify(cell)}`)
  }
  await again.page.keyboard.press('/')
  assert.equal(await again.page.evaluate(() => /** @type {any} */ (globalThis).document.activeElement.id), 'search')
  assert.deepEqual([...complaints, ...again.complaints], [])
})

test('the line of a culprit is the one that its block has by now', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const frame = { function: 'known', file: __filename, line: 5, column: 1, exact: false }
  const agent = await startPageAgent(t, [makeRecord({ id: '1-1', frame })])
  const { page } = await openPage(browser, agent.url)
  await reads(page, '#culprits-body', /^≈ known release\/page\.test\.js:5/)
  agent.page.put(makeRecord({ id: '1-1', frame: { ...frame, line: 4, exact: true } }))
  await reads(page, '#culprits-body', /^known release\/page\.test\.js:4/)
})

test('with a baseline and filters, the tools are one row on a desk, and a sparkline begins where its row does', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const startedAt = new Date(Date.now() - 5000).toISOString()
  const { url } = await startPageAgent(t, [makeRecord({ startedAt, change: NEW, request: { method: 'GET', route: '/a/very/long/route'.repeat(9) } })])
  const now = Date.now()
  const { page, complaints } = await openPage(browser, `${url}#cause=js&base=${now - 60_000}-${now}`, { viewport: { width: 1280, height: 900 } })
  await reads(page, '#comparison', /^Baseline \d+:.* in 1 block; since then /)
  const topOf = async (/** @type {string} */ name) => (await page.locator(name).first().boundingBox())?.y ?? NaN
  assert.ok(Math.abs(await topOf('#help-show') - await topOf('#ranges label')) < 10, 'the last button wraps')
  assert.ok(await topOf('#culprits-body svg') - await topOf('#culprits-body tr') < 12)
  await page.locator('#blocks > li > button').click()
  await reads(page, '#blocks a[href="causes#js"]', /^More about js$/)
  assert.deepEqual(complaints, [])
})

test('in a cluster the page says which worker is blocked', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const cluster = await startCluster(t, { workers: 2 })
  const { page } = await openPage(browser, `${cluster.url}${ALL}`)
  await reads(page, '#state-now', /^Running, .*2 workers joined/)
  cluster.tell({ to: cluster.joined()[0].pid, spin: 4000 })
  await reads(page, '#state-now', /Worker \d blocked for .* spin fixtures\/cluster-app\.js:\d+/)
  await reads(page, '#blocks .what', /spin fixtures\/cluster-app\.js:\d+ \(worker \d\)/)
})
