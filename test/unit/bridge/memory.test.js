'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { setImmediate: nextTurn } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const { parseAnswer, FIELD, LINE } = require('../../../lib/bridge/probe-codec')
const { BeatSlots } = require('../../../lib/bridge/beat')
const { createMemory, openBridge } = require('../../../lib/bridge/memory')
const { HTTP_METHODS } = require('../../../lib/bridge/request-row')
const { ProbeChannel } = require('../../../lib/bridge/probe-channel')
const { StringTable } = require('../../../lib/bridge/string-table')
const { pack, unpack } = require('../../../lib/bridge/request-row')
const { Ring } = require('../../../lib/bridge/ring')
const { createProbe } = require('../../../lib/host/sense/probe')
const { RequestContext } = require('../../../lib/host/http/context')

/** @param {number} capacity @param {number} width */
function makeRing (capacity, width) {
  const memory = new SharedArrayBuffer(Ring.bytes(capacity, width))
  return { memory, ring: new Ring(memory, 0, capacity, width) }
}

/**
 * A thread that writes; `finished` once it has written all, `signals[0]` is the reader's to set.
 * @param {import('node:test').TestContext} t
 * @param {{ kind: string, memory: SharedArrayBuffer, rows?: number, capacity?: number }} data
 */
function startWriter (t, data) {
  const control = new SharedArrayBuffer(8)
  const signals = new Int32Array(control)
  const worker = new Worker(path.join(__dirname, '..', '..', 'fixtures', 'bridge-writer.js'), { workerData: { ...data, control } })
  /** @type {Error | null} */
  let failure = null
  worker.on('error', (error) => { failure = error })
  t.after(() => worker.terminate())
  return {
    signals,
    get finished () {
      if (failure) throw failure
      return Atomics.load(signals, 1) === 1
    }
  }
}

test('a ring says when it is empty, and early when it is filling: what waits for the next look must leave room for what comes', () => {
  const { ring } = makeRing(16, 3)
  const seen = []
  for (let i = 0; i < 5; i++) {
    seen.push([ring.isEmpty, ring.isFilling])
    ring.push(i, i, i)
  }
  assert.deepEqual(seen, [[true, false], [false, false], [false, false], [false, false], [false, true]])
  ring.drain()
  assert.deepEqual([ring.isEmpty, ring.isFilling], [true, false])
})

test('a ring gives rows back in the order they came, once', () => {
  const { ring } = makeRing(8, 3)
  assert.deepEqual(ring.drain(), [])
  ring.push(1, 2, 3)
  ring.push(4.5, -6, Infinity)
  assert.deepEqual(ring.drain(), [[1, 2, 3], [4.5, -6, Infinity]])
  assert.deepEqual(ring.drain(), [])
})

test('a row that is refused comes again, with those behind it', () => {
  const { ring } = makeRing(8, 3)
  for (const i of [1, 2, 3]) ring.push(i, i, i)
  /** @type {number[]} */
  const seen = []
  ring.visit((numbers, at) => numbers[at] < 2 && seen.push(numbers[at]) > 0)
  assert.deepEqual(seen, [1])
  ring.push(4, 4, 4)
  assert.deepEqual(ring.drain().map(([first]) => first), [2, 3, 4])
})

test('names keep their number, are cut where they are too long, and end with the table', () => {
  const memory = new SharedArrayBuffer(StringTable.bytes(4))
  const host = new StringTable(memory, 0, 4)
  const watchdog = new StringTable(memory, 0, 4)
  const names = ['/orders/:id', '/日本/"quoted"\n', '', 'x'.repeat(10000)]
  const numbers = names.map((name) => host.numberOf(name))
  assert.deepEqual(numbers, [0, 1, 2, 3])
  assert.deepEqual(names.map((name) => host.numberOf(name)), numbers)
  assert.deepEqual(numbers.map((number) => watchdog.stringOf(number)), [...names.slice(0, 3), 'x'.repeat(254)])
  assert.equal(host.numberOf('/one/more'), StringTable.NONE)
  for (const number of [StringTable.NONE, 4, NaN]) assert.equal(watchdog.stringOf(number), null)
})

test('what a request was survives its way through one number', () => {
  for (const route of [StringTable.NONE, 0, 7, 10000]) {
    for (const method of [...HTTP_METHODS, 'BREW']) {
      for (const status of [0, 100, 200, 404, 599, 999]) {
        assert.deepEqual(unpack(pack(route, method, status)), { route, method: HTTP_METHODS.includes(method) ? method : '(other)', status })
      }
    }
  }
})

test('a ring keeps as many numbers a row as it is wide, and writes none beyond', () => {
  for (const width of [3, 4, 5]) {
    const { ring } = makeRing(2, width)
    ring.push(1, 2, 3, 4, 5)
    ring.push(6, 7, 8, 9, 10)
    assert.deepEqual(ring.drain(), [[1, 2, 3, 4, 5].slice(0, width), [6, 7, 8, 9, 10].slice(0, width)])
  }
})

test('what an empty ring gives does not change when rows come', () => {
  const { ring } = makeRing(2, 3)
  const nothing = ring.drain()
  ring.push(1, 2, 3)
  assert.deepEqual(ring.drain(), [[1, 2, 3]])
  assert.deepEqual([nothing, ring.drain()], [[], []])
})

test('a ring goes round its end any number of times', () => {
  const { ring } = makeRing(4, 3)
  for (let i = 0; i < 50; i += 3) {
    for (let k = i; k < i + 3; k++) ring.push(k, k + 1, k + 2)
    assert.deepEqual(ring.drain(), [i, i + 1, i + 2].map((k) => [k, k + 1, k + 2]))
  }
  assert.equal(ring.takeDropped(), 0)
})

test('a full ring keeps what it has, counts what it drops, and takes rows again once drained', () => {
  const { ring } = makeRing(4, 3)
  for (let i = 0; i < 7; i++) ring.push(i, i, i)
  assert.equal(ring.takeDropped(), 3)
  assert.equal(ring.takeDropped(), 0, 'a drop is counted once')
  assert.deepEqual(ring.drain().map(([i]) => i), [0, 1, 2, 3])
  for (let i = 10; i < 14; i++) ring.push(i, i, i)
  assert.deepEqual(ring.drain().map(([i]) => i), [10, 11, 12, 13])
  assert.equal(ring.takeDropped(), 0)
})

test('a ring outlives the wrap of its counters, at 2^31 and at 2^32 rows', () => {
  for (const start of [0x7fffffff - 2, -3]) {
    const { memory } = makeRing(4, 3)
    new Int32Array(memory).set([start, start])
    const ring = new Ring(memory, 0, 4, 3)
    const seen = []
    for (let i = 0; i < 20; i += 4) {
      for (let k = i; k < i + 5; k++) ring.push(k, k, k)
      seen.push(...ring.drain().map(([k]) => k))
    }
    assert.deepEqual(seen, Array.from({ length: 20 }, (_, i) => i), `from ${start}`)
    assert.equal(ring.takeDropped(), 5)
  }
})

/** @param {number[]} row @param {(what: string) => void} fail */
function checkRow ([a, b, c, d, e], fail) {
  if (b !== a * 2 || c !== -a || d !== a + 0.5 || e !== a * 3) fail(`torn: ${a}, ${b}, ${c}, ${d}, ${e}`)
}

test('a million rows from another thread arrive whole, each once and in order, while the ring is drained', { timeout: 60000 }, async (t) => {
  const rows = 1e6
  const capacity = 1024
  const { memory, ring } = makeRing(capacity, 5)
  const writer = startWriter(t, { kind: 'paced', memory, rows, capacity })
  let next = 0
  for (let finished = false; !finished;) {
    await nextTurn()
    finished = writer.finished
    for (let i = 0; i < 200; i++) {
      for (const row of ring.drain()) {
        checkRow(row, assert.fail)
        if (row[0] !== next++) assert.fail(`row ${row[0]} came instead of ${next - 1}`)
      }
      Atomics.store(writer.signals, 0, next)
      Atomics.notify(writer.signals, 0)
    }
  }
  assert.equal(next, rows)
  assert.equal(ring.takeDropped(), 0)
  assert.deepEqual(ring.drain(), [])
})

test('a flood that the reader cannot keep up with loses whole rows only, and counts every one', { timeout: 60000 }, async (t) => {
  const rows = 1e6
  const { memory, ring } = makeRing(64, 5)
  const writer = startWriter(t, { kind: 'flood', memory, rows, capacity: 64 })
  let got = 0
  let last = -1
  const drain = () => {
    for (const row of ring.drain()) {
      checkRow(row, assert.fail)
      if (row[0] <= last) assert.fail(`row ${row[0]} came after ${last}`)
      last = row[0]
      got++
    }
  }
  while (!writer.finished) {
    await nextTurn()
    for (let i = 0; i < 200; i++) drain()
  }
  drain()
  assert.equal(got + ring.takeDropped(), rows)
  assert.ok(got >= 64, `only ${got} came through`)
})

test('a heartbeat reads back as it was written, counted from 1', () => {
  const slots = new BeatSlots(new SharedArrayBuffer(BeatSlots.BYTES), 0)
  assert.deepEqual(slots.read(), { beats: 0, atMs: 0, idleMs: 0, activeMs: 0, periodMs: 0, cpuMs: 0, rest: 0 })
  slots.write(1000.25, 900, 100, 10)
  slots.write(1010.5, 905, 105, 20, 77.5)
  const second = { beats: 2, atMs: 1010.5, idleMs: 905, activeMs: 105, periodMs: 20, cpuMs: 77.5, rest: 0 }
  assert.deepEqual(slots.read(), second)
  slots.write(1020.5, 905, 115, 20)
  assert.equal(slots.read().cpuMs, null, 'not told')
  assert.equal(slots.beats, 3)
})

test('a heartbeat written without pause by another thread is never read half old and half new', { timeout: 60000 }, async (t) => {
  const memory = new SharedArrayBuffer(BeatSlots.BYTES)
  const slots = new BeatSlots(memory, 0)
  const writer = startWriter(t, { kind: 'beats', memory })
  while (slots.beats === 0) {
    await nextTurn()
    assert.equal(writer.finished, false)
  }
  let last = 0
  let distinct = 0
  const end = performance.now() + 30000
  for (let reads = 0; (reads < 200000 || distinct < 1000) && performance.now() < end; reads++) {
    const { beats, atMs, idleMs, activeMs, periodMs } = slots.read()
    if (beats !== atMs || idleMs !== atMs * 2 || activeMs !== atMs * 3 || periodMs !== atMs * 4) assert.fail(`torn: ${beats}, ${atMs}, ${idleMs}, ${activeMs}, ${periodMs}`)
    if (atMs < last) assert.fail(`beat ${atMs} came after ${last}`)
    if (atMs > last) distinct++
    last = atMs
  }
  Atomics.store(writer.signals, 0, 1)
  assert.ok(distinct >= 1000, `the threads met only ${distinct} times`)
})

const GUARD_BYTES = 64

function makeChannel () {
  const memory = new SharedArrayBuffer(ProbeChannel.BYTES + GUARD_BYTES)
  return { channel: new ProbeChannel(memory, 0), guard: new Uint8Array(memory, ProbeChannel.BYTES) }
}

test('a question is open until it is answered, and its answer can be taken', () => {
  const { channel } = makeChannel()
  assert.equal(channel.question, 0)
  const question = channel.ask()
  assert.equal(channel.question, question)
  assert.equal(channel.take(question), null)
  channel.answer(question, 'here')
  assert.equal(channel.question, 0)
  assert.equal(channel.take(question), 'here')
})

test('a short answer after a long one holds nothing of the long one', () => {
  const { channel } = makeChannel()
  for (const text of ['a long answer', 'short', '']) {
    const question = channel.ask()
    channel.answer(question, text)
    assert.equal(channel.take(question), text)
  }
})

test('an answer in any script arrives as it was', () => {
  const { channel } = makeChannel()
  for (const text of ['Größe', 'ファイル.js', '🎉 émoji 🇺🇳', 'zero \0 and \x1e \x1f', '\n\r\t "quoted" \\']) {
    const question = channel.ask()
    channel.answer(question, text)
    assert.equal(channel.take(question), text)
  }
})

test('an answer beyond the capacity is cut between two characters and nothing behind it is written', () => {
  for (const character of ['a', 'é', '日', '🎉']) {
    for (const lead of ['', '.', '..', '...']) {
      const { channel, guard } = makeChannel()
      const text = lead + character.repeat(40000)
      const question = channel.ask()
      channel.answer(question, text)
      const taken = /** @type {string} */ (channel.take(question))
      assert.ok(text.startsWith(taken), `${character}: not a beginning of what was written: …${taken.slice(-3)}`)
      assert.ok(Buffer.byteLength(taken) > 32768 - 4, `${character}: only ${Buffer.byteLength(taken)} bytes`)
      assert.ok(guard.every((byte) => byte === 0))
    }
  }
})

test('an answer to a question that was given up does not pass for the answer to the next', () => {
  const { channel } = makeChannel()
  const given = channel.ask()
  const current = channel.ask()
  channel.answer(given, 'stale')
  assert.equal(channel.take(current), null)
  assert.equal(channel.question, current, 'the next question is still open')
  channel.answer(current, 'fresh')
  assert.equal(channel.take(current), 'fresh')
  assert.equal(channel.take(given), null)
})

/** @param {(string | number)[]} head @param {(string | number)[][]} frames @param {(string | number)[]} [work] */
const write = (head, frames, work = []) => [head, work, ...frames].map((fields) => fields.join(FIELD) + LINE).join('')

test('an answer gives time, idle time, beat, request and frames', () => {
  const text = write([1000.5, 900.25, 17, 'false', '', 31.25, 42, 950.5, 'GET', 'ab'.repeat(16), 'true', 'false', '/report/:id'], [[41, 13, '/srv/app/report.js', 'report'], [1, 2, 'node:internal/timers', 'listOnTimeout']])
  assert.deepEqual(parseAnswer(text), {
    atMs: 1000.5,
    idleMs: 900.25,
    beats: 17,
    debugged: false,
    request: { id: 42, method: 'GET', route: '/report/:id', startedAtMs: 950.5, traceId: 'ab'.repeat(16), ended: false },
    work: {
      kind: 'request',
      name: 'GET /report/:id',
      id: '42',
      rootId: '42',
      parent: null,
      startedAtMs: 950.5,
      attributes: {},
      traceId: 'ab'.repeat(16),
      spanId: null,
      sampled: null,
      ended: false
    },
    putAtMs: null,
    cpuMs: 31.25,
    frames: [
      { function: 'report', file: '/srv/app/report.js', line: 41, column: 13 },
      { function: 'listOnTimeout', file: 'node:internal/timers', line: 1, column: 2 }
    ]
  })
})

const REQUEST = [1, 2, 3, 'false', '', '', 42, 950.5, 'GET', '', 'true', 'false', '/report/:id']
const NO_REQUEST = [1, 2, 3, 'false', '', '', '', '', '', '', '']
const SPAN = ['12'.repeat(8), 'true', 'ab'.repeat(16), 'charge card']
const NO_SPAN = ['', '', '', '']
const JOB = [43, 42, 'job', 990, 'false', 42, 'request', 'GET /report/:id', 'email:send', 'queue', 's', 'email', 'attempt', 'n', 2]

test('the innermost work is what was named, with its parent, its attributes and the ids of the active span', () => {
  const { work, request } = parseAnswer(write(REQUEST, [], [...SPAN, ...JOB]))
  assert.deepEqual(work, {
    kind: 'job',
    name: 'email:send',
    id: '43',
    rootId: '42',
    parent: { kind: 'request', name: 'GET /report/:id', id: '42' },
    startedAtMs: 990,
    attributes: { queue: 'email', attempt: 2 },
    traceId: 'ab'.repeat(16),
    spanId: '12'.repeat(8),
    sampled: true,
    ended: false
  })
  assert.equal(request?.route, '/report/:id', 'the request that it is part of is known as before')
})

test('an OpenTelemetry span names what nobody else has named, and what is over', () => {
  const kindOf = (/** @type {(string | number)[]} */ head, /** @type {(string | number)[]} */ work) =>
    parseAnswer(write(head, [], work)).work?.kind
  const over = REQUEST.with(11, 'true')
  assert.equal(kindOf(NO_REQUEST, SPAN), 'span')
  assert.equal(kindOf(over, SPAN), 'span')
  assert.equal(kindOf(NO_REQUEST, [...SPAN, ...JOB.with(4, 'true')]), 'span')
  assert.equal(kindOf(REQUEST, SPAN), 'request')
  assert.equal(kindOf(NO_REQUEST, [...SPAN, ...JOB]), 'job')
  assert.equal(kindOf(over, SPAN.with(3, '')), 'request')
  assert.equal(kindOf(NO_REQUEST, NO_SPAN), undefined)
  assert.equal(kindOf(over, NO_SPAN), 'request')
})

test('a request that is not certain counts only while its arrival is being worked on', () => {
  const head = [1, 2, 3, 'false', '', '', 1, 5, 'GET', '', 'false', 'false', '/a']
  const arrivals = [['', '', 'node:_http_server', 'parserOnIncoming'], ['', '', 'node:internal/http2/compat', 'onServerStream']]
  for (const arrival of arrivals) assert.equal(parseAnswer(write(head, [[1, 1, '/a.js', 'a'], arrival])).request?.id, 1)
  assert.equal(parseAnswer(write(head, [[1, 1, '/a.js', 'a'], ['', '', '/srv/app.js', 'parserOnIncoming']])).request, null)
  assert.equal(parseAnswer(write(head, [])).request, null)
})

test('an answer without request, with a debugger, or without frames says so', () => {
  const { request, debugged, frames } = parseAnswer(write([1, 2, 3, 'true', '', '', '', '', '', '', ''], []))
  assert.deepEqual({ request, debugged, frames }, { request: null, debugged: true, frames: [] })
})

test('functions, files and paths with odd names keep them', () => {
  for (const odd of ['two\nlines', 'a\tb', ' ', 'with "quotes" and \\', '日本 🎉', '<anonymous>', '0', 'null', '\r\n', '\0']) {
    const { request, frames } = parseAnswer(write([1, 2, 3, 'false', '', '', 1, 5, 'GET', '', 'true', 'false', `/${odd}`], [[1, 1, odd, odd], [2, 2, '/b.js', 'b']]))
    assert.equal(request?.route, `/${odd}`)
    assert.deepEqual(frames, [{ function: odd, file: odd, line: 1, column: 1 }, { function: 'b', file: '/b.js', line: 2, column: 2 }])
  }
})

test('what a frame does not have is null', () => {
  assert.deepEqual(parseAnswer(write([1, 2, 3, 'false', '', '', '', '', '', '', ''], [['', '', '', '']])).frames,
    [{ function: null, file: null, line: null, column: null }])
})

test('a name that holds the separator of fields garbles no other frame', () => {
  const { frames } = parseAnswer(write([1, 2, 3, 'false', '', '', '', '', '', '', ''], [[1, 1, '/a.js', `x${FIELD}y`], [2, 2, '/b.js', 'b']]))
  assert.equal(frames[0].function, 'xy')
  assert.deepEqual(frames[1], { function: 'b', file: '/b.js', line: 2, column: 2 })
})

test('an answer that was cut loses the frame it was cut in, and no other', () => {
  const text = write([1, 2, 3, 'false', '', '', '', '', '', '', ''], [[1, 1, '/a.js', 'a'], [2, 2, '/b.js', 'b']])
  for (let end = text.indexOf('/b.js'); end < text.length; end++) {
    assert.deepEqual(parseAnswer(text.slice(0, end)).frames.map((frame) => frame.function), ['a'])
  }
})

test('what the probe of the host writes, the watchdog reads', () => {
  const bridge = openBridge(createMemory())
  bridge.beat.write(5, 4, 1, 10)
  const incoming = /** @type {any} */ ({ method: 'POST', url: '/a\tb/é?secret=1', rawHeaders: ['Host', 'a', 'TraceParent', `00-${'0a'.repeat(16)}-${'b'.repeat(16)}-01`] })
  const probe = createProbe(bridge, () => ({ context: new RequestContext(9, incoming, 3.5, false), isCertain: true }))
  const name = 'odd\nname\t日本'
  const odd = { [name]: () => answered() }[name]
  // The probe leaves two frames out: itself and the inspector's expression that calls it.
  const answered = () => { (() => probe(undefined))() }
  const question = bridge.answer.ask()
  odd()
  const text = /** @type {string} */ (bridge.answer.take(question))
  const { beats, debugged, request, frames, cpuMs = null } = parseAnswer(text)
  // Node.js 20 does not tell.
  assert.equal(cpuMs === null, typeof (/** @type {any} */ (process).threadCpuUsage) !== 'function')
  assert.ok(cpuMs === null || cpuMs > 0, `${cpuMs}`)
  assert.deepEqual({ beats, debugged, request }, { beats: 1, debugged: false, request: { id: 9, method: 'POST', route: '/a\tb/é', startedAtMs: 3.5, traceId: '0a'.repeat(16), ended: false } })
  assert.deepEqual(frames.slice(0, 2).map((frame) => [frame.function, frame.file]), [['answered', __filename], [name, __filename]])
  assert.ok(frames.every(({ line, column }) => line === null || (line > 0 && Number(column) > 0)))
  assert.ok(!text.includes('secret'))
})
