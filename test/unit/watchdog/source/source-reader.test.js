'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { setImmediate } = require('node:timers/promises')
const { FIELD, LINE } = require('../../../../lib/bridge/probe')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { Explainer } = require('../../../../lib/watchdog/loop/explainer')
const { LoopMonitor } = require('../../../../lib/watchdog/loop/monitor')
const { Sampler } = require('../../../../lib/watchdog/loop/sampler')
const { SourceReader } = require('../../../../lib/watchdog/source/source-reader')
const { makeDir } = require('../../../support/files')

/** @typedef {import('../../../../lib/types').Frame} Frame */

/** @param {Partial<ConstructorParameters<typeof SourceReader>[0]>} [parts] */
function makeSources (parts) {
  /** @type {{ level: string, fields: any, message: string }[]} */
  const said = []
  /** @type {string[]} */
  const reads = []
  const sources = new SourceReader({
    post () {},
    say: (level, fields, message) => said.push({ level, fields, message }),
    stripsTypes: false,
    read (file) {
      reads.push(file)
      return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null
    },
    ...parts
  })
  return { sources, said, reads }
}

/**
 * A file whose first line is line 11 of app.ts by its map, which is of so many characters.
 * @param {string} dir
 * @param {number} chars
 */
function writeBundle (dir, chars) {
  const file = path.join(dir, 'bundle.js')
  fs.writeFileSync(file, 'function work () {}\n//# sourceMappingURL=bundle.js.map\n')
  const map = { version: 3, sources: ['app.ts'], sourcesContent: ['x'.repeat(chars)], names: [], mappings: 'AAUA' }
  fs.writeFileSync(`${file}.map`, JSON.stringify(map))
  return file
}

/** So many functions without a name, one a line. @param {number} lines */
const anonymous = (lines) => Array.from({ length: lines }, (_, i) => `on('${i}', () => { work() })\n`).join('')

/** The call of work() in one of them. @param {string} file @param {number} line @returns {Frame} */
const frameAt = (file, line) => ({ function: null, file, line, column: 16 + `${line - 1}`.length })

/** Turns until nothing is left to be done later. @param {SourceReader} sources */
async function workedOff (sources) {
  while (sources.frames.isAwaiting) {
    sources.workOff()
    await setImmediate()
  }
}

test('a file is read once for all the functions in it that have no name, and again when it may have changed', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const file = path.join(makeDir(t), 'app.js')
  fs.writeFileSync(file, anonymous(20))
  const { sources, reads } = makeSources()
  for (let line = 1; line <= 20; line++) {
    sources.beginPoll()
    const raw = frameAt(file, line)
    assert.equal(sources.frames.named(sources.frames.get(raw)).function, `callback of on('${line - 1}')`)
    sources.frames.isJustEntered([raw])
  }
  assert.deepEqual(reads, [file])
  t.mock.timers.tick(5000)
  fs.writeFileSync(file, `\n${anonymous(20)}`)
  sources.beginPoll()
  assert.equal(sources.frames.named(sources.frames.get(frameAt(file, 21))).function, "callback of on('19')")
})

test('functions of a large file are named later', async (t) => {
  const file = path.join(makeDir(t), 'app.js')
  fs.writeFileSync(file, anonymous(6000))
  const { sources } = makeSources()
  const frame = sources.frames.get(frameAt(file, 5000))
  await workedOff(sources)
  assert.equal(sources.frames.named(sources.frames.again(frame)).function, null)
  await workedOff(sources)
  assert.equal(sources.frames.named(sources.frames.again(frame)).function, "callback of on('4999')")
})

test('naming takes a few milliseconds of a poll, and the rest is named later', async (t) => {
  const dir = makeDir(t)
  const frames = Array.from({ length: 20 }, (_, i) => {
    const file = path.join(dir, `${i}.js`)
    fs.writeFileSync(file, anonymous(1))
    return frameAt(file, 1)
  })
  const { sources } = makeSources({
    read (file) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3)
      return fs.readFileSync(file, 'utf8')
    }
  })
  const named = () => frames.filter((frame) => sources.frames.named(frame).function !== null).length
  const first = named()
  assert.ok(first >= 1 && first <= 3, `${first} at once`)
  await workedOff(sources)
  assert.equal(named(), 20)
})

test('a source map that is too large is logged once', async (t) => {
  const file = writeBundle(makeDir(t), 17e6)
  const { sources, said } = makeSources({ read: undefined })
  for (let line = 1; line < 5; line++) {
    sources.frames.get(frameAt(file, line))
    await workedOff(sources)
  }
  sources.receive({ file, text: null, isTooLarge: true })
  sources.receive({ file: '/srv/in-memory.ts', text: null, isTooLarge: true })
  sources.receive({ file: '/srv/none.ts', text: null })
  assert.deepEqual(said.map(({ level, fields }) => [level, fields.event, fields.file]),
    [['warn', 'source_map', file], ['warn', 'source_map', '/srv/in-memory.ts']])
  assert.ok(said[0].message.includes(file))
})

test('a large map that comes from the host is read later', async () => {
  const { sources } = makeSources()
  const file = '/srv/app.ts'
  const map = { version: 3, sources: ['app.ts'], sourcesContent: ['x'.repeat(200000)], names: [], mappings: 'AAUA' }
  const frame = sources.frames.get({ ...frameAt(file, 1), column: 1 })
  assert.equal(frame.compiled, true)
  sources.receive({ file, text: JSON.stringify(map) })
  assert.equal(sources.frames.again(frame).compiled, true)
  await workedOff(sources)
  assert.deepEqual(sources.frames.again(frame), { function: null, file, line: 11, column: 1 })
})

/**
 * A thread under watch on a made-up clock, whose answers are one stack. Of each report of its blocks: the line to blame
 * and the number of stacks.
 * @param {string} file
 * @param {SourceReader} sources
 */
function blockedIn (file, sources) {
  const memory = openBridge(createMemory())
  /** @type {[phase: string, line: number | null | undefined, stacks: number][]} */
  const told = []
  const phases = ['opened', 'lasting', 'stuck', 'ended', 'settled']
  const sinks = Object.fromEntries(phases.map((phase) => [
    phase, (/** @type {any} */ record) => told.push([phase, record.frame?.line, record.stacks.length])
  ]))
  const reading = (/** @type {number} */ atMs) => ({ atMs, cpuMs: atMs, runQueueMs: 0, throttledMs: 0, stolenMs: null })
  const monitor = new LoopMonitor(
    /** @type {any} */ ({
      owner: { thread: 'main', threadId: 0 },
      bridge: memory,
      options: { threshold: 50, beatPeriod: 5, stuck: 0 },
      sampler: new Sampler({ channel: memory.answer, ask: () => true }),
      stats: { read: reading, precise: (/** @type {unknown} */ seen) => seen },
      surroundings: { gcPauses: { within: () => 0 }, lateness: { within: () => 0 } },
      explainer: new Explainer({ set () {}, threw () {} }),
      code: { table: sources.frames, packageIn: () => null },
      nextId: () => '1'
    })
  )
  /** @param {number} now */
  const poll = (now) => {
    const { question } = memory.answer
    const head = [now, 500, memory.beat.read().beats, false, '', ''].join(FIELD)
    if (question !== 0) memory.answer.answer(question, [head, '', '', '', '', [1, 1, file, 'work'].join(FIELD), ''].join(LINE))
    sources.beginPoll()
    monitor.poll(now, false, /** @type {any} */ (sinks))
  }
  const beat = (/** @type {number} */ atMs) => memory.beat.write(atMs, 500, atMs - 500, 10)
  return { monitor, told, poll, beat }
}

test('a block is reported before the large map of its file is read, and everything later has the places of the map', async (t) => {
  const file = writeBundle(makeDir(t), 1e6)
  /** @type {{ isAboutToReport: boolean } | null} */
  let monitor = null
  const { sources } = makeSources({ mayWork: () => !monitor?.isAboutToReport })
  const blocked = blockedIn(file, sources)
  const { told, poll, beat } = blocked
  monitor = blocked.monitor
  beat(1000)
  for (let now = 1000; now < 1100; now += 5) {
    poll(now)
    sources.workOff()
    await setImmediate()
  }
  assert.deepEqual(told, [['opened', 1, 1]])
  for (const now of [2150, 2200]) poll(now)
  assert.deepEqual(told.slice(1), [['lasting', 11, 1]])
  beat(2300)
  poll(2301)
  beat(2899)
  poll(2900)
  // On a slow machine some places are left for later.
  await workedOff(sources)
  poll(2901)
  assert.deepEqual(told.slice(2), [['ended', 11, 1], ['settled', 11, 1]])
})

test('a block that has ended waits for the map of its file until it is settled, but not for long', async (t) => {
  const file = writeBundle(makeDir(t), 1e6)
  for (const isRead of [true, false]) {
    const { sources } = makeSources()
    const { told, poll, beat } = blockedIn(file, sources)
    beat(1000)
    for (let now = 1000; now < 1100; now += 5) poll(now)
    beat(1100)
    poll(1101)
    beat(1699)
    poll(1700)
    assert.deepEqual(told, [['opened', 1, 1], ['ended', 1, 1]])
    if (isRead) await workedOff(sources)
    const endMs = isRead ? 1800 : 3200
    beat(endMs - 1)
    poll(endMs)
    if (isRead) {
      await workedOff(sources)
      poll(endMs + 1)
    }
    assert.deepEqual(told.slice(2), [['settled', isRead ? 11 : 1, 1]])
  }
})
