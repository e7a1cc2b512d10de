'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createMemory, openBridge } = require('../../../lib/bridge/memory')
const { addressOf, checkFolder, prepareFolder, sweepFolder } = require('../../../lib/cluster/address')
const { MetricsUnion } = require('../../../lib/cluster/metrics/union')
const { fit, isSmall } = require('../../../lib/cluster/records')
const { SeriesReader, SeriesWriter } = require('../../../lib/cluster/metrics/series')
const { Slots, MOST_SLOTS } = require('../../../lib/cluster/slots')
const { LineReader, LINE_BYTES } = require('../../../lib/cluster/wire')
const { sentenceOf } = require('../../../lib/export/log/sentence')
const { BlockLog } = require('../../../lib/export/log/log')
const { fileOf, flameOf, formats, profileOf } = require('../../../lib/export/profiles/profiles')
const { mergeNewest } = require('../../../lib/store/memory')
const { isRecord, summaryOf } = require('../../../lib/store/record')
const { PageFeed } = require('../../../lib/watchdog/page-feed/feed')
const { resolveOptions } = require('../../../lib/options/table')
const { makeDir } = require('../../support/files')
const { makeRecord } = require('../../support/record')
const { seeded } = require('../../support/simulated-host')

/** @typedef {import('../../../lib/types').Metric} Metric */

/** @param {number} value @param {Record<string, string | number>} [labels] @returns {Metric} */
const counter = (value, labels = {}) => ({ name: 'a_total', help: 'a', type: 'counter', values: [{ labels, value }] })
/** @param {number} value @returns {Metric} */
const gauge = (value) => ({ name: 'b', help: 'b', type: 'gauge', values: [{ labels: {}, value }] })

/** @param {import('../../../lib/types').Family[]} families @param {string} name @param {string} worker */
const valueOf = (families, name, worker) => families.find((family) => family.name === name)?.groups
  .filter((group) => group.worker === worker).flatMap(({ values }) => values).reduce((/** @type {number | undefined} */ total, { value }) => (total ?? 0) + value, undefined)

test('messages come whole, however the bytes are cut', () => {
  const sent = [{ t: 'a', text: 'ä€𝄞 \n "' }, { t: 'b' }, { t: 'c', list: [1, 2] }]
  const bytes = Buffer.from(sent.map((message) => `${JSON.stringify(message)}\n`).join(''))
  for (let size = 1; size <= bytes.length; size++) {
    const reader = new LineReader()
    const got = []
    for (let at = 0; at < bytes.length; at += size) got.push(...reader.push(bytes.subarray(at, at + size)))
    assert.deepEqual(got, sent, `in pieces of ${size}`)
  }
})

test('what is no message, or never ends, is refused', () => {
  for (const line of ['nonsense', '', '1', 'null', '[]', '{}', '{"t":1}', '\0\0']) {
    assert.throws(() => new LineReader().push(Buffer.from(`${line}\n`)), /a line that is not/, line)
  }
  const reader = new LineReader()
  assert.deepEqual(reader.push(Buffer.alloc(LINE_BYTES, 'x')), [])
  assert.throws(() => reader.push(Buffer.from('x')), /more than 1048576 bytes/)
})

test('a snapshot arrives as it was sent, whatever changes, comes and goes between two', () => {
  const random = seeded(7)
  const writer = new SeriesWriter()
  const reader = new SeriesReader()
  /** @type {Map<string, Metric>} */
  const registry = new Map(['x_total', 'y', 'z_seconds'].map((name, i) => [name, { name, help: `${name}?`, type: ['counter', 'gauge', 'histogram'][i], values: [] }]))
  for (let round = 0; round < 200; round++) {
    for (const metric of registry.values()) {
      if (random() < 0.3) metric.values.push({ labels: { n: `${round}"\n`, le: round / 2 }, value: random(), metricName: metric.type === 'histogram' ? `${metric.name}_bucket` : undefined, exemplar: null })
      if (random() < 0.1) metric.values.splice(Math.floor(random() * metric.values.length), 1)
      for (const value of metric.values) {
        if (random() < 0.2) value.value = random() < 0.1 ? NaN : random()
        if (random() < 0.1) value.exemplar = { labelSet: { block_id: `${round}` }, value: random(), timestamp: round }
      }
    }
    for (const message of writer.changes([...registry.values()])) reader.apply(JSON.parse(JSON.stringify(message)))
    const plain = (/** @type {Metric[]} */ metrics) => JSON.parse(JSON.stringify(metrics.map((metric) => ({ ...metric, values: metric.values.map((value) => ({ ...value, exemplar: value.exemplar ?? null })) }))))
    assert.deepEqual(plain(reader.snapshot()), plain([...registry.values()]), `round ${round}`)
  }
})

test('of a snapshot that has not changed nothing is sent', () => {
  const writer = new SeriesWriter()
  const many = { ...counter(1), values: Array.from({ length: 5000 }, (_, i) => ({ labels: { i: `${i}` }, value: i })) }
  const first = writer.changes([many]).map((message) => JSON.stringify(message).length)
  assert.ok(Math.max(...first) < LINE_BYTES / 4)
  assert.ok(JSON.stringify(writer.changes([many])).length < 100)
})

test('series that no worker would send are refused', () => {
  const metric = [0, 'a_total', 'help', 'counter']
  for (const message of [
    { metrics: [[0, 'a b', 'help', 'counter']] },
    { metrics: [[0, 'a', 'help', 'thing']] },
    { metrics: [[0, 'a', null, 'counter']] },
    { metrics: [['0', 'a', 'x'.repeat(2000), 'counter']] },
    { metrics: 1 },
    { metrics: [metric], series: [[0, 1, 'a_total', {}]] },
    { metrics: [metric], series: [[0, 0, 'other', {}]] },
    { metrics: [metric], series: [[0, 0, 'a_total', { 'x="1"} 1\ny': 'z' }]] },
    { metrics: [metric], series: [[0, 0, 'a_total', { x: {} }]] },
    { metrics: [metric], series: [[0, 0, 'a_total', null]] },
    { metrics: [metric], series: [[0, 0, 'a_total', {}]], values: [[0, 'x']] },
    { metrics: [metric], series: [[0, 0, 'a_total', {}]], values: [[0, 1, { labelSet: 1 }]] },
    { gone: {} }
  ]) {
    assert.throws(() => new SeriesReader().apply(/** @type {any} */ ({ t: 'metrics', ...message })), /** @type {any} */ (undefined), JSON.stringify(message))
  }
})

test('a worker takes the lowest free slot; who comes back has its own again', () => {
  const alive = new Set()
  const slots = new Slots((pid) => alive.has(pid))
  assert.deepEqual(slots.take('a', 1, null), { slot: 1, isRestart: false })
  assert.deepEqual(slots.take('b', 2, null), { slot: 2, isRestart: false })
  assert.deepEqual(slots.take('c', 3, null), { slot: 3, isRestart: false })
  slots.release(1)
  slots.release(2)
  assert.deepEqual(slots.take('b', 2, null), { slot: 2, isRestart: false })
  assert.deepEqual(slots.take('d', 4, null), { slot: 1, isRestart: true })
  // Another life of a process's watchdog is no other process.
  slots.release(1)
  assert.deepEqual(slots.take('d2', 4, null), { slot: 1, isRestart: false })
  // A process that has only lost its connection will come back.
  alive.add(4)
  slots.release(1)
  assert.deepEqual(slots.take('e', 5, null), { slot: 4, isRestart: false })
  assert.deepEqual(slots.take('d2', 4, 1), { slot: 1, isRestart: false })
  // Under a new primary everyone keeps the slot it had under the old one.
  const next = new Slots()
  assert.deepEqual(next.take('c', 4194305, 3), { slot: 3, isRestart: false })
  assert.deepEqual(next.take('e', 4194306, 3), { slot: 1, isRestart: false })
  assert.deepEqual(next.take('f', 4194307, -1), { slot: 2, isRestart: false })
  assert.deepEqual(next.take('g', 4194308, '9'), { slot: 4, isRestart: false })
  for (let i = 5; i <= MOST_SLOTS; i++) next.take(`${i}`, 4194310 + i, null)
  assert.equal(next.take('last', 4194999, null), null)
  next.release(7)
  assert.deepEqual(next.take('other', 4194999, null), { slot: 7, isRestart: true })
  next.release(7)
  assert.deepEqual(next.take('living', process.pid, null), { slot: 7, isRestart: true })
  next.release(7)
  assert.equal(next.take('another', 4194998, null), null)
})

test('counters of a slot grow over all who had it; gauges are of the living', () => {
  const metricsUnion = new MetricsUnion()
  metricsUnion.join(1, 'a')
  const first = metricsUnion.of([counter(100)], new Map([[1, [counter(5), gauge(1)]]]))
  assert.deepEqual([valueOf(first, 'a_total', 'primary'), valueOf(first, 'a_total', '1'), valueOf(first, 'b', '1')], [100, 5, 1])
  metricsUnion.leave(1, 'a', [counter(6), gauge(1)])
  const without = metricsUnion.of([], new Map())
  assert.deepEqual([valueOf(without, 'a_total', '1'), valueOf(without, 'b', '1')], [6, undefined])
  metricsUnion.join(1, 'b')
  const again = metricsUnion.of([], new Map([[1, [counter(2), gauge(7)]]]))
  assert.deepEqual([valueOf(again, 'a_total', '1'), valueOf(again, 'b', '1')], [8, 7])
  // A connection that was lost and made again is not counted twice.
  metricsUnion.leave(1, 'b', [counter(3)])
  metricsUnion.join(1, 'b')
  assert.equal(valueOf(metricsUnion.of([], new Map([[1, [counter(4)]]])), 'a_total', '1'), 10)
})

test('a histogram whose workers have died adds up bucket by bucket and keeps an exemplar', () => {
  /** @param {number[]} counts @param {number} sum @param {any} [exemplar] @returns {Metric} */
  const histogram = (counts, sum, exemplar) => ({
    name: 'h',
    help: 'h',
    type: 'histogram',
    values: [...counts.map((value, i) => ({ metricName: 'h_bucket', labels: { le: [1, 2, '+Inf'][i], thread: 'main' }, value, exemplar })), { metricName: 'h_sum', labels: { thread: 'main' }, value: sum }, { metricName: 'h_count', labels: { thread: 'main' }, value: counts[2] }]
  })
  const metricsUnion = new MetricsUnion()
  const exemplar = { labelSet: { block_id: '1-1' }, value: 0.5, timestamp: 1 }
  metricsUnion.join(1, 'a')
  metricsUnion.leave(1, 'a', [histogram([1, 2, 3], 6, exemplar)])
  metricsUnion.join(1, 'b')
  const [{ groups: [{ values }] }] = metricsUnion.of([], new Map([[1, [histogram([0, 1, 1], 1.5)]]]))
  assert.deepEqual(values.map(({ value }) => value), [1, 3, 4, 7.5, 4])
  assert.deepEqual(values[0].exemplar, exemplar)
})

test('workers that die for ever leave a bounded number of series', () => {
  const metricsUnion = new MetricsUnion()
  let total = 0
  for (let life = 0; life < 300; life++) {
    metricsUnion.join(1, `${life}`)
    metricsUnion.leave(1, `${life}`, [{ ...counter(0), values: Array.from({ length: 50 }, (_, i) => ({ labels: { route: `/${life}/${i}` }, value: 1 })) }])
    total += 50
  }
  const [{ groups: [{ values }] }] = metricsUnion.of([], new Map())
  // Those of the dead, (other), and of the last one all: it is no dead one before somebody has its slot.
  assert.ok(values.length <= 5000 + 1 + 50, `${values.length} series`)
  assert.equal(values.reduce((sum, { value }) => sum + value, 0), total)
})

test('a record travels with as many stacks as fit', () => {
  const frame = { function: 'f', file: '/srv/app/some/file.js', line: 1, column: 1 }
  const stack = (/** @type {number} */ depth) => ({ count: 1, weightMs: 1, frames: Array.from({ length: depth }, () => frame) })
  const small = makeRecord()
  assert.deepEqual(fit(small), small)
  const empty = makeRecord({ stacks: [stack(0)] })
  assert.deepEqual(fit(empty), empty, 'one whose stack has no frames, too')
  const large = fit(makeRecord({ stacks: Array.from({ length: 10 }, () => stack(50)) }))
  assert.ok(large.stacks.length > 2 && large.stacks.length < 10)
  const deep = fit(makeRecord({ stacks: [stack(5000)] }))
  assert.ok(deep.stacks[0].frames.length > 50)
  for (const record of [large, deep]) assert.ok(JSON.stringify(record).length <= 16 * 1024)
  // What is too large even without its stacks ends a block all the same.
  const bare = fit(makeRecord({ frame: { ...frame, function: 'x'.repeat(20000), exact: true } }))
  assert.deepEqual([bare.id, bare.ongoing, bare.stacks, bare.frame], ['4242-1', false, [], null])
  assert.ok(isRecord(bare) && isSmall(bare))
  assert.equal(fit(makeRecord({ startedAt: 'x'.repeat(20000) })), null)
  assert.equal(fit(makeRecord({ durationMs: NaN })), null, 'what the primary would not take is not sent')
  const unsampled = makeRecord({ stacks: [stack(0)] })
  assert.deepEqual(fit(unsampled), unsampled)
  assert.ok(fit(makeRecord({ stacks: [stack(0), ...Array.from({ length: 10 }, () => stack(50))] })).stacks.length > 1)
  assert.ok(isRecord(small) && isSmall(small))
  assert.ok(!isSmall(/** @type {any} */ ({ ...small, pad: 'x'.repeat(20000) })))
  for (const wrong of [null, 1, {}, { ...small, id: '../x' }, { ...small, cause: 1 }, { ...small, stacks: 1 }, { ...small, frame: 'x' }, { ...small, durationMs: '1' }]) {
    assert.ok(!isRecord(wrong), JSON.stringify(wrong))
  }
})

/** A record with everything a record can have. */
function makeFullRecord () {
  const frame = { function: 'query', file: '/srv/app/db.js', line: 3, column: 5 }
  const request = /** @type {any} */ (makeRecord().request)
  return makeRecord({
    request: { ...request, ended: false, traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
    package: { name: 'pg', version: '8.11.3', bugs: 'https://github.com/brianc/node-postgres/issues' },
    origin: { type: 'Timeout', durationMs: 200, frame, frames: [frame] },
    profile: { samples: 5, call: 'JSON.parse', stacks: [{ count: 5, weightMs: 50, frames: [frame] }] }
  })
}

/** Every place in a value. @param {any} value @returns {(string | number)[][]} */
const pathsOf = (value) => typeof value !== 'object' || value === null
  ? []
  : Object.keys(value).flatMap((key) => [[key], ...pathsOf(value[key]).map((rest) => [key, ...rest])])

/** @param {any} value @param {(string | number)[]} path @param {unknown} junk undefined: without it */
function mutated (value, path, junk) {
  const copy = structuredClone(value)
  const owner = path.slice(0, -1).reduce((at, key) => at[key], copy)
  owner[path[path.length - 1]] = junk
  return JSON.parse(JSON.stringify(copy))
}

test('a record with any field wrong is refused, or shown and exported like any other', async (t) => {
  const dir = makeDir(t)
  let clockMs = 0
  const log = new BlockLog({ log: { destination: path.join(dir, 'log') }, nowMs: () => (clockMs += 60000), onState: () => {} })
  t.after(() => log.close())
  /** @param {any} record */
  const show = async (record) => {
    const own = { ...record, worker: 1 }
    const page = new PageFeed({
      options: resolveOptions({}, {}),
      delays: openBridge(createMemory()).delays,
      loop: () => ({ activeMs: 0, idleMs: 0, inProgressMs: 0 }),
      blocks: () => [own],
      ongoing: () => [own],
      inFlight: () => 0,
      degraded: () => [],
      workers: () => [{ worker: 1, blockedMs: 0 }]
    })
    page.connect().stream?.(/** @type {any} */ ({ once: () => {}, write: () => {}, destroy: () => {}, writableLength: 0 }))
    page.put(own)
    for (const [format, { ending }] of Object.entries(formats)) {
      const whole = await profileOf([own, makeRecord()], new URLSearchParams({ format, group: 'route,cause,thread,worker' }))
      assert.equal(whole.status, 200)
      assert.ok(fileOf(`${own.id}.${ending}`, () => own))
    }
    await profileOf([own], new URLSearchParams({ seconds: '60', route: '/', cause: 'js' }))
    JSON.stringify([await flameOf([own]), mergeNewest([summaryOf(own)], [makeRecord()])])
    sentenceOf(own)
    log.settled(own)
  }
  const full = makeFullRecord()
  for (const record of [full, makeRecord(), { ...full, cause: 'constructor' }, { ...full, leaf: { ...full.frame, line: -4 } }]) {
    assert.ok(isRecord(record))
    await show(record)
  }
  let accepted = 0
  let refused = 0
  for (const place of pathsOf(full)) {
    for (const junk of [undefined, null, 0, -1, 0.5, 1e300, '', 'x', '\0', true, [], [null], [[]], {}, { frames: 1 }]) {
      const record = mutated(full, place, junk)
      if (isRecord(record)) {
        accepted++
        await show(record).catch((cause) => { throw new Error(`${place.join('.')} = ${JSON.stringify(junk)} is accepted: ${cause.message}`, { cause }) })
      } else {
        refused++
      }
    }
  }
  assert.ok(accepted > 50 && refused > 400, `${accepted} accepted, ${refused} refused`)
  for (const wrong of [{ origin: {} }, { stacks: [null] }, { stacks: [{ frames: [null], count: 1, weightMs: 1 }] }, { request: {} }, { profile: {} }, { evidence: [] }, { package: {} }, { package: 'pg' }, { startedAt: 'today' }]) {
    assert.ok(!isRecord({ ...full, ...wrong }), JSON.stringify(wrong))
  }
})

test('the folder of the sockets is this user\'s alone', (t) => {
  const tmpdir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-test-'))
  t.after(() => fs.rmSync(tmpdir, { recursive: true }))
  const address = addressOf({ tmpdir, pid: 4242 })
  const folder = path.dirname(address)
  assert.equal(/** @type {any} */ (checkFolder(address))?.code, 'ENOENT')
  assert.equal(prepareFolder(address), null)
  assert.equal(fs.statSync(folder).mode & 0o777, 0o700)
  fs.chmodSync(folder, 0o701)
  assert.match(`${prepareFolder(address)}`, /open to other users \(mode 701/)
  fs.chmodSync(folder, 0o700)
  if (process.getuid?.() === 0) {
    fs.chownSync(folder, 12345, 0)
    assert.match(`${prepareFolder(address)}`, /belongs to another user/)
  }
  fs.rmdirSync(folder)
  fs.symlinkSync(os.tmpdir(), folder)
  assert.match(`${prepareFolder(address)}`, /is not a folder/)
  fs.unlinkSync(folder)
  assert.match(`${prepareFolder(addressOf({ tmpdir: path.join(tmpdir, 'x'.repeat(100)), pid: 1 }))}`, /ENOENT|too long/)
})

test('sockets of processes that are gone are swept away, those of the living are not', (t) => {
  const tmpdir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-test-'))
  t.after(() => fs.rmSync(tmpdir, { recursive: true }))
  const mine = addressOf({ tmpdir, pid: process.pid })
  prepareFolder(mine)
  // Above the largest pid there can be.
  const dead = addressOf({ tmpdir, pid: 4194305 })
  const other = path.join(path.dirname(mine), '4194305-1.sock')
  for (const file of [mine, dead, other]) fs.writeFileSync(file, '')
  sweepFolder(mine)
  assert.deepEqual([mine, dead, other].map((file) => fs.existsSync(file)), [true, false, true])
})
