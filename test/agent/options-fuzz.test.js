'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const fc = require('fast-check')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')

/** The same cases each time; for a hunt of one's own, TEST_SEED=$RANDOM TEST_RUNS=100000. */
const fuzz = { seed: Number(process.env.TEST_SEED ?? 9464), numRuns: Number(process.env.TEST_RUNS ?? 2000) }

test('with any options that are taken the agent starts, watches and stops, and the application notices nothing', async (t) => {
  const dir = makeDir(t)
  const odd = fc.oneof(fc.string({ minLength: 1, maxLength: 20 }), fc.constantFrom('\0', 'a\0b', '/dev/null/x', '/proc/nothing', '~', '::', '999.1.1.1', 'no.such.host.invalid', '-', '%', '\n'))
  const folder = fc.oneof(fc.constant(path.join(dir, 'blocks')), odd.map((name) => path.join(dir, 'file', name)), fc.constantFrom('/dev/null/x', '/proc/nothing', 'a\0b'))
  const optional = /** @template T @param {fc.Arbitrary<T>} arbitrary */ (arbitrary) =>
    fc.option(arbitrary, { nil: undefined })
  const sets = fc.record({
    threshold: optional(fc.double({ min: 2, max: 60000, noNaN: true })),
    host: optional(fc.oneof(fc.constantFrom('127.0.0.1', '::1', 'localhost', '0.0.0.0'), odd)),
    port: fc.constantFrom(0, 0, 0, 1, 65535, false),
    token: optional(fc.constantFrom('x', '~!@#$%^&*()')),
    allowHosts: optional(fc.array(odd, { maxLength: 3 })),
    log: fc.oneof(fc.boolean(), fc.record({ level: fc.constantFrom('trace', 'silent'), destination: fc.oneof(fc.constantFrom(1, 2), folder) })),
    requests: optional(fc.constantFrom('auto', 'on', 'off')),
    origin: optional(fc.constantFrom('auto', 'on', 'off')),
    dir: optional(folder),
    notify: optional(fc.constantFrom('http://127.0.0.1:1', 'http://u:%E0@127.0.0.1:1')),
    notifyAbove: optional(fc.constantFrom(100, 86400000)),
    source: optional(fc.constantFrom('on', 'off')),
    statements: optional(fc.constantFrom('on', 'off')),
    otlp: optional(fc.constantFrom(false, 'http://127.0.0.1:1', 'http://u:%E0@127.0.0.1:1', 'https://127.0.0.1:1/a?b#c')),
    keep: optional(fc.integer({ min: 1, max: 1000 })),
    stuck: optional(fc.constantFrom(100, 86400000, 1234.5)),
    routes: optional(fc.integer({ min: 1, max: 1000 })),
    threads: optional(fc.constantFrom('auto', 'off')),
    labels: optional(fc.dictionary(fc.constantFrom('service', 'constructor', 'toString', 'hasOwnProperty', 'a1'), fc.oneof(odd, fc.string({ unit: 'binary' })), { maxKeys: 3 }))
  })
  const samples = fc
    .sample(sets, { seed: fuzz.seed, numRuns: Math.min(40, fuzz.numRuns) })
    .map((set) => JSON.parse(JSON.stringify(set)))
  const { stdout, stderr, code } = await startNode(t, ['option-sets.js', JSON.stringify(samples)], { cwd: dir }).closed
  const results = stdout.split('\n').filter((line) => line.startsWith('{"set"')).map((line) => JSON.parse(line))
  assert.deepEqual({ code, count: results.length }, { code: 0, count: samples.length }, stderr + stdout)
  // Of a log that cannot be written a person is told otherwise.
  const isOfLog = (/** @type {string} */ complaint) => complaint.startsWith('loopwatch: log lines cannot be written: ')
  for (const { set, complaints, metrics } of results) {
    const isFile = typeof samples[set].log.destination === 'string'
    assert.deepEqual(
      { complaints: complaints.filter((/** @type {string} */ complaint) => !isFile || !isOfLog(complaint)), metrics },
      { complaints: [], metrics: true },
      JSON.stringify(samples[set])
    )
  }
})
