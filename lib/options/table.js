'use strict'

const path = require('node:path')
const process = require('../util/process')
const type = require('./types')
const { otlpSettings } = require('./otlp')
const { codedError, SECRET } = require('../tables/errors')
const { labelNames } = require('../tables/metrics')

/**
 * @import { HttpRequest } from '../types'
 * @import { OtlpSettings } from './otlp'
 * @import { OptionType } from './types'
 */

const PREFIX = 'LOOPWATCH_'

/** The headings of the help. */
const groups = { block: 'What counts as a block:', output: 'Output:', monitored: 'What is monitored:' }

/** Every option. Environment variables, CLI flags, checks and the table in docs/use/options.md derive from this. */
const table = [
  {
    key: 'threshold',
    group: 'block',
    type: type.number(2, 60000, 'milliseconds'),
    default: 50,
    doc: 'minimum length of a block that is reported, ms; below 10, scheduler jitter is reported too'
  },
  { key: 'host', group: 'output', type: type.text(), default: '127.0.0.1', doc: 'address of the endpoint' },
  {
    key: 'port',
    group: 'output',
    type: type.or(type.integer(0, 65535), false),
    default: 9464,
    doc: 'port of the endpoint; 0 = any free port; false = no endpoint'
  },
  {
    key: 'token',
    group: 'output',
    type: type.token(),
    default: undefined,
    doc: 'bearer token that all paths require, except /healthz, /runbook, /causes and the files of the page'
  },
  {
    key: 'allowHosts',
    group: 'output',
    type: type.list(),
    default: [],
    doc: 'additional Host names that the endpoint accepts (DNS rebinding guard); in text: a.example,b.example'
  },
  {
    key: 'log',
    group: 'output',
    type: type.log(),
    default: true,
    doc: 'log lines on stdout, or on stderr with a preload or loopwatch run: readable on a terminal, otherwise JSON; ' +
      'false = none; or { level, destination, format }; in text: true, false, or any of stdout, stderr, json, pretty ' +
        'and a level',
    flagDoc: 'log lines: false for none, or any of stdout, stderr, json, pretty and a level, separated by commas'
  },
  {
    key: 'requests',
    group: 'monitored',
    type: type.oneOf(['auto', 'on', 'off']),
    default: 'auto',
    doc: "metrics of HTTP requests, and the name of the request that blocks: 'auto' = named, " +
      "on Node.js 20 and 22 from the second block on; 'on' = always named, at a cost there; 'off' = neither"
  },
  {
    key: 'route',
    group: 'monitored',
    type: type.callback(),
    default: undefined,
    doc: 'names the route of an incoming request: (request) => string; null or undefined leaves it to loopwatch; ' +
      'in code only'
  },
  {
    key: 'origin',
    group: 'monitored',
    type: type.oneOf(['auto', 'on', 'off']),
    default: 'auto',
    doc: "find where the operation whose callback blocks was created: 'auto' = for 10 s when a line is not enough; " +
      "'on' = always, for development only; 'off' = never"
  },
  {
    key: 'profile',
    group: 'monitored',
    type: type.oneOf(['auto', 'on', 'off']),
    default: 'auto',
    doc: 'CPU profile of the main thread, which finds the lines of native calls, collections and runs of microtasks: ' +
      "'auto' = once the application has started, if the pause for its start is expected to be shorter than " +
      "threshold; 'on' = from the start; 'off' = never"
  },
  {
    key: 'source',
    group: 'output',
    type: type.oneOf(['on', 'off']),
    default: 'on',
    doc: "the endpoint shows the source lines around a place that blocked; 'off' = never; source lines are not shown " +
      'if host is reachable from other machines and no token is set'
  },
  {
    key: 'statements',
    group: 'monitored',
    type: type.oneOf(['off', 'on']),
    default: 'off',
    doc: "'on' = a block in node:sqlite names the longest statement, without its values (Node.js 26); while " +
      'statements are followed, one that is longer than 512 MB with its values ends the process'
  },
  {
    key: 'gc',
    group: 'monitored',
    type: type.oneOf(['on', 'off']),
    default: 'on',
    doc: "pauses of the garbage collector, as a cause and a metric; 'off' saves up to 0.2 ms that Node.js spends " +
      'reporting each collection'
  },
  {
    key: 'dir',
    group: 'output',
    type: type.text(),
    default: undefined,
    doc: 'folder for block records that outlive the process'
  },
  {
    key: 'appVersion',
    group: 'output',
    type: type.text(),
    default: undefined,
    doc: 'version of the application, for what dir reports as new since then; by default that of the package.json ' +
      'above the main file'
  },
  {
    key: 'notify',
    group: 'output',
    type: type.url(),
    default: undefined,
    doc: 'URL to which a block longer than notifyAbove is posted while it is in progress, as JSON; in the format of ' +
      'Slack if it is an address of Slack'
  },
  {
    key: 'notifyAbove',
    group: 'output',
    type: type.number(100, 86400000, 'milliseconds'),
    default: 1000,
    doc: 'minimum length of a block that is posted to notify, ms'
  },
  {
    key: 'otlp',
    group: 'output',
    type: type.or(type.or(type.url(), true), false),
    default: false,
    doc: 'metrics, block records as logs, and spans via OTLP/JSON over HTTP: true = to the address in ' +
      'OTEL_EXPORTER_OTLP_ENDPOINT and the other standard variables, by default http://localhost:4318; a URL = to ' +
        'that address'
  },
  { key: 'keep', group: 'output', type: type.integer(1, 1000), default: 500, doc: 'number of blocks stored in memory' },
  {
    key: 'stuck',
    group: 'block',
    type: type.or(type.number(100, 86400000, 'milliseconds'), 0),
    default: 0,
    doc: 'do onStuck once a block lasts this long, ms; 0 = never'
  },
  {
    key: 'onStuck',
    group: 'block',
    type: type.oneOf(['report', 'abort']),
    default: 'report',
    doc: "'report' logs every stack once; 'abort' then ends the process with SIGABRT"
  },
  {
    key: 'routes',
    group: 'monitored',
    type: type.integer(1, 1000),
    default: 50,
    doc: 'maximum number of distinct route labels, and as many again made from paths; the rest are counted as (other)'
  },
  {
    key: 'threads',
    group: 'monitored',
    type: type.oneOf(['auto', 'off']),
    default: 'auto',
    doc: "worker threads of the application: 'auto' = utilization, CPU time and blocks as seen from outside, with " +
      "lines from CPU profiles of half a second (Node.js 22.20, 24.8 and later; none with profile: 'off'); 'off' = " +
        'nothing'
  },
  {
    key: 'waits',
    group: 'monitored',
    type: type.oneOf(['on', 'all', 'off']),
    default: 'on',
    doc: 'calls to other services and waits for pooled connections, as Node.js and libraries publish them on ' +
      "diagnostics channels: metrics by peer, and what slow requests wait for; 'all' = of Redis clients and queries " +
      'of mysql2 as well, which lose unhandled errors or take more time then'
  },
  {
    key: 'facts',
    group: 'monitored',
    type: type.text(),
    default: undefined,
    doc: 'file for everything the agent knew about each block, one JSON object per line, for a bug report about a ' +
      'wrong line; written by the watchdog thread, so for development only'
  },
  {
    key: 'only',
    group: 'monitored',
    type: type.list(/[,|]/),
    default: [],
    doc: 'watch only programs with these names (the name of the main file; * matches any text); in text: ' +
      'server,worker-*'
  },
  {
    key: 'skip',
    group: 'monitored',
    type: type.list(/[,|]/),
    default: [],
    doc: 'do not watch programs with these names'
  },
  {
    key: 'labels',
    group: 'output',
    type: type.labels(labelNames),
    default: {},
    doc: 'constant labels on every metric; in text: service=checkout,env=prod'
  }
].map((row) => ({
  ...row, heading: groups[/** @type {keyof groups} */ (row.group)], env: envName(row.key), flag: flagName(row.key)
}))

/**
 * @typedef {object} Options of start(): every key is optional, times are in milliseconds
 * @property {number} [threshold] 2 to 60000
 * @property {string} [host]
 * @property {number | false} [port] 0 to 65535
 * @property {string} [token]
 * @property {string[]} [allowHosts]
 * @property {boolean | { level?: string, destination?: 1 | 2 | string, format?: 'json' | 'pretty' }} [log] on
 * stdout without a destination; pretty on a terminal without a format
 * @property {'auto' | 'on' | 'off'} [requests]
 * @property {(request: HttpRequest) => string | null | undefined} [route]
 * @property {'off' | 'auto' | 'on'} [origin]
 * @property {'off' | 'auto' | 'on'} [profile]
 * @property {'on' | 'off'} [source]
 * @property {'off' | 'on'} [statements]
 * @property {'on' | 'off'} [gc]
 * @property {string} [dir]
 * @property {string} [appVersion]
 * @property {string} [notify] http:// or https://, with user:password@ if the receiver asks for them
 * @property {number} [notifyAbove] 100 to 86400000
 * @property {boolean | string} [otlp] true: by OTEL_EXPORTER_OTLP_ENDPOINT and the other standard variables; http:// or
 * https://, with user:password@ if the receiver asks for them
 * @property {number} [keep] 1 to 1000
 * @property {number} [stuck]
 * @property {'report' | 'abort'} [onStuck]
 * @property {number} [routes]
 * @property {'auto' | 'off'} [threads]
 * @property {'on' | 'all' | 'off'} [waits]
 * @property {string} [facts]
 * @property {string[]} [only] names of main files
 * @property {string[]} [skip] names of main files
 * @property {Record<string, string>} [labels]
 *
 * @typedef {Required<Omit<Options, 'token' | 'dir' | 'appVersion' | 'facts' | 'notify' | 'otlp' | 'route' | 'log'>> & {
 * token?: string, dir?: string, appVersion?: string, facts?: string, notify?: string, route?: Options['route'],
 * log: boolean | (Exclude<Options['log'], boolean | undefined> & { creates?: boolean }),
 * otlp: false | OtlpSettings, beatPeriod: number, calmPeriod: number }} ResolvedOptions
 * `beatPeriod`: ms between heartbeats; `calmPeriod`: the same while the loop hardly does anything; `log.creates`: false
 * if somebody else creates the file
 */

/**
 * Defaults of a preload and of `loopwatch run`, as somebody may parse the stdout of a tool (`eslint -f json`).
 * @type {Options}
 */
const preloadDefaults = { log: { destination: 2 } }

/** @param {string} key */
function envName (key) {
  return `${PREFIX}${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** @param {string} key */
function flagName (key) {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** The variables that Kubernetes sets for a service named loopwatch. */
const OF_SERVICE = /^LOOPWATCH_(?:SERVICE|PORT)_/

/** An error that shows no secret. @param {(typeof table)[number]} row @param {string} source @param {unknown} value */
function refused ({ type: { takes, isSecret } }, source, value) {
  return codedError('LOOPWATCH_ERR_OPTION', source, takes,
    isSecret && typeof value === 'string' && value !== '' ? SECRET : value)
}

/** @param {(typeof table)[number]} row @param {string} text @param {string} source what the error names */
function parseText (row, text, source) {
  const value = row.type.parse(text)
  if (!row.type.accepts(value)) throw refused(row, source, text)
  return value
}

/**
 * A variable may set a part of an object: a log's level leaves its destination to the default.
 * @param {(typeof table)[number]} row @param {string | undefined} text @param {unknown} byDefault
 */
function fromVariable (row, text, byDefault) {
  // Kubernetes sets the address of the port of a service named loopwatch in every pod.
  if (!text || (row.key === 'port' && /^(?:tcp|udp):/.test(text))) return byDefault
  const value = parseText(row, text, row.env)
  return type.isPlainObject(value) && type.isPlainObject(byDefault) ? { ...byDefault, ...value } : value
}

/**
 * Options of the call, then the environment, then `defaults`, then those of the table.
 * @param {Options} [options] @param {NodeJS.ProcessEnv} [env] @param {Options} [defaults]
 * @returns {ResolvedOptions} @throws LOOPWATCH_ERR_OPTIONS, LOOPWATCH_ERR_OPTION, LOOPWATCH_ERR_OPTION_UNKNOWN
 */
function resolveOptions (options = {}, env = process.env, defaults = {}) {
  if (!type.isPlainObject(options)) throw codedError('LOOPWATCH_ERR_OPTIONS', options)
  checkKeys(options, table.map((row) => row.key))
  const resolved = /** @type {any} */ ({})
  for (const row of table) {
    const value = /** @type {Record<string, unknown>} */ (options)[row.key]
    if (value !== undefined) {
      if (!row.type.accepts(value)) throw refused(row, `option "${row.key}"`, value)
      // A copy: the application may change its own later, and a Proxy cannot be passed to a thread.
      resolved[row.key] = type.isPlainObject(value) ? { ...value } : Array.isArray(value) ? [...value] : value
    } else {
      const byDefault = /** @type {Record<string, unknown>} */ (defaults)[row.key] ?? row.default
      resolved[row.key] = fromVariable(row, env[row.env], byDefault)
    }
  }
  if (resolved.onStuck === 'abort' && resolved.stuck === 0) {
    throw codedError('LOOPWATCH_ERR_OPTION', 'option "stuck"', 'a time above 0 if onStuck is "abort"', resolved.stuck)
  }
  // A beat every 10 ms, or every third of a low threshold.
  resolved.beatPeriod = Math.max(1, Math.min(10, Math.floor(resolved.threshold / 3)))
  // An idle host wakes 40 times per second at the default threshold, and every block still shows in time.
  const calmMs = Math.min(Math.round(resolved.beatPeriod * 2.5), Math.floor(resolved.threshold / 2))
  resolved.calmPeriod = Math.max(resolved.beatPeriod, calmMs)
  if (resolved.otlp !== false) resolved.otlp = otlpSettings(resolved.otlp, env)
  // The application may change its working directory later.
  if (resolved.dir !== undefined) resolved.dir = path.resolve(resolved.dir)
  if (resolved.facts !== undefined) resolved.facts = path.resolve(resolved.facts)
  if (typeof resolved.log.destination === 'string') {
    resolved.log = { ...resolved.log, destination: path.resolve(resolved.log.destination) }
  }
  return resolved
}

/** Variables that look like options, each with the option most likely meant. @param {NodeJS.ProcessEnv} env */
function strayVariables (env) {
  const names = table.map((row) => row.env)
  return Object.keys(env).filter((name) => name.startsWith(PREFIX) && !names.includes(name) && !OF_SERVICE.test(name))
    .map((name) => `${name} (did you mean ${nearest(name, names)}?)`)
}

/** Loaded at a mistake. @param {string} name @param {string[]} names at least one */
const nearest = (name, names) => require('../util/nearest').nearest(name, names)

/** Throws LOOPWATCH_ERR_OPTION_UNKNOWN. @param {object} options @param {string[]} keys @param {string[]} [ignored] */
const checkKeys = (options, keys, ignored = []) => {
  const unknown = Object.keys(options).find((key) => !keys.includes(key) && !ignored.includes(key))
  if (unknown !== undefined) throw codedError('LOOPWATCH_ERR_OPTION_UNKNOWN', unknown, nearest(unknown, keys))
}

/**
 * Checks the options of one method and adds defaults. A row with a `default`, even undefined, is optional.
 * @param {string} method what errors call it @param {string} takes what errors say it takes @param {unknown} options
 * @param {{ key: string, type: OptionType, default?: unknown }[]} rows
 * @param {string[]} [ignored] keys that somebody else reads
 * @returns {any} @throws LOOPWATCH_ERR_OPTION, LOOPWATCH_ERR_OPTION_UNKNOWN
 */
exports.checkOptions = (method, takes, options, rows, ignored) => {
  if (!type.isPlainObject(options)) throw codedError('LOOPWATCH_ERR_OPTION', method, takes, options)
  checkKeys(options, rows.map(({ key }) => key), ignored)
  return Object.fromEntries(rows.map((row) => {
    const value = options[row.key]
    if (value === undefined && 'default' in row) return [row.key, row.default]
    if (row.type.accepts(value)) return [row.key, value]
    throw codedError('LOOPWATCH_ERR_OPTION', `option "${row.key}" of ${method}`, row.type.takes, value)
  }))
}

exports.table = table
exports.preloadDefaults = preloadDefaults
exports.strayVariables = strayVariables
exports.parseText = parseText
exports.resolveOptions = resolveOptions
