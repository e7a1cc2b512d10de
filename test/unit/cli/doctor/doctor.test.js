'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { parseSamples: parse } = require('../../../../lib/cli/common/parse')
const { notKept } = require('../../../../lib/tables/not-kept')
const { findings, limitsOf } = require('../../../../lib/cli/doctor/doctor')

/** @param {string} lines that differ from an agent in good health */
const metrics = (lines = '') => parse(`# HELP loopwatch_build_info Always 1
loopwatch_build_info{version="1.2.3",node_version="24.21.0"} 1
loopwatch_eventloop_heartbeat_age_seconds{thread="main"} 0.008
loopwatch_block_in_progress_seconds{thread="main"} 0
loopwatch_config_threshold_seconds 0.05
loopwatch_profiling 1
loopwatch_degraded{reason="dir"} 0
${lines}`)

const said = (/** @type {ReturnType<typeof findings>} */ { lines }) => Object.fromEntries(lines)

test('an agent in good health has nothing to say but what it watches', () => {
  const found = findings(metrics(), 'shop:9464')
  assert.equal(found.isWell, true)
  assert.deepEqual(said(found), {
    watching: 'shop:9464: loopwatch 1.2.3 on Node.js 24.21.0, blocks from 50 ms',
    loop: 'not blocked; its last heartbeat was 8 ms ago',
    profile: 'on: lines of native calls are exact',
    dropped: 'nothing',
    degraded: 'nothing'
  })
})

test('what does not work is named with what is missing', () => {
  const found = findings(metrics('loopwatch_degraded{reason="cluster"} 1\nloopwatch_degraded{reason="of_tomorrow"} 1'), 'shop:9464')
  assert.equal(found.isWell, false)
  assert.deepEqual(found.lines.filter(([head]) => head === 'degraded').map(([, line]) => line.replace(/;.*/, '')), [
    'cluster: the watchdogs of the cluster cannot reach each other',
    'of_tomorrow: not known to this version'
  ])
})

test('doctor lists a block in progress, lost events and the limits of an old Node.js', () => {
  const lines = metrics('loopwatch_events_dropped_total{reason="log_line"} 3')
    .map((each) => each.name === 'loopwatch_block_in_progress_seconds' ? { ...each, value: 9.5 } : each)
    .map((each) => each.name === 'loopwatch_build_info' ? { ...each, labels: { ...each.labels, node_version: '20.20.2' } } : each)
  const found = findings(lines, 'shop:9464')
  assert.equal(said(found).loop, 'blocked for 9.5 s at this moment: loopwatch blocks shop:9464')
  assert.equal(said(findings(lines, 'process 7120')).loop, 'blocked for 9.5 s when this was recorded')
  assert.equal(said(found).dropped, 'log lines that could not be written: 3 (log_line)')
  assert.equal(found.lines.filter(([head]) => head === 'limit').length, 2)
})

test('every reason for dropped data is in the documents, and says what it counts', () => {
  const text = fs.readFileSync(path.join(__dirname, '../../../../docs/use/metrics.md'), 'utf8')
  const [, table] = text.split('## reason of loopwatch_events_dropped_total')
  const documented = table.split('\n').filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...line.split('|')[1].matchAll(/`(\w+)`/g)].map(([, reason]) => reason))
  assert.deepEqual(documented.sort(), Object.keys(notKept).sort())
})

test('a process without heartbeats and without a block is not well', () => {
  const lines = metrics().map((each) => each.name === 'loopwatch_eventloop_heartbeat_age_seconds' ? { ...each, value: 4 } : each)
  assert.equal(findings(lines, 'shop:9464').isWell, false)
})

test('samples are read with their escaped labels', () => {
  assert.deepEqual(parse('a{b="x\\"y\\\\n\\n",c="}"} +Inf\nbroken line here\n# a comment\nd 1.5'), [
    { name: 'a', labels: { b: 'x"y\\n\n', c: '}' }, value: Infinity },
    { name: 'd', labels: {}, value: 1.5 }
  ])
})

test('on Linux the kernel has what Node.js 20 lacks, so that limit is not listed', () => {
  assert.equal(limitsOf('20.20.0', 'linux').length, 1)
  assert.match(limitsOf('20.20.0', 'darwin').join('\n'), /outside Linux, CPU time is not counted, and causes are unknown: use 22\.23 or later/)
  assert.equal(limitsOf('20.20.0', null).length, 2, 'of another machine nobody knows')
  assert.equal(limitsOf('22.3.0', 'darwin').length, 2)
  assert.equal(limitsOf('22.23.0', 'darwin').length, 1)
  assert.deepEqual(limitsOf('24.1.0', 'darwin'), [])
})
