'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { awaitingFrame, blamedFrame, blame, leaf, generatedIn, wrapsNative } = require('../../../lib/explain/frame')
const { ownerOf } = require('../../../lib/util/code-owner')

/** @typedef {import('../../../lib/types').Frame} Frame */

/** `name@file:line`, file and line optional. @param {string} text @returns {Frame} */
function frame (text) {
  const [, name, file, line] = /** @type {RegExpExecArray} */ (/^([^@]*)(?:@(.*?)(?::(\d+))?)?$/.exec(text))
  return { function: name || null, file: file ?? null, line: line ? Number(line) : null, column: line ? 1 : null }
}

/** @param {number} weightMs @param {string[]} frames @param {number} [lateMs] */
const stack = (weightMs, frames, lateMs = 0) => ({ count: 1, weightMs, lateMs, frames: frames.map(frame), works: [] })

/** @param {Frame | null} found */
const spell = (found) => found && `${found.function}@${found.file}:${found.line}`

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

test('generated code is charged to the line that ran it, and named with it if it took most of the time', () => {
  const [rule, runner] = [{ ...frame('rule'), file: 'evalmachine.<anonymous>' }, { ...frame('runner'), file: '/srv/app/rules.js' }]
  assert.equal(blamedFrame([rule, runner]), runner)
  assert.equal(blamedFrame([rule]), rule, 'where there is nobody else')
  assert.equal(
    generatedIn(
      [
        { frames: [rule, runner], weightMs: 60 },
        { frames: [runner], weightMs: 40 }
      ],
      runner
    ),
    rule
  )
  assert.equal(
    generatedIn(
      [
        { frames: [rule, runner], weightMs: 40 },
        { frames: [runner], weightMs: 60 }
      ],
      runner
    ),
    null
  )
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

test('a place is exact where its function has most of all time, that of stacks which blame nobody included', () => {
  const exact = (/** @type {number} */ ms) => blame([stack(50, ['f@/srv/a.js:1']), stack(ms, ['then'])])?.exact
  assert.deepEqual([exact(49), exact(50), exact(200)], [true, false, false])
  assert.equal(blame([stack(40, ['f@/srv/a.js:1']), stack(35, ['f@/srv/a.js:2']), stack(50, [])])?.exact, true, 'its lines together')
})

test('a frame that only passes on is passed over for what it was given, unless the application gave it', () => {
  const [slow, next, through, load] = ['slow@/srv/node_modules/x/i.js:1', 'next@/srv/node_modules/x/i.js:2', 'through@/srv/a.js:5', 'load@/srv/a.js:9']
  const passesOn = (/** @type {Frame} */ each) => each.function === 'through'
  const told = (/** @type {string[]} */ frames) => blamedFrame(frames.map(frame), passesOn)?.function
  assert.equal(told([slow, through, next]), 'slow')
  assert.equal(told([slow, through, next, load]), 'slow', 'who called the package is not to blame for what it goes on to')
  assert.equal(told([slow, through, load]), 'load')
  assert.equal(told([slow, through, 'forEach', load]), 'load')
  assert.equal(told([slow, load, through]), 'load')
  assert.equal(told(['pbkdf2Sync@node:crypto:1', through, next]), 'through', 'Node.js is never to blame')
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

test('what Node\'s JavaScript does for zlib is native: it inflates by chunks', () => {
  const stack = ['isAnyArrayBuffer@node:internal/util/types:1', 'from@node:buffer:1', 'zlibBufferSync@node:zlib:1', 'inflateSync@node:zlib:1', 'f@/srv/a.js:1']
  assert.equal(wrapsNative(stack.map(frame)), true)
})

test('Node\'s JavaScript that does its own work, and the application below it, tell none', () => {
  for (const file of ['node:internal/timers', 'node:url', 'node:fsx', 'node:internal/process/task_queues', '/srv/node:fs', '/srv/zlib.js']) {
    assert.equal(wrapsNative([frame(`f@${file}:1`), frame('g@node:fs:1')]), false, file)
  }
  assert.equal(wrapsNative([frame('callback@/srv/a.js:1'), frame('readFileSync@node:fs:1')]), false)
  assert.equal(wrapsNative([frame('callback@/srv/a.js:1'), frame('inflateSync@node:zlib:1')]), false)
  assert.equal(wrapsNative([frame('builtIn')]), false)
  assert.equal(wrapsNative([]), false)
})

test('the line that awaits a package is the innermost of the application, in doubt unless it awaits for most of the time', () => {
  const orm = (/** @type {number} */ weightMs, /** @type {string[]} */ awaiting) =>
    ({ ...stack(weightMs, ['hydrate@/srv/node_modules/orm/index.js:9']), awaiting: awaiting.map(frame) })
  const load = 'load@/srv/app/jobs.js:7'
  const found = awaitingFrame([orm(60, ['find@/srv/node_modules/orm/index.js:3', load, 'main@/srv/app/main.js:1']), orm(40, [])])
  assert.deepEqual([spell(found), found?.exact], [load, true])
  assert.equal(awaitingFrame([orm(40, [load]), orm(60, [])])?.exact, false)
  assert.equal(awaitingFrame([orm(40, ['find@/srv/node_modules/orm/index.js:3']), orm(60, [])]), null)
})

test('a function of the application that is on the stack does not count as an awaiting caller', () => {
  const own = { ...stack(60, ['compute@/srv/app/jobs.js:9']), awaiting: [frame('main@/srv/app/main.js:1')] }
  const ofNode = { ...stack(40, ['text@node:stream/consumers:69']), awaiting: [frame('read@/srv/app/jobs.js:7')] }
  assert.deepEqual(spell(awaitingFrame([own, ofNode])), 'read@/srv/app/jobs.js:7')
})

test('what the application has of a block of Node.js\'s own code is not blamed if it is less than a fifth', () => {
  const app = (/** @type {number} */ weightMs) => stack(weightMs, ['read@/srv/app/jobs.js:7'])
  const ofNode = (/** @type {number} */ weightMs) => stack(weightMs, ['indexOf', 'parse@node:internal/deps/undici/undici:1'])
  assert.equal(blame([app(19), ofNode(81)]), null)
  assert.equal(blame([app(21), ofNode(79)])?.exact, false)
  assert.equal(blame([app(10), stack(90, ['sort'])])?.exact, false, 'a built-in may be called by anybody')
})
