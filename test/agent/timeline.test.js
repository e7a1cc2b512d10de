'use strict'

const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { eventually, startApp } = require('../support/app')
const { makeDir } = require('../support/files')
const { readTrace } = require('../support/trace-format')

const COUNTERS = ['loop delay (ms)', 'loop utilization (%)', 'heap (MB)', 'resident memory (MB)']

// One of them waits for fifteen seconds.
describe('timelines', { concurrency: 3 }, () => {
  test('the timeline of a process has its requests, turns, blocks, collections and counters', async (t) => {
    const app = await startApp(t)
    const beganMs = Date.now()
    let text = ''
    const blockIn = (/** @type {ReturnType<typeof readTrace>} */ events) => events.find(({ cat, args, dur }) =>
      cat === 'block' && args?.work === 'GET /spin' && Number(dur) >= 300_000 && /** @type {any} */ (args).stack.length > 0)
    // On a busy machine a block may have no stack, as its thread did not run.
    const block = await eventually(async () => {
      await Promise.all([app.get('/spin?ms=300'), app.get('/spin?ms=20')])
      text = await (await app.watchdog('/timeline')).text()
      const isCounted = COUNTERS.every((name) => text.includes(`"${name}"`))
      const requests = text.match(/"cat":"request","id":"[^"]*","pid":\d+,"tid":\d+,"ph":"b"/g) ?? []
      const hasAll = isCounted && /"cat":"turn"/.test(text) && /"cat":"gc"/.test(text) && requests.length >= 2
      return hasAll && blockIn(readTrace(text))
    }, () => `a block, a turn, a collection and all counters in ${text}`)
    const events = readTrace(text)
    assert.ok(Math.abs(Number(block.ts) / 1000 - beganMs) < 60_000)
    assert.match(`${block.args?.line}`, /^(?:≈ )?\w+ \(.+\.js:\d+:\d+\)$/)

    const begins = events.filter(({ ph, cat }) => ph === 'b' && cat === 'request')
    assert.ok(begins.length >= 2 && begins.every(({ name }) => name === 'GET /spin'), text)
    // The request that waited overlaps the one that blocked: both ended after the block, which neither may hide.
    const slow = begins.filter(({ id, ts }) => Number(events.find((event) => event.ph === 'e' && event.id === id)?.ts) - Number(ts) >= 250_000)
    assert.ok(slow.length >= 1, text)
    assert.ok(events.some(({ cat, dur }) => cat === 'turn' && Number(dur) >= 5000))
    const counted = new Set(events.filter(({ ph }) => ph === 'C').map(({ name }) => name))
    for (const name of COUNTERS) assert.ok(counted.has(name), name)
  })

  test('a range leaves out what is outside; an absurd one, and one without the token, is refused', async (t) => {
    const app = await startApp(t, { options: { token: 'a-secret' } })
    const headers = { authorization: 'Bearer a-secret' }
    await app.get('/spin?ms=200')
    const blocksIn = async (/** @type {string} */ query) => {
      const response = await app.watchdog(`/timeline${query}`, { headers })
      assert.match(`${response.headers.get('content-disposition')}`, /filename="loopwatch-\d+\.trace\.json"/)
      return readTrace(await response.text()).filter(({ cat }) => cat === 'block')
    }
    await eventually(async () => (await blocksIn('')).length > 0, 'a block')
    const [{ ts, dur }] = await blocksIn('')
    const endMs = Math.ceil((Number(ts) + Number(dur)) / 1000)
    assert.equal((await blocksIn(`?to=${endMs}`)).length, 1)
    assert.equal((await blocksIn(`?to=${Math.floor(Number(ts) / 1000) - 1}`)).length, 0)

    for (const query of ['?from=5&to=3', '?from=yesterday', '?from=-1', '?to=1e999', '?from=99999999999999', '?to=1000', '?from=0x10', '?from=']) {
      const response = await app.watchdog(`/timeline${query}`, { headers })
      assert.equal(response.status, 400, query)
      assert.equal((/** @type {any} */ (await response.json())).code, 'LOOPWATCH_ERR_OPTION', query)
    }
    assert.equal((await app.watchdog('/timeline')).status, 401)
    assert.equal((await app.watchdog('/timeline', { method: 'POST', headers })).status, 405)
  })

  test('with dir, the time around a block is stored next to its record: immediately for a stuck one, 15 s later for the rest', async (t) => {
    const dir = makeDir(t)
    const app = await startApp(t, { options: { dir, stuck: 1500 } })
    const kept = () => fs.readdirSync(dir).flatMap((name) => {
      if (!/^blocks-\d+-\d+\.timeline-[\w.-]+\.json\.gz$/.test(name)) return []
      return [{ name, events: readTrace(zlib.gunzipSync(fs.readFileSync(path.join(dir, name))).toString()) }]
    })
    const blocksOf = (/** @type {ReturnType<typeof kept>[number]} */ { events }) => events.filter(({ cat }) => cat === 'block')
    await app.get('/spin?ms=200')
    await eventually(() => kept().length > 0, 'a timeline', 30000)
    const [first] = kept()
    // On a busy machine a shorter one came before, and shares its file.
    const blocks = blocksOf(first)
    assert.ok(blocks.some(({ args }) => first.name.includes(`.timeline-${args?.id}.`)), first.name)
    const block = blocks.find(({ dur }) => Number(dur) >= 200_000)
    assert.ok(block !== undefined, JSON.stringify(blocks))
    // What came after the block is there as well.
    const afterS = (Math.max(...first.events.map(({ ts = 0 }) => ts)) - Number(block.ts)) / 1e6
    assert.ok(afterS > 10, `${afterS} s`)

    app.get('/spin?ms=4000').catch(() => {})
    const stuck = await eventually(() => kept().find((each) => blocksOf(each).some(({ args }) => args?.ongoing)), 'one of a block that lasts')
    assert.ok(stuck.name.startsWith(first.name.split('.')[0]))
    assert.ok(fs.existsSync(path.join(dir, `${first.name.split('.')[0]}.ndjson`)), 'beside the records')
  })
})
