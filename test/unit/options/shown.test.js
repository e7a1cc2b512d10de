'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { hiderOf, shownOptions } = require('../../../lib/options/shown')
const { resolveOptions, table } = require('../../../lib/options/table')

const SECRETS = /** @type {const} */ ({
  host: 'hunter2-host',
  token: 'hunter2-token',
  allowHosts: ['hunter2-name'],
  log: { destination: '/tmp/hunter2-log' },
  route: () => 'hunter2-route',
  dir: '/tmp/hunter2-dir',
  notify: 'https://user:hunter2%2Dnotify@hooks.example/services/hunter2-path?code=hunter2-code',
  otlp: 'https://user:hunter2-otlp@otlp.example/?region=eu-west&api_key=hunter2%2Dquery',
  labels: { service: 'hunter2-label' }
})
const ENV = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hunter2-header,x-api-key=hunter2-key' }

test('settings show numbers, switches and words; of a text only that it is set', () => {
  const options = resolveOptions(/** @type {any} */ ({ ...SECRETS, threshold: 75, gc: 'off' }), ENV)
  const shown = shownOptions(options)
  assert.deepEqual(Object.keys(shown), table.map(({ key }) => key))
  assert.ok(!JSON.stringify(shown).includes('hunter2'), JSON.stringify(shown))
  for (const key of Object.keys(SECRETS)) assert.equal(shown[key], 'set', key)
  assert.deepEqual([shown.threshold, shown.gc, shown.requests], [75, 'off', 'auto'])
  const bare = shownOptions(resolveOptions({}, {}))
  assert.deepEqual([bare.token, bare.labels, bare.host, bare.otlp], ['not set', 'not set', '127.0.0.1', false])
})

test('secrets of the options are taken out of a text, as they stand in an option and as they are meant', () => {
  const hide = hiderOf(resolveOptions(/** @type {any} */ (SECRETS), ENV))
  for (const text of ['hunter2-token', 'hunter2%2Dnotify', 'hunter2-notify', 'services/hunter2-path', 'hunter2-otlp', 'Bearer hunter2-header', 'hunter2-header', 'hunter2-key', 'hunter2-code', 'hunter2%2Dquery', 'hunter2-query', SECRETS.notify]) {
    assert.equal(hide(`const a = '${text}'`), "const a = '(not shown)'", text)
  }
  assert.equal(hiderOf(resolveOptions({ token: 'a' }, {}))('a banana'), 'a banana')
  assert.equal(hiderOf(resolveOptions({}, {}))('nothing'), 'nothing')
})
