'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { otlpSettings } = require('../../../lib/options/otlp')
const { resolveOptions } = require('../../../lib/options/table')

/** @param {true | string} option @param {NodeJS.ProcessEnv} [env] */
function urlsOf (option, env = {}) {
  const { traces, metrics, logs } = otlpSettings(option, env).signals
  return [traces, metrics, logs].map((signal) => signal && signal.url)
}

/** @param {string} base */
const below = (base) => ['traces', 'metrics', 'logs'].map((signal) => `${base}/v1/${signal}`)

test('without a variable OTLP goes to the Collector of this machine, and nothing is at fault', () => {
  const { signals, attributes, intervalMs, faults, failures } = otlpSettings(true, {})
  assert.deepEqual(urlsOf(true), below('http://localhost:4318'))
  assert.deepEqual([attributes, intervalMs, faults, failures], [{}, 60000, [], []])
  assert.deepEqual(signals.traces, { url: 'http://localhost:4318/v1/traces', headers: {}, gzip: true, timeoutMs: 10000 })
})

test('the endpoint of all signals is a base, that of one is used as it is, and a URL in code wins over both', () => {
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318/otlp/' }
  assert.deepEqual(urlsOf(true, all), below('https://collector:4318/otlp'))
  const one = { ...all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://tempo:4318/push?tenant=a' }
  assert.deepEqual(urlsOf(true, one), ['http://tempo:4318/push?tenant=a', ...below('https://collector:4318/otlp').slice(1)])
  assert.deepEqual(urlsOf('http://here:1', one), below('http://here:1'))
  assert.deepEqual(urlsOf(true, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }), below('http://localhost:4318'))
})

test('headers, credentials, time-outs, compression and exporters are read signal by signal', () => {
  const { signals } = otlpSettings(true, {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:se%3Acret@collector',
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Tenant=a%20b, api-key = k=1 ',
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'authorization=Bearer%20t',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_EXPORTER_OTLP_LOGS_COMPRESSION: 'none',
    OTEL_METRICS_EXPORTER: 'none'
  })
  assert.deepEqual(signals.traces, { url: 'http://me:se%3Acret@collector/v1/traces', headers: { 'x-tenant': 'a b', 'api-key': 'k=1' }, gzip: true, timeoutMs: 500 })
  assert.deepEqual(signals.logs?.headers, { authorization: 'Bearer t' })
  assert.deepEqual([signals.logs?.gzip, signals.metrics], [false, null])
})

test('the resource has what the environment says, and the name of the service wins', () => {
  const { attributes, intervalMs } = otlpSettings(true, { OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,deployment.environment.name=pr%C3%BCfung', OTEL_SERVICE_NAME: 'checkout', OTEL_METRIC_EXPORT_INTERVAL: '1000' })
  assert.deepEqual([attributes, intervalMs], [{ 'service.name': 'checkout', 'deployment.environment.name': 'prüfung' }, 1000])
})

test('a setting of the environment that is not supported is reported, without its value, and throws nothing', () => {
  const { signals, faults, failures, attributes } = otlpSettings(true, {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a',
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'secret:4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta',
    OTEL_EXPORTER_OTLP_HEADERS: 'secret,a b=secret,c=%0Asecret,d=%secret,e=1',
    OTEL_EXPORTER_OTLP_TIMEOUT: 'secret',
    OTEL_METRIC_EXPORT_INTERVAL: '-1',
    OTEL_RESOURCE_ATTRIBUTES: 'secret'
  })
  assert.deepEqual(failures, ['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT is not a URL that starts with http:// or https://'])
  assert.deepEqual(faults, [
    'OTEL_EXPORTER_OTLP_PROTOCOL asks for grpc, but http/json is sent',
    'OTEL_EXPORTER_OTLP_HEADERS does not have the form a=b,c=d',
    'OTEL_EXPORTER_OTLP_HEADERS has a header that is not valid in HTTP',
    'OTEL_EXPORTER_OTLP_TIMEOUT is not a number of milliseconds',
    'OTEL_RESOURCE_ATTRIBUTES does not have the form a=b,c=d',
    'metrics are cumulative, not delta',
    'OTEL_METRIC_EXPORT_INTERVAL is not a number of milliseconds'
  ])
  assert.deepEqual([signals.logs, signals.traces?.headers, attributes], [null, { e: '1' }, {}])
  assert.doesNotMatch(JSON.stringify([faults, failures]), /secret/)
})

test('a URL in the option replaces endpoint and protocol of an SDK that speaks gRPC, without a fault', () => {
  const sdk = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  const { signals, faults } = otlpSettings('http://collector:4318', sdk)
  assert.deepEqual([signals.metrics?.url, faults], ['http://collector:4318/v1/metrics', []])
  assert.equal(otlpSettings(true, sdk).faults.length, 1)
})

test('the option is off by default, and on by code, by a variable and with a URL', () => {
  assert.equal(resolveOptions({}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' }).otlp, false)
  const urlOf = (/** @type {any} */ { otlp }) => otlp.signals.logs.url
  assert.equal(urlOf(resolveOptions({ otlp: true }, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' })), 'http://a/v1/logs')
  assert.equal(urlOf(resolveOptions({}, { LOOPWATCH_OTLP: 'true' })), 'http://localhost:4318/v1/logs')
  assert.equal(urlOf(resolveOptions({}, { LOOPWATCH_OTLP: 'http://b' })), 'http://b/v1/logs')
  assert.equal(resolveOptions({ otlp: false }, { LOOPWATCH_OTLP: 'true' }).otlp, false)
})
