'use strict'

const { MS_PER_MINUTE, MS_PER_S } = require('../util/units')

/** Where a Collector on the same machine listens for OTLP over HTTP. */
const LOCAL = 'http://localhost:4318'
const PATHS = { traces: 'v1/traces', metrics: 'v1/metrics', logs: 'v1/logs' }
const LONGEST_MS = 2 ** 31 - 1
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * @typedef {keyof typeof PATHS} Signal
 * @typedef {{ url: string, headers: Record<string, string>, gzip: boolean, timeoutMs: number }} SignalSettings
 *   a user and password in the URL become basic authentication
 * @typedef {object} OtlpSettings
 * @property {Record<Signal, SignalSettings | null>} signals null if a signal is not sent
 * @property {Record<string, string>} attributes of the resource, from the environment
 * @property {number} intervalMs of metrics
 * @property {string[]} faults settings of the environment that are ignored
 * @property {string[]} failures why signals are not sent
 */

/**
 * A bad value is a fault that the watchdog reports, not an error, as other tools use OpenTelemetry's variables as well.
 * @param {true | string} option a URL replaces all variables of endpoints and protocols @param {NodeJS.ProcessEnv} env
 */
exports.otlpSettings = (option, env) => {
  const faults = /** @type {Set<string>} */ (new Set())
  const failures = /** @type {Set<string>} */ (new Set())
  const signals = /** @type {OtlpSettings['signals']} */ (Object.fromEntries(Object.keys(PATHS).map((signal) =>
    [signal, signalSettings(/** @type {Signal} */ (signal), option, env, { faults, failures })])))
  const attributes = pairsOf('OTEL_RESOURCE_ATTRIBUTES', env.OTEL_RESOURCE_ATTRIBUTES, faults)
  if (env.OTEL_SERVICE_NAME) attributes['service.name'] = env.OTEL_SERVICE_NAME
  const temporality = env.OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE
  if (temporality && temporality.toLowerCase() !== 'cumulative') {
    faults.add(`metrics are cumulative, not ${temporality}`)
  }
  const intervalMs = timeOf('OTEL_METRIC_EXPORT_INTERVAL', env, faults) ?? MS_PER_MINUTE
  return { signals, attributes, intervalMs, faults: [...faults], failures: [...failures] }
}

/**
 * @param {Signal} signal @param {true | string} option @param {NodeJS.ProcessEnv} env
 * @param {{ faults: Set<string>, failures: Set<string> }} problems
 */
function signalSettings (signal, option, env, { faults, failures }) {
  const capitals = signal.toUpperCase()
  if (env[`OTEL_${capitals}_EXPORTER`]?.trim() === 'none') return null
  /** The variable of the signal if it is set, else the one of all signals. @param {string} name */
  const nameOf = (name) => {
    const own = `OTEL_EXPORTER_OTLP_${capitals}_${name}`
    return env[own] ? own : `OTEL_EXPORTER_OTLP_${name}`
  }
  const url = urlOf(signal, option, env, failures)
  if (url === null) return null
  const protocol = env[nameOf('PROTOCOL')]?.trim()
  if (option === true && protocol && protocol !== 'http/json') {
    faults.add(`${nameOf('PROTOCOL')} asks for ${protocol}, but http/json is sent`)
  }
  const headers = pairsOf(nameOf('HEADERS'), env[nameOf('HEADERS')], faults)
  return {
    url: url.href,
    headers: headersOf(nameOf('HEADERS'), headers, faults),
    gzip: env[nameOf('COMPRESSION')]?.trim() !== 'none',
    timeoutMs: timeOf(nameOf('TIMEOUT'), env, faults) ?? 10 * MS_PER_S
  }
}

/** @param {Signal} signal @param {true | string} option @param {NodeJS.ProcessEnv} env @param {Set<string>} failures */
function urlOf (signal, option, env, failures) {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`
  const isOwn = option === true && Boolean(env[own])
  const text = option !== true ? option : env[own] || env.OTEL_EXPORTER_OTLP_ENDPOINT || LOCAL
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    failures.add(`${isOwn ? own : 'OTEL_EXPORTER_OTLP_ENDPOINT'} is not a URL that starts with http:// or https://`)
    return null
  }
  const url = new URL(text)
  // A signal's own endpoint is used as it is. The common one has the signal's path added.
  if (!isOwn) url.pathname = `${url.pathname.replace(/\/+$/, '')}/${PATHS[signal]}`
  return url
}

/** @param {string} variable @param {Record<string, string>} pairs @param {Set<string>} faults */
function headersOf (variable, pairs, faults) {
  return Object.fromEntries(Object.entries(pairs).flatMap(([name, value]) => {
    if (HEADER_NAME.test(name) && HEADER_VALUE.test(value)) return [[name.toLowerCase(), value]]
    faults.add(`${variable} has a header that is not valid in HTTP`)
    return []
  }))
}

/**
 * Reads `a=b,c=d` with percent-encoded values. No fault shows a value, which may be a key.
 * @param {string} variable @param {string | undefined} text @param {Set<string>} faults
 */
function pairsOf (variable, text, faults) {
  /** @type {Record<string, string>} */
  const pairs = {}
  for (const pair of (text ?? '').split(',').filter((each) => each.trim() !== '')) {
    const at = pair.indexOf('=')
    const name = decoded(pair.slice(0, Math.max(0, at)).trim())
    const value = decoded(pair.slice(at + 1).trim())
    if (name && value !== null) pairs[name] = value
    else faults.add(`${variable} does not have the form a=b,c=d`)
  }
  return pairs
}

/** @param {string} text */
function decoded (text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** @param {string} variable @param {NodeJS.ProcessEnv} env @param {Set<string>} faults */
function timeOf (variable, env, faults) {
  const text = env[variable]?.trim()
  if (!text) return null
  const ms = Number(text)
  if (Number.isInteger(ms) && ms > 0 && ms <= LONGEST_MS) return ms
  faults.add(`${variable} is not a number of milliseconds`)
  return null
}
