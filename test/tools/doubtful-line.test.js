'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { verdictOf } = require('../../lib/cli/diagnose/verdict')
const { BlockLog } = require('../../lib/export/log/log')
const { messageOf } = require('../../lib/export/notify/notify')
const { blockAttributes } = require('../../lib/export/otlp/block-attributes')
const { FlameTree } = require('../../lib/export/profiles/flame-tree')
const { makeDir } = require('../support/files')
const { makeMetrics } = require('../support/metrics')
const { makeRecord } = require('../support/record')

const run = promisify(execFile)
const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
const MODEL = '../../lib/export/page/source/model'
const FILE = '/srv/app/report.js'

/** @param {boolean} exact */
const blockOf = (exact) => makeRecord({
  cause: 'native',
  frame: { function: 'load', file: FILE, line: 24, column: 3, exact },
  stacks: [{ count: 1, weightMs: 312, frames: [{ function: 'load', file: FILE, line: 24, column: 3 }] }]
})

const request = { method: 'GET', route: '/report/:id', startedAt: '2026-11-21T10:00:00.100Z', ended: false, traceId: null }
/** @param {boolean} exact whether it is certain that the request ran */
const requestOf = (exact) => ({ ...blockOf(true), request: { ...request, exact } })

/** @typedef {(record: import('../../lib/types').BlockRecord, t: import('node:test').TestContext) => any} Sink */

/** @type {(t: import('node:test').TestContext, record: any, ...flags: string[]) => Promise<string>} */
async function listed (t, record, ...flags) {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'blocks-1.ndjson'), `${JSON.stringify(record)}\n`)
  return (await run(process.execPath, [CLI, 'blocks', dir, ...flags])).stdout
}

/** @type {(t: import('node:test').TestContext, record: any, format: 'json' | 'pretty') => string} */
function logged (t, record, format) {
  const destination = path.join(makeDir(t), 'app.log')
  const onState = (/** @type {Error | null} */ error) => assert.ifError(error)
  const log = new BlockLog({ log: { destination, format }, nowMs: () => 1000, onState })
  t.after(() => log.close())
  log.settled(record)
  return fs.readFileSync(destination, 'utf8')
}

/** Wherever people read the place of a block, or the request. @type {Record<string, Sink>} */
const sinks = {
  'log in JSON': (record, t) => JSON.parse(logged(t, record, 'json')).msg,
  'log for a terminal': (record, t) => logged(t, record, 'pretty'),
  'label of metrics': async (record) => {
    const { metrics } = makeMetrics()
    metrics.observeBlock(record)
    return (await metrics.render()).match(/(site|route)="[^"]*"/g)?.join()
  },
  'message of notify': (record) => /** @type {any} */ (messageOf(new URL('http://x/'), record, { labels: {}, held: 0 })).text,
  'message to Slack': (record) => JSON.stringify(messageOf(new URL('https://hooks.slack.com/x'), record, { labels: {}, held: 0 })),
  'verdict of diagnose': (record) => verdictOf({
    recording: { blocks: [record], details: {}, metrics: '', recordedAt: record.startedAt }, sinceMs: null, startMs: Date.parse(record.startedAt) - 1000, load: null
  }).text,
  'loopwatch blocks': (record, t) => listed(t, record),
  'loopwatch blocks --top': (record, t) => listed(t, record, '--top'),
  'loopwatch blocks --format md': (record, t) => listed(t, record, '--format', 'md'),
  'loopwatch blocks --top --format md': (record, t) => listed(t, record, '--top', '--format', 'md'),
  'flame graph': (record) => {
    const tree = new FlameTree()
    tree.add(record)
    return tree.toJSON().children[0].name
  },
  'row and table of the page': async (record) => {
    const { placeOf, workOf } = await import(`${MODEL}/labels.mjs`)
    return `${placeOf(record)} ${workOf(record)}`
  },
  'strip of the page': async (record) =>
    (await import(`${MODEL}/strip.mjs`)).sentenceOf(record, 0).map((/** @type {any} */ { text }) => text).join(''),
  'sentence of an opened block': async (record) => (await import(`${MODEL}/report.mjs`)).whyOf(record),
  'verdict of the page': async (record) => {
    const range = { fromMs: Date.parse(record.startedAt), toMs: Date.parse(record.startedAt) + 1000 }
    return (await import(`${MODEL}/verdict.mjs`)).verdictOf([record], range, { thresholdMs: 50, loops: 1 })
  },
  'block copied as Markdown': async (record) => (await import(`${MODEL}/report.mjs`))
    .markdownOf({ block: record, source: null, advice: [], waits: { requests: 0 } }, 'http://x/')
}
/** These show places alone. */
const PLACES = ['flame graph', 'verdict of the page']
/** These show no line: one function is one series. */
const WITHOUT_LINE = ['label of metrics']

for (const [name, textOf] of Object.entries(sinks)) {
  if (!WITHOUT_LINE.includes(name)) {
    test(`a line that is not certain stands after ≈: ${name}`, async (t) => {
      const doubtful = await textOf(blockOf(false), t)
      assert.match(doubtful, /≈/)
      assert.match(doubtful, /load|report\.js:24/, 'it is a place')
      assert.doesNotMatch(await textOf(blockOf(true), t), /≈/)
    })
  }
  if (PLACES.includes(name)) continue
  test(`a request that is not certain stands after ≈: ${name}`, async (t) => {
    assert.match(await textOf(requestOf(false), t), /≈ (GET )?\/report/)
    assert.doesNotMatch(await textOf(requestOf(true), t), /≈/)
  })
}

test('a bar of the flame graph is one bar, and certain as soon as one block of it is', () => {
  const namesOf = (/** @type {boolean[]} */ ...records) => {
    const tree = new FlameTree()
    for (const exact of records) tree.add(blockOf(exact))
    return tree.toJSON().children.map(({ name }) => name)
  }
  const certain = namesOf(true)
  assert.deepEqual(namesOf(false, true), certain)
  assert.deepEqual(namesOf(true, false), certain)
  assert.deepEqual(namesOf(false, false), [`≈ ${certain[0]}`])
})

test('OpenTelemetry has it as attributes of their own: a line is a number, and a route has its name', () => {
  assert.equal(blockAttributes(requestOf(false))['loopwatch.work.exact'], false)
  assert.equal(blockAttributes(requestOf(true))['loopwatch.work.exact'], null)
  assert.equal(blockAttributes(blockOf(false))['loopwatch.code.exact'], false)
  assert.equal(blockAttributes(blockOf(true))['loopwatch.code.exact'], null)
})
