'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { collect, formats, profileOf } = require('../../../../lib/export/profiles/profiles')
const { blocks, decoded, selfMs } = require('../../../support/lib/profiles')
const { makeRecord } = require('../../../support/record')

test('folded: outermost first, whole milliseconds, blocks without a culprit charged to no line', async () => {
  const text = formats.folded.write(await collect(blocks()), '')
  assert.deepEqual(String(text).trim().split('\n'), [
    'handle (/srv/app/report.js:5);sort (/srv/app/report.js:31) 300',
    'handle (/srv/app/report.js:5);sort (/srv/app/report.js:30) 100',
    'handle (/srv/app/report.js:5);tail:end (/srv/app/report.js:40) 100',
    '(starved) 70',
    '(not sampled) 60'
  ])
})

test('cpuprofile: every millisecond of blocked time is the self time of one function', async () => {
  const text = String(formats.cpuprofile.write(await collect(blocks()), ''))
  assert.deepEqual(selfMs(text), { 'sort:31': 300, 'tail;end:40': 100, 'sort:30': 100, '(not sampled):0': 60, '(starved):0': 70 })
  const { nodes } = JSON.parse(text)
  const ids = new Set(nodes.map((/** @type {any} */ { id }) => id))
  for (const { children } of nodes) assert.ok(children.every((/** @type {number} */ id) => ids.has(id)))
  assert.equal(nodes.find((/** @type {any} */ { callFrame }) => callFrame.functionName === 'handle').callFrame.url, 'file:///srv/app/report.js')
})

test('pprof: samples and blocked time, labelled by route and cause', async () => {
  const { types, samples } = decoded(/** @type {Buffer} */ (formats.pprof.write(await collect(blocks()), '')))
  assert.deepEqual(types, ['captured/count', 'blocked/nanoseconds'])
  assert.deepEqual(samples[0], { frames: ['sort:31', 'handle:5'], value: [9, 300e6], labels: { route: 'POST /report/:id', cause: 'js', thread: 'main' } })
  assert.deepEqual(samples.at(-1), { frames: ['(not sampled):0'], value: [0, 60e6], labels: { route: '(none)', cause: 'native', thread: 'main' } })
})

test('speedscope: everything, and a profile for each cause and route', async () => {
  const { shared, profiles } = JSON.parse(String(formats.speedscope.write(await collect(blocks()), 'x')))
  assert.deepEqual(profiles.map((/** @type {any} */ { name, endValue }) => [name, endValue]), [
    ['all', 630], ['js, POST /report/:id', 400], ['js, GET /report/:id', 100], ['starved, (none)', 70], ['native, (none)', 60]
  ])
  for (const { samples, weights } of profiles) {
    assert.equal(samples.length, weights.length)
    assert.ok(samples.flat().every((/** @type {number} */ id) => shared.frames[id] !== undefined))
  }
})

test('what is asked for can be split and narrowed, and a wrong question says what is right', async () => {
  const ask = async (/** @type {string} */ query, records = blocks()) => {
    const { status, body } = await profileOf(records, new URLSearchParams(query))
    return { status, body: String(body) }
  }
  const split = await ask('format=folded&group=cause,route')
  assert.match(split.body, /^cause: js;route: POST \/report\/:id;handle .* 300$/m)
  assert.match(split.body, /^cause: starved;route: \(none\);\(starved\) 70$/m)
  assert.deepEqual((await ask('format=folded&cause=native')).body, '(not sampled) 60\n')
  assert.equal((await ask('format=folded&route=/none')).body, '')
  const recent = [makeRecord({ startedAt: new Date().toISOString() }), ...blocks()]
  assert.match((await ask('format=folded&seconds=3600', recent)).body, /^report .*;test 312\n$/)
  for (const query of ['format=svg', 'format=toString', 'seconds=0', 'seconds=x', 'group=host', 'group=route,route']) assert.equal((await ask(query)).status, 400, query)
  assert.match((await ask('format=svg')).body, /cpuprofile, pprof, speedscope, folded/)
})

test('a route is asked for as metrics or profiles name it, and no route as both do', async () => {
  const totalMs = async (/** @type {string} */ route) => {
    const { body } = await profileOf(blocks(), new URLSearchParams({ format: 'folded', route }))
    return String(body).split('\n').reduce((sum, line) => sum + Number(/\d*$/.exec(line)), 0)
  }
  assert.equal(await totalMs('/report/:id'), 500, 'without the block after an answer, which is nobody\'s')
  assert.equal(await totalMs('GET /report/:id'), 100)
  assert.equal(await totalMs('POST /report/:id'), 400)
  assert.equal(await totalMs('(none)'), 130)
  assert.equal(await totalMs('report'), 0)
})
