'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { makeRecord } = require('../support/record')

const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
const START_MS = Date.parse('2026-11-21T10:00:00.000Z')

/** @param {number} atMs @param {Partial<import('../../lib/types').BlockRecord>} differences */
const started = (atMs, differences) => makeRecord({ id: '1-1', startedAt: new Date(START_MS + atMs).toISOString(), ...differences })

test('a block that one source has in progress and another ended is one; those of containers with the same ids are their own', async (t) => {
  // A worker's folder, its primary's, and those of two other containers: pid 1 has a first block in each.
  const folders = [
    started(100, { ongoing: true, durationMs: 60, uncertaintyMs: 101 }),
    started(1, { ongoing: false, durationMs: 160, uncertaintyMs: 90 }),
    started(2, { ongoing: false, durationMs: 170, uncertaintyMs: 90 }),
    started(203, { ongoing: true, durationMs: 180, uncertaintyMs: 101 })
  ].map((record) => {
    const dir = makeDir(t)
    fs.writeFileSync(path.join(dir, 'blocks-1.ndjson'), `${JSON.stringify(record)}\n`)
    return dir
  })
  const list = async (/** @type {string[]} */ sources) => {
    const { stdout, stderr, code } = await startNode(t, [CLI, 'blocks', '--json', ...sources]).closed
    assert.equal(code, 0, stderr)
    return stdout.trim().split('\n').map((line) => JSON.parse(line).durationMs)
  }
  assert.deepEqual(await list(folders), [160, 170, 180])
  assert.deepEqual(await list(folders.toReversed()), [160, 170, 180])
})

test('a url is where the endpoint begins, as behind a proxy with or without a slash, or one of its paths', async (t) => {
  /** @type {(string | undefined)[]} */
  const asked = []
  const server = http.createServer(({ url }, response) => {
    asked.push(url)
    response.end('[]')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
  for (const path of ['', '/', '/agents/shop/', '/agents/shop', '/agents/shop?a=b', '/metrics', '/blocks?a=b', '/agents/shop/metrics', '/blocks/4242-17', '/agents/shop/block?id=1', '/runbook']) {
    const { stderr, code } = await startNode(t, [CLI, 'blocks', url + path]).closed
    assert.equal(code, 0, stderr)
  }
  assert.deepEqual(asked, ['/blocks', '/blocks', '/agents/shop/blocks', '/agents/shop/blocks', '/agents/shop/blocks', '/blocks', '/blocks', '/agents/shop/blocks', '/blocks', '/agents/shop/blocks', '/blocks'])
})
