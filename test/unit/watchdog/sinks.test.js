'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { LogBudget } = require('../../../lib/export/log/budget')
const { BlockMemory } = require('../../../lib/store/memory')
const { Health } = require('../../../lib/watchdog/health')
const { inOrder, mainSinks, threadSinks } = require('../../../lib/watchdog/sinks')
const { makeRecord } = require('../../support/record')

/** @param {string} id @param {boolean} ongoing @param {number} samples */
const recordOf = (id, ongoing, samples) => makeRecord({ id, ongoing, samples, durationMs: 60 })

/** No sink here throws. @param {string} sink @param {Error} error */
function never (sink, error) {
  throw new Error(`${sink} threw`, { cause: error })
}

/** What is said by parts that only note who was told what. */
function makeParts () {
  /** @type {string[]} */
  const told = []
  /** @param {string} who @param {string[]} methods @returns {any} */
  const part = (who, methods) => Object.fromEntries(methods.map((method) => [method, () => { told.push(`${who}.${method}`) }]))
  return { told, part }
}

/** Every sink of the main thread, with what each hears. */
function makeMain () {
  const { told, part } = makeParts()
  /** @type {Map<string, any>} */
  const records = new Map()
  const heapProfiling = part('heapProfiling', ['settled'])
  const recent = { ...part('recent', ['add']), routed: (/** @type {any} */ record) => record }
  const sinks = mainSinks({
    startedAtMs: 100,
    memory: { ...part('memory', ['put']), get: (/** @type {string} */ id) => records.get(id) },
    page: { ...part('page', ['put', 'amend']), recent },
    cluster: part('cluster', ['block']),
    metrics: part('metrics', ['drop', 'observeBlock']),
    mainLoop: {
      profiling: part('profiling', ['ended', 'settled']),
      heapProfiling,
      origins: part('origins', ['ended', 'settled']),
      queries: null
    },
    outputs: {
      log: part('log', ['opened', 'lasting', 'stuck', 'settled']),
      file: part('file', ['write']),
      history: null,
      timelines: part('timelines', ['stuck', 'settled']),
      notifier: part('notifier', ['lasting', 'settled']),
      otlp: part('otlp', ['opened', 'lasting', 'stuck', 'settled']),
      spans: part('spans', ['lasting', 'ended', 'settled'])
    },
    slow: part('slow', ['blocked']),
    tracking: part('tracking', ['settled']),
    quiet: part('quiet', ['settled']),
    aborts: false,
    post: () => { told.push('host') },
    onThrow: never
  })
  return { sinks, records, heapProfiling, take: () => told.splice(0) }
}

test('each phase of a block goes to its sinks in one order: memory first, then the log, the host last', () => {
  const { sinks, take } = makeMain()
  for (const phase of /** @type {const} */ (['opened', 'lasting', 'stuck'])) {
    sinks[phase](recordOf('1', true, 1))
    const spans = phase === 'lasting' ? ['spans.lasting'] : []
    const notified = phase === 'opened' ? [] : ['notifier.lasting']
    const first = ['memory.put', `log.${phase}`, 'page.put', 'cluster.block', 'file.write', ...notified]
    const kept = phase === 'stuck' ? ['timelines.stuck'] : []
    assert.deepEqual(take(), [...first, `otlp.${phase}`, ...spans, ...kept])
  }
  sinks.ended(recordOf('1', false, 1), { startMs: 0, endMs: 200, workIds: [] })
  assert.deepEqual(take(), ['memory.put', 'page.put', 'cluster.block', 'slow.blocked', 'recent.add', 'profiling.ended', 'origins.ended', 'spans.ended'])
  sinks.settled(recordOf('1', false, 1), 200)
  const settled = take()
  assert.deepEqual(settled, [
    'memory.put', 'log.settled', 'page.put', 'cluster.block', 'tracking.settled', 'metrics.observeBlock', 'profiling.settled',
    'heapProfiling.settled', 'origins.settled',
    'file.write', 'notifier.settled', 'otlp.settled', 'spans.settled', 'timelines.settled', 'quiet.settled', 'host'
  ])
  sinks.settled(recordOf('0', false, 1), 99)
  assert.deepEqual(take().filter((each) => !settled.includes(each)), ['metrics.drop'], 'it ended before this watchdog began')
})

test('a heap profile that comes later is added to the record in memory, on the page and in files, and nowhere else', () => {
  const { records, heapProfiling, take } = makeMain()
  const { evidence } = recordOf('1', false, 1)
  records.set('1', { ...recordOf('1', false, 1), evidence: { ...evidence, memory: {} } })
  heapProfiling.onProfile({ block: '1', isHeapFull: true })
  assert.deepEqual(take(), ['memory.put', 'page.amend', 'cluster.block', 'file.write'])
  heapProfiling.onProfile({ block: 'forgotten', isHeapFull: true })
  assert.deepEqual(take(), [])
})

test('sinks that are not wanted are left out', () => {
  const { told, part } = makeParts()
  const sinks = inOrder({ none: null, a: part('a', ['opened']), b: part('b', ['opened', 'settled']) }, never)
  sinks.opened(makeRecord())
  sinks.stuck(makeRecord())
  sinks.settled(makeRecord(), 0)
  assert.deepEqual(told, ['a.opened', 'b.opened', 'b.settled'])
})

test('a sink that throws does not keep others from hearing, is logged once and counted each time', () => {
  const { told, part } = makeParts()
  /** @type {string[]} */
  const said = []
  const health = new Health(() => {})
  health.sayIn({ say: (level, fields, message) => { said.push(`${level} ${JSON.stringify(fields)} ${message}`) } })
  let thrown = 0
  const fails = { opened () { throw new Error('no room') } }
  const sinks = inOrder({ a: part('a', ['opened']), fails, b: part('b', ['opened']) }, (sink, error) => {
    thrown++
    health.threw(sink, error)
  })
  for (let i = 0; i < 2; i++) sinks.opened(makeRecord())
  assert.deepEqual(told, ['a.opened', 'b.opened', 'a.opened', 'b.opened'])
  assert.equal(thrown, 2)
  assert.deepEqual(said, ['warn {"event":"sink","sink":"fails"} loopwatch failed in "fails", which missed a block: no room. Please report this'])
})

test('a log that throws when it is to say so harms nobody', () => {
  const health = new Health(() => {})
  health.sayIn({ say () { throw new Error('torn') } })
  health.threw('log', new Error('torn'))
})

test('a block of a worker thread is logged and filed at its end, as it may prove to be none until then', () => {
  const { told, part } = makeParts()
  const memory = new BlockMemory(10)
  const sinks = threadSinks({
    memory,
    page: part('page', ['put', 'drop']),
    budget: new LogBudget(0),
    cluster: part('cluster', ['block']),
    metrics: part('metrics', ['observeBlock']),
    outputs: {
      log: part('log', ['opened', 'lasting', 'settled']),
      file: part('file', ['write']),
      otlp: part('otlp', ['opened', 'lasting', 'settled'])
    },
    quiet: part('quiet', ['settled']),
    post: () => told.push('host'),
    onThrow: never
  })
  sinks.opened(recordOf('none', true, 0))
  sinks.lasting(recordOf('none', true, 0))
  assert.equal(memory.list().length, 1)
  sinks.withdrawn(recordOf('none', false, 0))
  assert.deepEqual([told.splice(0), memory.list()], [['page.put', 'page.put', 'page.drop'], []])
  sinks.opened(recordOf('late', true, 0))
  told.splice(0)
  sinks.settled(recordOf('late', false, 0), 0)
  assert.deepEqual(told, ['page.put', 'metrics.observeBlock', 'log.settled', 'quiet.settled', 'file.write', 'cluster.block', 'otlp.settled', 'host'])
})

test('a burst of blocks of worker threads is counted whole, and stored within limits', () => {
  const { told, part } = makeParts()
  const sinks = threadSinks({
    memory: new BlockMemory(10),
    page: part('page', ['put', 'drop']),
    budget: new LogBudget(0),
    cluster: part('cluster', ['block']),
    metrics: part('metrics', ['observeBlock']),
    outputs: { log: null, file: part('file', ['write']), otlp: null },
    quiet: part('quiet', ['settled']),
    post: () => told.push('host'),
    onThrow: never
  })
  for (let i = 0; i < 100; i++) sinks.settled(recordOf(`${i}`, false, 0), 0)
  const count = (/** @type {string} */ what) => told.filter((each) => each === what).length
  assert.equal(count('metrics.observeBlock'), 100)
  for (const what of ['file.write', 'cluster.block', 'host']) assert.ok(count(what) >= 10 && count(what) < 15, `${what} ${count(what)}`)
})
