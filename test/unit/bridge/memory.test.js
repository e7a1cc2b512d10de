'use strict'

// runtime: shared memory between threads
const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { setImmediate: nextTurn } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const { BeatSlots } = require('../../../lib/bridge/beat')
const { StringTable } = require('../../../lib/bridge/string-table')
const { createMemory, hasOurLayout, openBridge } = require('../../../lib/bridge/memory')
const { HTTP_METHODS, pack, unpack } = require('../../../lib/bridge/request-row')
const { Ring } = require('../../../lib/bridge/ring')
const { foreignMemories } = require('../../support/lib/foreign-memory')

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

test('a hundred thousand rows from another thread arrive whole, each once and in order, while the ring is drained', { timeout: 60000 }, async (t) => {
  const rows = 1e5
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
  const rows = 1e5
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
  const none = { beats: 0, atMs: 0, idleMs: 0, activeMs: 0, periodMs: 0, cpuMs: 0, rest: 0, heldMicros: 0 }
  assert.deepEqual(slots.read(), none)
  slots.write(1000.25, 900, 100, 10)
  slots.write(1010.5, 905, 105, 20, 77.5, 0, 7)
  const times = { atMs: 1010.5, idleMs: 905, activeMs: 105, periodMs: 20, cpuMs: 77.5 }
  assert.deepEqual(slots.read(), { beats: 2, ...times, rest: 0, heldMicros: 7 })
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

test('a memory says in whose layout it is, and no other is opened', () => {
  const memory = createMemory()
  assert.equal(hasOurLayout(memory), true)
  const { beat } = openBridge(memory)
  beat.write(1, 2, 3, 4)
  assert.equal(hasOurLayout(memory), true, 'the parts begin behind it')
  for (const [what, make] of Object.entries(foreignMemories)) {
    assert.equal(hasOurLayout(make()), false, what)
    assert.throws(() => openBridge(make()), { message: 'the shared memory has the layout of another version of loopwatch' }, what)
  }
})

test('a beat whose writer is kept within the write reads as the one before', () => {
  const memory = new SharedArrayBuffer(BeatSlots.BYTES)
  const beat = new BeatSlots(memory, 0)
  beat.write(10, 1, 2, 3)
  const before = beat.read()
  new Int32Array(memory)[0]++
  new Float64Array(memory, 8)[0] = 20
  assert.deepEqual(beat.read(), before)
})
