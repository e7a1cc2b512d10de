'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { Fold, STACKS } = require('../../../lib/explain/fold')
const { ownerOf, blamedFrame, blame, leaf, generatedIn, wrapsNative } = require('../../../lib/explain/frame')
const { pathTemplate } = require('../../../lib/host/http/path-template')
const { seeded } = require('../../support/simulated-host')

/** @typedef {import('../../../lib/types').Frame} Frame */

/** `name@file:line`, file and line optional. @param {string} text @returns {Frame} */
function frame (text) {
  const [, name, file, line] = /** @type {RegExpExecArray} */ (/^([^@]*)(?:@(.*?)(?::(\d+))?)?$/.exec(text))
  return { function: name || null, file: file ?? null, line: line ? Number(line) : null, column: line ? 1 : null }
}

/** @param {number} weightMs @param {string[]} frames @param {number} [lateMs] */
const stack = (weightMs, frames, lateMs = 0) => ({ count: 1, weightMs, lateMs, frames: frames.map(frame) })

/** @param {Frame | null} found */
const spell = (found) => found && `${found.function}@${found.file}:${found.line}`

/** @param {number} id @returns {import('../../../lib/types').RequestContext} */
const request = (id) => /** @type {any} */ ({ id, method: 'GET', path: `/${id}`, startedAtMs: id })

test('code is the application\'s, a package\'s, Node\'s or our own by where its file is', () => {
  const own = path.join(__dirname, '..', '..', '..', 'lib')
  /** @type {[string | null, string][]} */
  const files = [
    ['/srv/app/report.js', 'application'],
    ['/srv/app/my_node_modules/a.js', 'application'],
    ['/srv/node_modules.js', 'application'],
    ['webpack://app/src/report.ts', 'application'],
    ['[eval]', 'application'],
    ['[worker eval]', 'application'],
    ['evalmachine.<anonymous>', 'generated'],
    ['eval at compile (/srv/app/rules.js:3:15)', 'generated'],
    ['rule.js', 'generated'],
    ['C:\\srv\\app\\report.js', 'application'],
    ['', 'application'],
    ['/srv/app/node_modules/lodash/lodash.js', 'package'],
    ['C:\\srv\\node_modules\\lodash\\lodash.js', 'package'],
    ['webpack:///./node_modules/lodash/lodash.js', 'package'],
    ['node:internal/timers', 'node'],
    ['node:fs', 'node'],
    ['wasm://wasm/cbcc1ea6', 'node'],
    [null, 'node'],
    [path.join(own, 'host', 'sense', 'probe.js'), 'own'],
    [path.join(own, 'register.js'), 'own'],
    [own + '-of-the-application.js', 'application']
  ]
  for (const [file, origin] of files) assert.equal(ownerOf({ ...frame('f'), file }), origin, String(file))
})

test('generated code is charged to the line that ran it, and named beside it where it had most of the time', () => {
  const [rule, runner] = [{ ...frame('rule'), file: 'evalmachine.<anonymous>' }, { ...frame('runner'), file: '/srv/app/rules.js' }]
  assert.equal(blamedFrame([rule, runner]), runner)
  assert.equal(blamedFrame([rule]), rule, 'where there is nobody else')
  assert.equal(generatedIn([{ frames: [rule, runner], weightMs: 60 }, { frames: [runner], weightMs: 40 }], runner), rule)
  assert.equal(generatedIn([{ frames: [rule, runner], weightMs: 40 }, { frames: [runner], weightMs: 60 }], runner), null)
  assert.equal(generatedIn([], null), null)
})

test('of one stack the innermost function of the application is blamed, behind any package', () => {
  const found = blamedFrame(['sort', 'test@/srv/node_modules/p/i.js:1', 'report@/srv/report.js:41', 'handle@/srv/server.js:9', 'emit@node:events:5'].map(frame))
  assert.equal(spell(found), 'report@/srv/report.js:41')
})

test('of one stack without the application the innermost function of a package is blamed, and none of Node\'s or ours', () => {
  const own = path.join(__dirname, '..', '..', '..', 'lib', 'host', 'sense', 'probe.js')
  assert.equal(spell(blamedFrame(['sort', `x@${own}:1`, 'a@/n/node_modules/p/a.js:1', 'b@/n/node_modules/p/b.js:1'].map(frame))), 'a@/n/node_modules/p/a.js:1')
  assert.equal(blamedFrame(['sort', 'tick@node:internal/timers:5', `x@${own}:1`].map(frame)), null)
  assert.equal(blamedFrame([]), null)
})

test('of many stacks the function that was blamed longest is named, whatever its lines and leaves', () => {
  const found = blame([
    stack(40, ['handle@/srv/server.js:9']),
    stack(30, ['test', 'report@/srv/report.js:41', 'handle@/srv/server.js:9']),
    stack(20, ['report@/srv/report.js:43', 'handle@/srv/server.js:9']),
    stack(15, ['f@/srv/node_modules/p/i.js:1', 'report@/srv/report.js:43', 'handle@/srv/server.js:9'])
  ])
  assert.deepEqual(found, { ...frame('report@/srv/report.js:43'), exact: true })
})

test('functions of one name in two files are two functions', () => {
  assert.equal(spell(blame([stack(30, ['run@/srv/a.js:1']), stack(20, ['run@/srv/b.js:1']), stack(20, ['run@/srv/b.js:2'])])), 'run@/srv/b.js:1')
})

test('a fifth of the time in the application beats the rest in packages alone; less is passing through', () => {
  const packages = stack(800, ['parse@/srv/node_modules/p/i.js:1'])
  assert.equal(spell(blame([packages, stack(200, ['report@/srv/report.js:41'])])), 'report@/srv/report.js:41')
  assert.equal(spell(blame([packages, stack(120, ['report@/srv/report.js:41']), stack(80, ['sum@/srv/report.js:9'])])), 'report@/srv/report.js:41')
  assert.equal(spell(blame([packages, stack(199, ['report@/srv/report.js:41'])])), 'parse@/srv/node_modules/p/i.js:1')
  assert.equal(spell(blame([packages])), 'parse@/srv/node_modules/p/i.js:1')
})

test('stacks that name nobody\'s code blame nobody', () => {
  assert.equal(blame([]), null)
  assert.equal(blame([stack(100, []), stack(100, ['tick@node:internal/timers:5'])]), null)
})

test('a place is exact unless late answers make up half of the time it was seen for', () => {
  const late = (/** @type {number} */ lateMs) => blame([stack(100, ['f@/srv/a.js:1'], lateMs)])?.exact
  assert.equal(late(0), true)
  assert.equal(late(49), true)
  assert.equal(late(50), false)
  assert.equal(late(100), false)
  assert.equal(blame([stack(60, ['f@/srv/a.js:1'], 0), stack(40, ['x', 'f@/srv/a.js:1'], 40)])?.exact, true, 'of all stacks that name the line')
  assert.equal(blame([stack(60, ['f@/srv/a.js:1'], 0), stack(50, ['g@/srv/b.js:1'], 50)])?.exact, true, 'not of other lines')
})

test('a place in code that was compiled in memory is not exact', () => {
  const compiled = { count: 1, weightMs: 100, lateMs: 0, frames: [{ ...frame('f@/srv/a.ts:1'), compiled: true }] }
  assert.equal(blame([compiled])?.exact, false)
})

test('the leaf is the innermost function that was seen longest, built-in or not', () => {
  assert.equal(spell(leaf([stack(40, ['report@/srv/a.js:1']), stack(30, ['test', 'report@/srv/a.js:1']), stack(20, ['test', 'report@/srv/a.js:2'])])), 'test@null:null')
  assert.equal(leaf([stack(100, [])]), null)
  assert.equal(leaf([]), null)
})

test('equal stacks are folded into one with their time and its late part; a different line is another stack', () => {
  const fold = new Fold()
  for (const [weightMs, late, line] of /** @type {[number, boolean, number][]} */ ([[10, false, 41], [20, true, 41], [5, false, 42], [7, false, 41]])) {
    fold.add({ weightMs, late, request: null, frames: [frame(`report@/srv/report.js:${line}`), frame('handle@/srv/server.js:9')] })
  }
  assert.equal(fold.samples, 4)
  assert.equal(fold.unkept, 0)
  assert.deepEqual(fold.stacks, [
    { count: 3, weightMs: 37, lateMs: 20, frames: [frame('report@/srv/report.js:41'), frame('handle@/srv/server.js:9')] },
    { count: 1, weightMs: 5, lateMs: 0, frames: [frame('report@/srv/report.js:42'), frame('handle@/srv/server.js:9')] }
  ])
})

test('stacks come heaviest first, however often they were seen', () => {
  const fold = new Fold()
  for (let i = 0; i < 5; i++) fold.add({ weightMs: 1, late: false, request: null, frames: [frame('often@/a.js:1')] })
  fold.add({ weightMs: 100, late: false, request: null, frames: [frame('once@/a.js:2')] })
  assert.deepEqual(fold.stacks.map(({ frames }) => frames[0].function), ['once', 'often'])
})

test('an endless block of ever new stacks keeps 40 of them, goes on folding those, and counts the rest', () => {
  const fold = new Fold()
  for (let i = 0; i < 1000; i++) fold.add({ weightMs: 1, late: false, request: null, frames: [frame(`f${i}@/a.js:${i + 1}`)] })
  assert.equal(STACKS, 40)
  assert.equal(fold.stacks.length, 40)
  assert.equal(fold.unkept, 960)
  assert.equal(fold.samples, 1000)
  fold.add({ weightMs: 50, late: false, request: null, frames: [frame('f3@/a.js:4')] })
  assert.equal(fold.unkept, 960)
  assert.deepEqual([fold.stacks[0].count, fold.stacks[0].weightMs], [2, 51])
})

test('the request is the one that ran longest, with how many there were and its share of their time', () => {
  const fold = new Fold()
  for (const [id, weightMs] of [[1, 10], [2, 40], [1, 15], [3, 15]]) fold.add({ weightMs, late: false, request: request(id), frames: [] })
  fold.add({ weightMs: 500, late: false, request: null, frames: [] })
  assert.deepEqual(fold.requests, { top: request(2), distinct: 3, topShare: 0.5, longestRunMs: 0 })
})

test('a request that goes on from sample to sample is told from many that take turns; a call that keeps the answer counts', () => {
  const runOf = (/** @type {[number | null, number, number?][]} */ samples) => {
    const fold = new Fold()
    for (const [id, weightMs, heldMs = 0] of samples) fold.add({ weightMs, late: heldMs > 0, heldMs, request: id === null ? null : request(id), frames: [] })
    return fold.requests.longestRunMs
  }
  assert.equal(runOf([[1, 50], [1, 20], [1, 20], [2, 20], [2, 20]]), 40)
  assert.equal(runOf([[1, 20], [2, 20], [1, 20], [2, 20]]), 0)
  assert.equal(runOf([[1, 60, 55], [2, 100, 95], [3, 20]]), 95)
  assert.equal(runOf([[null, 20], [null, 500], [1, 20]]), 0)
  assert.equal(runOf([[1, 20], [null, 20], [1, 20], [1, 5]]), 5)
})

test('without requests there is no top one', () => {
  const fold = new Fold()
  assert.deepEqual(fold.requests, { top: null, distinct: 0, topShare: 1, longestRunMs: 0 })
  fold.add({ weightMs: 500, late: false, request: null, frames: [] })
  assert.deepEqual(fold.requests, { top: null, distinct: 0, topShare: 1, longestRunMs: 0 })
  fold.add({ weightMs: 0, late: false, request: request(1), frames: [] })
  assert.deepEqual(fold.requests, { top: request(1), distinct: 1, topShare: 1, longestRunMs: 0 })
})

test('requests without end take bounded memory', () => {
  const fold = new Fold()
  for (let id = 1; id <= 1000; id++) fold.add({ weightMs: 1, late: false, request: request(id), frames: [] })
  assert.equal(fold.requests.distinct, 40)
})

test('an innermost frame in Node\'s own wrappers of native calls tells a native call, below any built-in', () => {
  for (const file of ['node:zlib', 'node:fs', 'node:crypto', 'node:child_process', 'node:v8', 'node:buffer', 'node:dns', 'node:internal/crypto/pbkdf2', 'node:internal/fs/utils', 'node:internal/child_process']) {
    assert.equal(wrapsNative([frame(`f@${file}:1`), frame('report@/srv/a.js:1')]), true, file)
    assert.equal(wrapsNative([frame('builtIn'), frame(`f@${file}:1`)]), true, file)
  }
})

test('JSON.stringify, which answers from within, and what starting a process calls tell a native call', () => {
  assert.equal(wrapsNative([frame('stringify'), frame('report@/srv/a.js:1')]), true)
  assert.equal(wrapsNative([frame('report@/srv/a.js:1'), frame('stringify')]), false, 'its toJSON')
  assert.equal(wrapsNative([{ ...frame('stringify'), line: 3 }, frame('report@/srv/a.js:1')]), false, 'made by new Function')
  assert.equal(wrapsNative([frame('nextTick@node:internal/process/task_queues:103'), frame('ChildProcess.spawn@node:internal/child_process:422'), frame('report@/srv/a.js:1')]), true)
  assert.equal(wrapsNative([frame('onExit@/srv/a.js:1'), frame('emit@node:events:1'), frame('onexit@node:internal/child_process:293')]), false)
})

test('Node\'s JavaScript that does its own work, and the application below it, tell none', () => {
  for (const file of ['node:internal/timers', 'node:url', 'node:fsx', 'node:internal/process/task_queues', '/srv/node:fs', '/srv/zlib.js']) {
    assert.equal(wrapsNative([frame(`f@${file}:1`), frame('g@node:fs:1')]), false, file)
  }
  assert.equal(wrapsNative([frame('callback@/srv/a.js:1'), frame('readFileSync@node:fs:1')]), false)
  assert.equal(wrapsNative([frame('builtIn')]), false)
  assert.equal(wrapsNative([]), false)
})

test('segments that are ids become :id', () => {
  for (const id of [
    '7', '0', '18446744073709551616',
    '3f2504e0-4f89-11d3-9a0c-0305e82c3301', '3F2504E0-4F89-11D3-9A0C-0305E82C3301',
    '507f1f77bcf86cd799439011', 'DEADBEEF01', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'V1StGXR8_Z5jdHi6B-myT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N',
    'x'.repeat(64), '日'.repeat(64)
  ]) assert.equal(pathTemplate(`/users/${id}/orders`), '/users/:id/orders', id)
})

test('words stay words, with digits or without', () => {
  for (const path of [
    '/', '', '/users', '/v2/users', '/oauth2/token', '/s3', '/api/v1.1/x', '/i18n/en', '/utf8', '/facade', '/deadbeef', '/2fa', '/log4j', '/a//b/', '/index.html',
    '/a-rather-long-name-of-a-page', '/über/日本/🎉', '/:id', '*'
  ]) assert.equal(pathTemplate(path), path)
})

test('every id of a path is replaced, at its end too', () => {
  assert.equal(pathTemplate('/users/12/orders/9f86d081884c7d65/items/3'), '/users/:id/orders/:id/items/:id')
})

test('a path of 10 kB gives a short template, and quickly', () => {
  const random = seeded(4)
  const letters = [...'abcdef0123456789-_.~%/日é']
  const paths = ['/' + 'a'.repeat(10000), '/' + '1a'.repeat(5000), '/a'.repeat(5000), '/1'.repeat(5000), '/'.repeat(10000), '/' + 'a1-'.repeat(3333) + '!',
    ...Array.from({ length: 50 }, () => '/' + Array.from({ length: 10000 }, () => letters[Math.floor(random() * letters.length)]).join(''))]
  const startedAt = performance.now()
  for (const path of paths) {
    const template = pathTemplate(path)
    assert.ok(template.length <= 12 * 64 + 2, `${path.slice(0, 20)}… became ${template.length} characters`)
  }
  assert.ok(performance.now() - startedAt < 2000, `took ${performance.now() - startedAt} ms`)
  assert.equal(pathTemplate('/' + 'a'.repeat(10000)), '/:id')
})

test('what lies deeper than twelve segments is left out, and says so', () => {
  assert.equal(pathTemplate('/a/b/c/d/e/f/g/h/i/j/k'), '/a/b/c/d/e/f/g/h/i/j/k')
  assert.equal(pathTemplate('/a/b/c/d/e/f/g/h/i/j/k/l/m'), '/a/b/c/d/e/f/g/h/i/j/k/…')
})

test('equal frames are one object, symbolicated once, and their number is bounded', () => {
  const { FrameTable } = require('../../../lib/explain/frame-table')
  let lookups = 0
  const table = new FrameTable((frame) => {
    lookups++
    return { ...frame, file: `${frame.file}.ts` }
  })
  const raw = { function: 'report', file: '/srv/report.js', line: 3, column: 1 }
  const first = table.get({ ...raw })
  assert.equal(table.get({ ...raw }), first)
  assert.equal(first.file, '/srv/report.js.ts')
  assert.notEqual(table.get({ ...raw, line: 4 }), first)
  assert.equal(lookups, 2)
  for (let line = 10; line < 20010; line++) table.get({ ...raw, line })
  assert.notEqual(table.get({ ...raw }), first, 'forgotten when the table was full')
})

test('what may name a person or open a door is no part of a template', () => {
  const { pathTemplate } = require('../../../lib/host/http/path-template')
  assert.equal(pathTemplate('/reset/ann@example.com/abcdefghijklmnopqrstuvwx'), '/reset/:id/:id')
  assert.equal(pathTemplate('/search/caf%C3%A9'), '/search/:id')
})
