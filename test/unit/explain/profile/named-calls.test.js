'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { folderAtFault } = require('../../../../lib/explain/package')
const { placed } = require('../../../support/profile')
const { makeRecord } = require('../../../support/record')

const FILE = '/srv/app/report.js'
const RESPONSE = '/srv/app/node_modules/express/lib/response.js'
const PARTIAL = '/srv/app/node_modules/partial-json/index.js'
const OWN_RESPONSE = '/srv/app/response.js'
const NATIVE = { ...makeRecord().evidence, nativeMs: 300 }
const FILES = {
  [FILE]: ["app.get('/rows', (req, res) => {", '  res.json(rows)', '  return libc.isMusl()', '})',
    "app.get('/ids', async (req, res) => { await ready; res.end(new Set(ids).size) })", '  queue.shift()'],
  [RESPONSE]: ['function stringify (value) {', '  return JSON.stringify(value)', '}', 'res.json = function json (obj) {', '  return stringify(obj)'],
  [PARTIAL]: ['function parsePartial (text) {', '  return JSON.parse(text.slice(from, to))', '  i++', '  n++', '  k++', '}'],
  [OWN_RESPONSE]: ['function stringify (value) {', '  return JSON.stringify(value)', '}']
}

/**
 * A record by a profile of six samples in the last of a chain of functions.
 * @param {{ name: string, file: string, line: number, column?: number }[]} chain outermost first
 * @param {number | null} at the line of the samples
 * @param {object} [differences] of the record @param {{ line: number, ticks: number }[]} [others] more lines
 */
function lay (chain, at, differences, others = []) {
  const nodes = chain.map(({ name, file, line, column = 1 }, i) => ({
    id: i + 2,
    callFrame: { functionName: name, scriptId: '1', url: file === '' ? '' : `file://${file}`, lineNumber: line - 1, columnNumber: column - 1 },
    children: i === chain.length - 1 ? [] : [i + 3],
    hitCount: i === chain.length - 1 ? 6 : 0,
    positionTicks: i === chain.length - 1 && at !== null ? [{ line: at, ticks: 4 }, ...others] : []
  }))
  const noPlace = { scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }
  const root = { id: 1, callFrame: { functionName: '(root)', ...noPlace }, children: [2] }
  const samples = Array(6).fill(chain.length + 1)
  const timeDeltas = samples.map(() => 10000)
  const profile = { nodes: [root, ...nodes], startTime: 0, endTime: 60000, samples, timeDeltas }
  const record = makeRecord({ cause: 'native', evidence: NATIVE, frame: null, leaf: null, stacks: [], ...differences })
  const lines = (/** @type {string} */ file) => /** @type {Record<string, string[]>} */ (FILES)[file] ?? null
  const placeOfLine = (/** @type {string} */ file, /** @type {number} */ line) => ({ file, line })
  const original = (/** @type {any} */ frame) => frame
  return placed(record, profile, { original, runningRows: lines, sourceRows: lines, placeOfLine })
}

const NO_PLACE = { file: null, line: null, column: null }
const HANDLER = { name: '', file: FILE, line: 1, column: 18 }

test('where a package works through what it was given, the built-in is the call, and the package is not at fault', () => {
  const chain = [HANDLER, { name: 'json', file: RESPONSE, line: 4 }, { name: 'stringify', file: RESPONSE, line: 1 }]
  const { frame, profile } = lay(chain, 2)
  assert.deepEqual([frame?.file, frame?.line, profile?.call], [FILE, 2, 'JSON.stringify'])
  assert.equal(folderAtFault([], profile, profile?.stacks), null)
  const own = lay([HANDLER, { name: 'json', file: RESPONSE, line: 4 }], 5).profile
  assert.deepEqual([own?.call, folderAtFault([], own, own?.stacks)], ['json', '/srv/app/node_modules/express'])
  const alone = lay(chain.slice(1), 2).profile
  assert.deepEqual([alone?.call, folderAtFault([], alone, alone?.stacks)], ['JSON.stringify', '/srv/app/node_modules/express'])
})

test('a package that parses small texts is at fault, unless that takes most of its time', () => {
  const chain = [HANDLER, { name: 'parsePartial', file: PARTIAL, line: 1 }]
  const { profile } = lay(chain, 2, {}, [{ line: 3, ticks: 2 }, { line: 4, ticks: 1 }])
  assert.deepEqual([profile?.call, folderAtFault([], profile, profile?.stacks)], ['res.json', '/srv/app/node_modules/partial-json'])
  const most = lay(chain, 2, {}, [{ line: 3, ticks: 1 }]).profile
  assert.deepEqual([most?.call, folderAtFault([], most, most?.stacks)], ['JSON.parse', null])
})

test('a function that V8 names by its module is found where it is called, and named without that', () => {
  const { frame, profile } = lay([HANDLER, { name: 'exports.isMusl', file: '/srv/app/node_modules/libc/index.js', line: 1 }], null)
  assert.deepEqual([frame?.line, frame?.exact, profile?.call], [3, true, 'isMusl'])
})

test('a call is named though code made at run time is further out; if such code ran in it, there is none', () => {
  const made = { name: 'handler', file: '', line: 3 }
  const load = { name: 'stringify', file: OWN_RESPONSE, line: 1 }
  const call = (/** @type {any[]} */ chain, /** @type {number | null} */ at) => lay(chain, at).profile?.call
  assert.equal(call([made, load], 2), 'JSON.stringify')
  assert.equal(call([load, made], null), null)
})

test('a sample in the first line of a function is at its parameters, not before them', () => {
  const { frame } = lay([{ name: '', file: FILE, line: 5, column: 23 }], 5)
  assert.deepEqual([frame?.line, frame?.column], [5, 23])
})

test('a built-in that interrupts found in any of its rounds is named, also in a loop of JavaScript', () => {
  const frame = { function: null, file: FILE, line: 6, column: 3, exact: true }
  const stack = (/** @type {string | null} */ name) =>
    ({ count: 2, weightMs: 50, frames: [...(name === null ? [] : [{ ...NO_PLACE, function: name }]), frame] })
  const js = { cause: 'js', evidence: makeRecord().evidence, frame, leaf: frame }
  const callOf = (/** @type {object[]} */ stacks) => lay([{ name: '', file: FILE, line: 6 }], 6, { ...js, stacks }).profile?.call
  assert.equal(callOf([stack(null), stack('shift')]), 'shift')
  assert.equal(callOf([stack(null)]), null)
})
