'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { table, preloadDefaults, resolveOptions, strayVariables } = require('../../../lib/options/table')
const { start } = require('../../../lib')

/** For every option, values it must not take. */
const wrong = {
  threshold: [1, 60001, NaN, Infinity, '50', null, true, {}, []],
  host: ['', 1, null, {}],
  port: [-1, 65536, 1.5, NaN, '9464', true, null],
  token: ['', 1, null, false],
  allowHosts: ['a', [1], [''], null],
  log: ['true', 1, null, [], { level: 'loud' }, { destination: 3 }, { destination: '' }, { file: 'x' }, { format: 'xml' }],
  requests: ['yes', true, null, ''],
  route: ['', '/x', {}, null],
  origin: ['yes', true, null, ''],
  profile: ['yes', true, null, ''],
  source: ['auto', true, null, ''],
  statements: ['auto', true, null, ''],
  gc: ['auto', true, null, ''],
  dir: ['', 1, null],
  appVersion: ['', 1, null],
  notify: ['', 'localhost:4040', 'ftp://a', 1, null, true, 'http://'],
  notifyAbove: [99, NaN, '1000', -1, null],
  otlp: ['', 'localhost:4318', 'ftp://a', 1, null, 'http://', {}],
  keep: [0, 1.5, NaN, '5', 1001],
  stuck: [1, 99, NaN, '0', -1],
  onStuck: ['exit', null, true],
  routes: [0, 1.5, NaN, '50'],
  threads: ['none', true, false, null, ''],
  waits: ['auto', true, null],
  facts: ['', 1, null],
  only: ['a', [1], [''], null],
  skip: ['a', [1], [''], null],
  labels: [null, [], 'a=b', { route: 'x' }, { 'a-b': 'x' }, { __a: 'x' }, { a: 1 }]
}

test('every wrong value of every option throws a coded error that names option, expectation and value', () => {
  assert.deepEqual(Object.keys(wrong), table.map(({ key }) => key))
  for (const [key, values] of Object.entries(wrong)) {
    for (const value of values) {
      assert.throws(() => start({ [key]: value }), (/** @type {any} */ error) => {
        assert.equal(error.code, 'LOOPWATCH_ERR_OPTION', `${key}: ${String(value)}`)
        assert.match(error.message, new RegExp(`^option "${key}" takes .+, got .+`))
        return true
      }, `${key}: ${String(value)} passed`)
    }
  }
})

test('an unknown option throws with the nearest name', () => {
  assert.throws(() => start(/** @type {any} */ ({ treshold: 50 })), { code: 'LOOPWATCH_ERR_OPTION_UNKNOWN', message: 'unknown option "treshold", did you mean "threshold"?' })
})

test('options that are not an object throw', () => {
  for (const value of [null, 5, 'x', [], true]) {
    assert.throws(() => start(/** @type {any} */ (value)), { code: 'LOOPWATCH_ERR_OPTIONS' }, String(value))
  }
})

test('without options the defaults hold', () => {
  const resolved = resolveOptions(undefined, {})
  for (const row of table) {
    assert.deepEqual(resolved[/** @type {keyof typeof resolved} */ (row.key)], row.default, row.key)
  }
})

test('zero and false are values, not absences', () => {
  const { port, stuck, log } = resolveOptions({ port: 0, stuck: 0, log: false }, { LOOPWATCH_PORT: '9999', LOOPWATCH_STUCK: '500', LOOPWATCH_LOG: 'true' })
  assert.deepEqual({ port, stuck, log }, { port: 0, stuck: 0, log: false })
})

test('the heartbeat is never slower than a third of the threshold', () => {
  for (const [threshold, beatPeriod, calmPeriod] of [[50, 10, 25], [12, 4, 6], [2, 1, 1], [60000, 10, 25]]) {
    const resolved = resolveOptions({ threshold }, {})
    assert.deepEqual([resolved.beatPeriod, resolved.calmPeriod], [beatPeriod, calmPeriod])
  }
})

test('an unknown variable is reported with the nearest option', () => {
  const ofService = { LOOPWATCH_PORT: 'tcp://10.0.0.11:9464', LOOPWATCH_PORT_9464_TCP: 'x', LOOPWATCH_SERVICE_HOST: 'x' }
  assert.deepEqual([resolveOptions({}, ofService).port, strayVariables(ofService)], [9464, []], 'a Kubernetes service of that name')
  assert.deepEqual(strayVariables({ LOOPWATCH_TRESHOLD: '80', LOOPWATCH_PORT: '1', LOOPWATCHER: 'x', PATH: '/' }), ['LOOPWATCH_TRESHOLD (did you mean LOOPWATCH_THRESHOLD?)'])
})

test('what an option took once is refused with what it takes now', () => {
  const given = /** @type {any} */ ({ threads: 'on' })
  assert.throws(() => resolveOptions(given, {}), { code: 'LOOPWATCH_ERR_OPTION', message: 'option "threads" takes \'auto\' or \'off\', got "on"' })
})

test('to abort needs a time after which', () => {
  assert.throws(() => resolveOptions({ onStuck: 'abort' }, {}), { code: 'LOOPWATCH_ERR_OPTION', message: 'option "stuck" takes a time above 0 if onStuck is "abort", got 0' })
  assert.equal(resolveOptions({ onStuck: 'abort', stuck: 1000 }, {}).stuck, 1000)
})

test('the environment sets options, and an error names the variable', () => {
  const env = { LOOPWATCH_THRESHOLD: '80', LOOPWATCH_PORT: 'false', LOOPWATCH_LABELS: 'service=checkout,env=prod', LOOPWATCH_ALLOW_HOSTS: 'a.example, b.example', LOOPWATCH_LOG: 'error', LOOPWATCH_STUCK: '60000', LOOPWATCH_ON_STUCK: 'abort', LOOPWATCH_DIR: '' }
  const { threshold, port, labels, allowHosts, log, stuck, onStuck, dir } = resolveOptions({}, env)
  assert.deepEqual({ threshold, port, labels, allowHosts, log, stuck, onStuck, dir }, {
    threshold: 80, port: false, labels: { service: 'checkout', env: 'prod' }, allowHosts: ['a.example', 'b.example'], log: { level: 'error' }, stuck: 60000, onStuck: 'abort', dir: undefined
  })
  for (const [name, text] of Object.entries({ LOOPWATCH_THRESHOLD: 'fifty', LOOPWATCH_KEEP: '1.5', LOOPWATCH_LABELS: 'a=b=c', LOOPWATCH_REQUESTS: 'maybe', LOOPWATCH_LOG: 'loud' })) {
    assert.throws(() => resolveOptions({}, { [name]: text }), (/** @type {any} */ error) => error.code === 'LOOPWATCH_ERR_OPTION' && error.message.startsWith(`${name} takes `), name)
  }
})

test('a preload has its log on stderr unless the environment says where', () => {
  const logs = {
    '': { destination: 2 },
    warn: { level: 'warn', destination: 2 },
    stderr: { destination: 2 },
    stdout: { destination: 1 },
    pretty: { destination: 2, format: 'pretty' },
    'stdout, json,debug': { destination: 1, format: 'json', level: 'debug' },
    true: true,
    false: false
  }
  for (const [text, log] of Object.entries(logs)) {
    assert.deepEqual(resolveOptions(undefined, { LOOPWATCH_LOG: text }, preloadDefaults).log, log, text)
  }
  const { log, ...others } = resolveOptions(undefined, {}, preloadDefaults)
  const { log: inCode, ...same } = resolveOptions(undefined, {})
  assert.deepEqual([log, inCode, others], [{ destination: 2 }, true, same])
})

test('what the application does to its options later changes nothing, and what cannot be cloned is copied', () => {
  const labels = { service: 'checkout' }
  const allowHosts = ['a.example']
  const resolved = resolveOptions({ labels: new Proxy(labels, {}), allowHosts: new Proxy(allowHosts, {}) }, {})
  labels.service = 'else'
  allowHosts.push('b.example')
  assert.deepEqual(structuredClone([resolved.labels, resolved.allowHosts]), [{ service: 'checkout' }, ['a.example']])
})

test('a value written for the environment reads back the same', () => {
  const given = { threshold: 75.5, port: false, labels: { a: 'b', c: 'd' }, allowHosts: ['x', 'y'], keep: 7 }
  for (const log of [true, false, { destination: 1 }, { destination: 2 }, { level: 'warn' }, { format: 'json' }, { destination: 2, format: 'pretty', level: 'debug' }]) {
    const all = /** @type {any} */ ({ ...given, log })
    const env = Object.fromEntries(table.filter(({ key }) => key in all).map((row) =>
      [row.env, (row.type.format ?? String)(all[row.key])]))
    assert.deepEqual({ ...resolveOptions({}, env) }, { ...resolveOptions(all, {}) })
  }
})

test('paths of files stay where they are when the application changes its working directory', () => {
  const { dir, facts, log } = resolveOptions({ dir: 'a', facts: 'b', log: { destination: 'c' } }, {})
  assert.deepEqual([dir, facts, log && /** @type {{ destination: string }} */ (log).destination].map((file) => path.isAbsolute(`${file}`)), [true, true, true])
})
