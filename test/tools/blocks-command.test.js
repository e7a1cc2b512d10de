'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { eventually, startNode } = require('../support/app')
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

test('without a source the agent on the port of the docs is asked, as doctor and mcp do', async (t) => {
  const { stdout } = await startNode(t, [CLI, 'blocks', '--help']).closed
  assert.match(stdout, /\[sources\.\.\.\].*\(default:\s+"127\.0\.0\.1:9464"\)/s)
  const { stderr, code } = await startNode(t, [CLI, 'blocks', '--top', '--token', 'x']).closed
  if (code !== 0) assert.match(stderr, /^loopwatch: cannot read 127\.0\.0\.1:9464: .* \(LOOPWATCH_ERR_SOURCE\)\n$/)
})

test('a folder without block files is an error as text, table and JSON; --watch waits for it', async (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'notes.txt'), 'no records')
  for (const flags of [[], ['--top'], ['--json']]) {
    assert.deepEqual(await startNode(t, [CLI, 'blocks', dir, ...flags]).closed, {
      code: 1,
      signal: null,
      stdout: '',
      stderr: `loopwatch: cannot read ${dir}: no block files (blocks-*.ndjson) found; the option dir writes one when a process is first blocked (LOOPWATCH_ERR_SOURCE)\n`
    })
  }
  const { out } = startNode(t, [CLI, 'blocks', dir, '--watch', '--json'])
  fs.writeFileSync(path.join(dir, 'blocks-1.ndjson'), `${JSON.stringify(started(0, {}))}\n`)
  await eventually(() => out.stdout.includes('"id":"1-1"'), () => out.stderr)
})

test('a source that cannot be read prints nothing on stdout, in whatever format', async (t) => {
  for (const flags of [[], ['--top'], ['--top', '--format', 'md'], ['--format', 'md'], ['--json']]) {
    const { code, stdout, stderr } = await startNode(t, [CLI, 'blocks', '127.0.0.1:1', ...flags]).closed
    assert.deepEqual([code, stdout], [1, ''], flags.join(' '))
    assert.match(stderr, /^loopwatch: cannot read 127\.0\.0\.1:1: .*\(LOOPWATCH_ERR_SOURCE\)\n$/)
  }
})

test('a filter that no block matches is not an error', async (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'blocks-1.ndjson'), `${JSON.stringify(started(0, {}))}\n`)
  assert.deepEqual(await startNode(t, [CLI, 'blocks', dir, '--route', 'GET /nowhere']).closed, { code: 0, signal: null, stdout: '', stderr: 'no recorded block matches\n' })
})

test('a file of records is read, with a note that it is one; any other file is refused with what was expected and what came', async (t) => {
  const dir = makeDir(t)
  const file = path.join(dir, 'saved.json')
  const list = (/** @type {string} */ text) => {
    fs.writeFileSync(file, text)
    return startNode(t, [CLI, 'blocks', '--json', file]).closed
  }
  const saved = await list(`${JSON.stringify(started(0, {}))}\n${JSON.stringify(started(5, { id: '1-2' }))}\n`)
  assert.deepEqual([saved.code, saved.stderr], [0, `${file}: read as a file with one record per line\n`])
  assert.deepEqual(saved.stdout.trim().split('\n').map((line) => JSON.parse(line).id), ['1-1', '1-2'])
  assert.deepEqual(await list(''), { code: 0, signal: null, stdout: '', stderr: `${file}: read as a file with one record per line\n` })
  const other = await list('{\n  "name": "shop"\n}\n')
  assert.deepEqual([other.code, other.stdout], [1, ''])
  assert.equal(other.stderr, `loopwatch: cannot read ${file}: expected one JSON record per line, as the option dir and blocks --json write them, got 3 lines and no record (LOOPWATCH_ERR_SOURCE)\n`)
})

test('--watch prints a block of an address once its record is final', async (t) => {
  const record = started(0, { ongoing: false, cause: 'js' })
  const answers = [[], [record], [{ ...record, cause: 'gc' }]]
  let asked = 0
  const server = http.createServer((_, response) => {
    response.end(JSON.stringify(answers[Math.min(asked++, answers.length - 1)]))
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const { out } = startNode(t, [CLI, 'blocks', `http://127.0.0.1:${port}`, '--watch', '--json'])
  const lines = await eventually(() => asked > 5 && out.stdout.trim().split('\n'), () => out.stderr)
  assert.deepEqual(lines.map((line) => JSON.parse(line).cause), ['gc'])
})
