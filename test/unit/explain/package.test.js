'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { folderAtFault } = require('../../../lib/explain/package')
const { packageFolderOf } = require('../../../lib/util/code-owner')

/** `name@file`, file optional. @param {string} text @returns {import('../../../lib/types').Frame} */
function frame (text) {
  const at = text.indexOf('@')
  return { function: at < 0 ? text : text.slice(0, at), file: at < 0 ? null : text.slice(at + 1), line: 1, column: 1 }
}

/** @param {number} weightMs @param {...string} frames innermost first */
const stack = (weightMs, ...frames) => ({ count: 1, weightMs, lateMs: 0, frames: frames.map(frame) })

const APP = 'handle@/srv/app/server.js'
const MOMENT = 'parse@/srv/app/node_modules/moment/moment.js'

test('a file is of the package whose folder is innermost, in whatever way it was installed', () => {
  /** @type {[string, string | null][]} */
  const files = [
    ['/srv/node_modules/moment/moment.js', '/srv/node_modules/moment'],
    ['/srv/node_modules/moment/dist/locale/de.js', '/srv/node_modules/moment'],
    ['/srv/node_modules/@babel/core/lib/index.js', '/srv/node_modules/@babel/core'],
    ['/srv/node_modules/a/node_modules/b/i.js', '/srv/node_modules/a/node_modules/b'],
    ['/srv/node_modules/a/node_modules/@s/b/i.js', '/srv/node_modules/a/node_modules/@s/b'],
    ['/srv/node_modules/.pnpm/x@1.0.0/node_modules/x/i.js', '/srv/node_modules/.pnpm/x@1.0.0/node_modules/x'],
    ['/srv/node_modules/.pnpm/@s+x@1.0.0_react@18/node_modules/@s/x/i.js', '/srv/node_modules/.pnpm/@s+x@1.0.0_react@18/node_modules/@s/x'],
    ['/srv/.yarn/cache/moment-npm-2.29.1-abc.zip/node_modules/moment/moment.js', '/srv/.yarn/cache/moment-npm-2.29.1-abc.zip/node_modules/moment'],
    ['C:\\srv\\node_modules\\@s\\x\\i.js', 'C:\\srv\\node_modules\\@s\\x'],
    ['/srv/node_modules/.vite/deps/x.js', null],
    ['/srv/node_modules/.cache/x.js', null],
    ['/srv/node_modules/@s/i.js', null],
    ['/srv/node_modules/i.js', null],
    ['/srv/my_node_modules/x/i.js', null],
    ['/srv/app/server.js', null],
    ['node:fs', null]
  ]
  for (const [file, folder] of files) assert.equal(packageFolderOf(file), folder, file)
})

test('the package is at fault whose code ran innermost for half of the time, whoever had called it', () => {
  const folder = '/srv/app/node_modules/moment'
  assert.equal(folderAtFault([stack(100, MOMENT, APP)], null), folder)
  assert.equal(folderAtFault([stack(50, MOMENT, APP), stack(50, APP)], null), folder)
  assert.equal(folderAtFault([stack(49, MOMENT, APP), stack(51, APP)], null), null)
  assert.equal(folderAtFault([stack(30, MOMENT, APP), stack(25, 'other@/srv/app/node_modules/moment/lib/b.js', MOMENT, APP), stack(45, APP)], null), folder, 'its files together')
  assert.equal(folderAtFault([stack(40, MOMENT, APP), stack(40, 'f@/srv/app/node_modules/other/i.js', APP), stack(20, APP)], null), null, 'no single one')
  assert.equal(folderAtFault([stack(100, APP, MOMENT)], null), null, 'what a package calls back is not its own')
})

test('if packages of one chain share the time, the outermost that the application called is at fault', () => {
  const brace = 'expand@/srv/node_modules/brace-expansion/index.js'
  const balanced = 'range@/srv/node_modules/balanced-match/index.js'
  const minimatch = 'braceExpand@/srv/node_modules/minimatch/index.js'
  const express = 'handle@/srv/node_modules/express/index.js'
  const shared = [stack(45, brace, APP, express), stack(45, balanced, brace, APP, express), stack(10, APP, express)]
  assert.equal(folderAtFault(shared, null), '/srv/node_modules/brace-expansion')
  const deeper = [stack(45, brace, minimatch, APP), stack(45, balanced, brace, minimatch, APP)]
  assert.equal(folderAtFault([...deeper, stack(10, minimatch, APP)], null), '/srv/node_modules/minimatch')
  const none = [stack(40, brace, express), stack(40, balanced, express), stack(20, express)]
  assert.equal(folderAtFault(none, null), null, 'a framework is on the stack of all that it runs')
  assert.equal(folderAtFault([stack(20, brace, APP), stack(20, balanced, brace, APP), stack(60, APP)], null), null)
})

test('time in Node.js, in built-ins and in loopwatch is that of whoever called them', () => {
  const own = `probe@${path.join(__dirname, '..', '..', '..', 'lib', 'host', 'sense', 'probe.js')}`
  assert.equal(folderAtFault([stack(60, 'sort', MOMENT, APP), stack(40, 'readFileSync@node:fs', MOMENT, APP)], null), '/srv/app/node_modules/moment')
  assert.equal(folderAtFault([stack(60, 'JSON.parse', APP, MOMENT)], null), null)
  assert.equal(folderAtFault([stack(100, own, MOMENT, APP)], null), '/srv/app/node_modules/moment')
  assert.equal(folderAtFault([stack(100, 'f@wasm://wasm/cbcc1ea6', MOMENT)], null), '/srv/app/node_modules/moment')
})

test('no stack, no package: time without one counts for none', () => {
  assert.equal(folderAtFault([], null), null)
  assert.equal(folderAtFault([stack(0, MOMENT)], null), null)
  assert.equal(folderAtFault([stack(60), stack(40, MOMENT)], null), null)
})

test('stacks that were taken in time are believed before a profile, which does not know what V8 has built in', () => {
  const inlined = { samples: 20, call: null, stacks: [{ ...stack(200, APP), count: 20 }] }
  const timely = [{ ...stack(200, MOMENT, APP), count: 9 }]
  assert.equal(folderAtFault(timely, inlined, inlined.stacks), '/srv/app/node_modules/moment')
  assert.equal(folderAtFault([{ ...timely[0], lateMs: 150 }], inlined, inlined.stacks), null)
})

test('a CPU profile is believed before stacks that came late, if it has samples enough', () => {
  const late = [stack(200, APP)]
  const sampled = [{ ...stack(150, MOMENT, APP), count: 15 }, { ...stack(50, APP), count: 5 }]
  const folderOf = (/** @type {any[]} */ stacks, /** @type {any[]} */ profiled, samples = 20) =>
    folderAtFault(stacks, { samples, call: null, stacks: [] }, profiled)
  assert.equal(folderOf(late, sampled), '/srv/app/node_modules/moment')
  assert.equal(folderOf([stack(200, MOMENT)], [{ ...stack(50, MOMENT), count: 5 }]), null, 'the rest was elsewhere')
  assert.equal(folderOf(late, [{ ...stack(10, MOMENT), count: 1 }], 1), null)
})

test('a package that answers no interrupt is found by the profile', () => {
  const profile = { samples: 4, call: null, stacks: [] }
  const timely = [{ ...stack(100, APP), count: 4 }]
  const profiled = [{ count: 4, frames: [MOMENT, APP].map(frame) }]
  assert.equal(folderAtFault(timely, profile, profiled), '/srv/app/node_modules/moment')
  assert.equal(folderAtFault(timely, profile, []), null)
})

test('code that a package generated is that of the package, and that of the application is not', () => {
  const folder = '/srv/app/node_modules/zod'
  const made = 'eval@eval at compile (/srv/app/node_modules/zod/v4/core/doc.cjs:38:25)'
  const method = 'check@/srv/app/node_modules/zod/v4/core/schemas.cjs'
  assert.equal(folderAtFault([stack(100, made, APP)], null), folder)
  assert.equal(folderAtFault([stack(100, made, method, APP)], null), folder)
  assert.equal(folderAtFault([stack(100, 'f@generated code', method, APP)], null), folder, 'as a profile names it')
  assert.equal(folderAtFault([stack(100, 'f@eval at rule (/srv/app/rules.js:3:1)', MOMENT, APP)], null), null)
  assert.equal(folderAtFault([stack(100, 'f@generated code', APP)], null), null)
})
