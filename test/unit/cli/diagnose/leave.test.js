'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { leaveWhatIf } = require('../../../../lib/cli/diagnose/what-if/leave')
const { unknown } = require('../../../../lib/cli/diagnose/what-if/verdict')
const { WhatIfFile } = require('../../../../lib/store/what-if')
const { makeDir } = require('../../../support/files')
const { makePrediction } = require('../../../support/prediction')

const NOW = new Date('2026-11-24T10:00:00.000Z')
const { line, verdict, reason, workMs, cloningMs, function: name, file } = makePrediction()
const latency = (/** @type {number} */ p99Ms) => ({ p50Ms: 1, p99Ms })
const routes = makePrediction().p99.map(({ work, beforeMs, afterMs }) =>
  ({ route: work, requests: 9, before: latency(beforeMs), after: latency(afterMs) }))
const found = { function: name, file, line, verdict: /** @type {const} */ ('pays'), reason, routes, workMs, cloningMs, costs: null, sentence: '' }

/** @param {string} dir */
const readIn = (dir) => new WhatIfFile(dir, (_, error) => { throw error }).read()

test('what diagnose found is left as a page can show it', (t) => {
  const dir = makeDir(t)
  const said = leaveWhatIf(found, dir, { onPort: '/report?token=secret', seconds: 10 }, NOW)
  assert.equal(said, `for the live page of an agent with this dir: ${path.join(dir, 'what-if.json')}`)
  assert.deepEqual(readIn(dir), [makePrediction({ verdict })])
})

test('what is long is cut, an unknown one has its reason, and a command of the load is not told', (t) => {
  const dir = makeDir(t)
  const long = { ...found, ...unknown('it closes over `calls`, '.repeat(99)), routes: [] }
  leaveWhatIf(long, dir, { onPort: 'autocannon -H "authorization: secret"', seconds: 5 }, NOW)
  const [left] = readIn(dir)
  assert.equal(left.how, 'under a command\'s load for 5 s')
  assert.ok(left.verdict === 'unknown' && left.reason?.length === 400 && left.reason.endsWith('…'))
  leaveWhatIf({ ...found, routes: [...routes, ...routes, ...routes] }, dir, { onPort: false, seconds: 5 }, NOW)
  assert.deepEqual(readIn(dir).map(({ p99, how }) => [p99.length, how]), [[3, 'with no load of its own for 5 s']])
})

test('where it cannot be written, that is said and nothing else fails', (t) => {
  const file = path.join(makeDir(t), 'file')
  fs.writeFileSync(file, '')
  assert.match(leaveWhatIf(found, file, { onPort: true }, NOW), /^the live page will not show it: .*ENOTDIR|EEXIST/)
  assert.match(leaveWhatIf({ ...found, file: '' }, makeDir(t), { onPort: true }, NOW), /^the live page will not show it: no page/)
})
