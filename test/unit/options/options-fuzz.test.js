'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fc = require('fast-check')
const { table, resolveOptions } = require('../../../lib/options/table')
const { LoopwatchError } = require('../../../lib/tables/errors')

/** The same cases each time; for a hunt of one's own, TEST_SEED=$RANDOM TEST_RUNS=100000. */
const fuzz = { seed: Number(process.env.TEST_SEED ?? 9464), numRuns: Number(process.env.TEST_RUNS ?? 2000) }
const CODES = ['LOOPWATCH_ERR_OPTION', 'LOOPWATCH_ERR_OPTION_UNKNOWN', 'LOOPWATCH_ERR_OPTIONS']

const keys = table.map(({ key }) => key)
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true
})
const words = fc.constantFrom('auto', 'on', 'off', 'true', 'false', 'stderr', 'info', 'report', 'abort', '0', '50', '-1', '1e3', 'NaN', 'a=b', 'http://a', '127.0.0.1')
const value = fc.oneof(
  anything,
  words,
  fc.double(),
  fc.integer(),
  fc.string(),
  fc.boolean(),
  fc.dictionary(fc.string(), fc.string()),
  fc.array(fc.string()),
  fc.record({ level: words, destination: fc.oneof(fc.nat(3), fc.string()) }, { requiredKeys: [] })
)

/**
 * What options become, or the error that refuses them, which has to be one of ours.
 * @param {() => import('../../../lib/options/table').ResolvedOptions} resolve
 */
function outcome (resolve) {
  try {
    return { options: resolve() }
  } catch (error) {
    assert.ok(error instanceof LoopwatchError && CODES.includes(error.code), error.stack)
    assert.ok(error.message.length < 1000, error.message)
    return { error }
  }
}

/** What the agent relies on. @param {import('../../../lib/options/table').ResolvedOptions} options */
function check (options) {
  assert.ok(
    options.threshold >= 2 && options.beatPeriod >= 1 && options.beatPeriod <= Math.max(1, options.threshold / 3),
    JSON.stringify(options)
  )
  assert.ok(options.calmPeriod >= 1 && options.keep >= 1 && options.routes >= 1)
  // They travel to the watchdog's thread.
  structuredClone({ ...options, route: undefined })
}

test('whatever is given as options is taken or refused with a coded error', () => {
  let taken = 0
  fc.assert(
    fc.property(fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), value, { maxKeys: 2 }), (given) => {
      const { options } = outcome(() => resolveOptions(given, {}))
      if (options === undefined) return
      taken++
      check(options)
    }),
    fuzz
  )
  assert.ok(taken > 50, `${taken} were taken`)
  fc.assert(fc.property(anything, (given) => { outcome(() => resolveOptions(/** @type {any} */ (given), {})) }), fuzz)
})

test('whatever stands in a variable is taken or refused with a coded error that names it', () => {
  let taken = 0
  const row = fc.constantFrom(...table)
  fc.assert(fc.property(row, fc.oneof(words, fc.string(), fc.string({ unit: 'binary' }), fc.float().map(String), fc.tuple(fc.string(), fc.string()).map((pair) => pair.join('='))), ({ env, key }, text) => {
    const { options, error } = outcome(() => resolveOptions({}, { [env]: text }))
    if (options !== undefined) {
      taken++
      check(options)
    } else {
      assert.ok(error.message.startsWith(`${env} takes `) || key === 'onStuck', error.message)
    }
  }), fuzz)
  assert.ok(taken > 50, `${taken} were taken`)
})

test('a refused secret is not repeated', () => {
  const secret = 'hunter2'
  fc.assert(fc.property(fc.constantFrom('token', 'notify'), fc.string(), (key, noise) => {
    for (const text of [`${noise} ${secret}`, `${secret}é`, `ftp://user:${secret}@${noise}`, `user:${secret}@host${noise}`]) {
      const row = /** @type {(typeof table)[number]} */ (table.find((each) => each.key === key))
      for (const { error } of [
        outcome(() => resolveOptions({ [key]: text }, {})),
        outcome(() => resolveOptions({}, { [row.env]: text }))
      ]) {
        assert.ok(!error?.message.includes(secret), error?.message)
      }
    }
  }), { ...fuzz, numRuns: fuzz.numRuns / 4 })
})
