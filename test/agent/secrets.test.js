'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const zlib = require('node:zlib')
const { eventually, startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { startOtlpReceiver } = require('../support/lib/otlp')

const SECRET = 'hunter2-of-the-application'
const TOKEN = 'hunter2-of-the-endpoint'
const OTLP_PASSWORD = 'hunter2-of-otlp'
/** Sent as they are: fetch() would keep the fragment to itself. */
const PATHS = [`/orders/17?password=${SECRET}`, `/orders/17?a=1&b=${SECRET}`, `/orders#${SECRET}`, `/login;jsessionid=${SECRET}`, `/verify/q83v+EjR,WeJq:${SECRET}!`]
/** As a pattern it takes long for what does not fit. */
const SEARCH = `/search?q=^(a%2B)%2B${SECRET}`

/** The start of an answer, all of it where it ends. @param {string} url @param {string} accept */
async function read (url, accept) {
  const response = await fetch(url, { headers: { accept, authorization: `Bearer ${TOKEN}` }, signal: AbortSignal.timeout(10000) })
  assert.equal(response.status, 200, url)
  if (!url.endsWith('/events')) return Buffer.from(await response.arrayBuffer())
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader()
  let text = ''
  while (!text.includes('event: state')) text += Buffer.from(/** @type {Uint8Array} */ ((await reader.read()).value))
  await reader.cancel()
  return Buffer.from(text)
}

test('what is secret in the application, or for the agent, is in nothing that the agent puts out', async (t) => {
  const dir = makeDir(t)
  const otlp = await startOtlpReceiver(t)
  const options = {
    port: 0, token: TOKEN, dir, requests: 'on', origin: 'on', stuck: 140, profile: 'on', waits: 'all', log: { level: 'trace' }, otlp: otlp.url.replace('//', `//user:${OTLP_PASSWORD}@`)
  }
  const { child, out, closed } = startNode(t, ['secret-app.js', `--password=${SECRET}`], {
    env: { TEST_SECRET: SECRET, TEST_OPTIONS: JSON.stringify(options), DATABASE_URL: `postgres://user:${SECRET}@localhost/shop` }, stdio: ['ignore', 'pipe', 'pipe', 'ipc']
  })
  /** @type {any[]} */
  const messages = []
  child.on('message', (message) => messages.push(message))
  const { url, port } = await eventually(() => messages.find((message) => message.url), () => `the application: ${out.stderr}`)

  const headers = { cookie: `session=${SECRET}`, authorization: `Bearer ${SECRET}`, 'x-api-key': SECRET, 'user-agent': SECRET, referer: `http://localhost/?${SECRET}`, traceparent: `00-${SECRET}-01`, tracestate: `a=${SECRET}` }
  const ask = async (/** @type {string} */ path) => {
    const request = http.request({ port, path, method: 'POST', headers }).end(JSON.stringify({ password: SECRET }))
    const [response] = await once(request, 'response')
    for await (const part of response) assert.ok(String(part).includes(SECRET))
  }
  for (const path of PATHS) await ask(path)
  /** @returns {Promise<any[]>} */
  const blocksOf = async () => JSON.parse(String(await read(`${url}/blocks`, '')))
  // On a busy machine no code may be to blame, and the log leaves blocks out.
  await eventually(async () => {
    await ask(PATHS[0])
    return (await blocksOf()).some(({ request, frame }) => request?.route === '/orders/:id' && frame?.function === 'hold')
  }, async () => `a block of a request: ${JSON.stringify(await blocksOf())}`)
  // A pattern has code of its own from the second time on that it is used.
  // One that was starved may have no sample of it.
  const isSearch = (/** @type {any} */ { profile }) =>
    profile?.call === '(regular expression)' && JSON.stringify(profile.stacks).includes('"search"')
  await eventually(async () => {
    await ask(SEARCH)
    return (await blocksOf()).some((block) => !block.ongoing && isSearch(block))
  }, async () => `a block whose call the profile has: ${JSON.stringify(await blocksOf())}`)
  await eventually(() => /"event":"settled"[^\n]*"threadId":/.test(out.stdout), () => `the worker's block: ${out.stdout}`)
  await eventually(() => out.stdout.includes('"origin":{'), () => `a block with an origin: ${out.stdout}`)

  /** @type {Record<string, string | Buffer>} */
  const outputs = {}
  for (const [path, accept] of [['/', 'text/html'], ['/', '*/*'], ['/page.js', ''], ['/page.css', ''], ['/metrics', ''], ['/metrics', 'application/openmetrics-text'], ['/healthz', ''], ['/blocks', ''], ['/flame', ''], ['/events', ''], ['/timeline', ''], ['/recording', ''],
    ['/profile', ''], ['/profile?format=folded&group=route,thread', ''], ['/profile?format=speedscope', ''], ['/profile?format=pprof', '']]) {
    outputs[`${path} ${accept}`] = await read(url + path, accept)
  }
  const blocks = JSON.parse(String(outputs['/blocks ']))
  // One that goes on may turn out to be shorter than the threshold, and is gone then.
  for (const { id } of blocks.filter((/** @type {any} */ { ongoing }) => !ongoing)) {
    for (const ending of ['', '.cpuprofile', '.folded.txt']) outputs[`/blocks/${id}${ending}`] = await read(`${url}/blocks/${id}${ending}`, '')
  }
  child.send('what you have')
  await closed
  assert.ok(messages.some((message) => message.blocks))
  for (const file of fs.readdirSync(dir)) outputs[`dir/${file}`] = fs.readFileSync(path.join(dir, file))
  outputs.stdout = out.stdout
  outputs.stderr = out.stderr
  outputs.interface = JSON.stringify(messages)
  for (const { headers: { authorization } } of otlp.got) {
    assert.equal(authorization, `Basic ${Buffer.from(`user:${OTLP_PASSWORD}`).toString('base64')}`)
  }
  outputs.otlp = JSON.stringify(otlp.got.map(({ body }) => body))
  for (const packed of ['/profile?format=pprof ', '/recording ']) outputs[packed] = zlib.gunzipSync(outputs[packed])

  const places = Object.entries(outputs).flatMap(([name, output]) => output.includes('hunter2') ? [`${name}: ${/.{0,60}hunter2.{0,20}/.exec(String(output))}`] : [])
  assert.deepEqual(places, [])

  // What it is about is there: the route, the blocking function, the worker, the origin.
  assert.ok(blocks.some((/** @type {any} */ block) => block.request?.route === '/orders/:id' && block.frame?.function === 'hold'), String(outputs['/blocks ']))
  const searches = blocks.filter((/** @type {any} */ block) => !block.ongoing && isSearch(block))
  assert.ok(searches.some((/** @type {any} */ { id }) => outputs[`/blocks/${id}.cpuprofile`].includes('"search"')), String(outputs['/blocks ']))
  for (const route of ['/orders/:id', '/orders', '/login', '/verify/:id']) assert.match(String(outputs['/metrics ']), new RegExp(`http_request_duration_seconds_count\\{[^}]*route="${route}"`))
  for (const name of ['/blocks ', '/flame ', '/profile?format=pprof ', 'otlp', 'stdout', 'interface']) assert.ok(outputs[name].includes('hold'), name)
  assert.ok(Object.keys(outputs).some((name) => name.startsWith('dir/')))
})
