'use strict'

const path = require('node:path')
const { codedError } = require('../../lib/tables/errors')
const { missingPackages, withRanges } = require('../harness/packages')
const { driver } = require('./server/load')
const { peers } = require('./peers')
const { CACHE, install, missing: missingProgram, programs } = require('./suites/programs')
const { packages: APP } = require('./real-app/work')
const { watchers } = require('./watchers')

/** @typedef {import('../harness/interface').CellPlan} CellPlan */
/** @typedef {import('../harness/interface').ModeName} ModeName */
/** @typedef {'load' | 'real-app' | 'idle' | 'preload' | 'run' | 'suites'} Part */

const SERVERS = ['bare', 'express', 'fastify']
const HANDLERS = ['trivial', 'awaits', 'work']
const ALL = Object.keys(watchers)
const OURS = ['loopwatch', 'loopwatch-requests-off']
/** Variants compared by their cost for a large application, an idle one, and an empty one. */
const COMPARED = ['nothing', 'loopwatch', 'loopwatch-profile-off', ...Object.keys(peers)]
const IDLE_S = 10
const PRELOAD_S = 4
const RUN_S = 4
/** Calls of run(): a function, an async function that is awaited, and one with an attribute. */
const RUNS = ['run', 'run-async', 'run-attributes']
/** Half of it each server: p99.9 is then the third largest of 3,000 latencies. */
const REAL_APP_S = 40
/** Requests a second: what a mid-sized server answers, and about a quarter of a core of the application. */
const RATE = 150
/** Code that was never run before is many times as slow, and --quick does not wait for compilers. */
const QUICK_RATE = 20
const MOST_RATE = 10_000
const TIME_LIMIT_S = 60
/** Four starts of the application come on top, each of seconds where the machine is busy. */
const REAL_APP_LIMIT_S = 180
/** Five runs of a suite that takes half a minute on a busy machine, and twice that under the preload. */
const SUITES_LIMIT_S = 600

/** npm packages that are asked for where they are not there; without them the cells that need them are skipped. */
exports.optionalPackages = ['autocannon', ...APP, ...Object.values(peers).flatMap(({ packages = [] }) => packages)]

/** @param {string[]} packages @returns {string | null} */
const missing = (packages) => {
  const names = missingPackages(packages)
  return names.length === 0 ? null : `npm install --no-save ${withRanges(names).join(' ')}`
}

/** @param {string} variant */
const packagesOf = (variant) => watchers[variant].packages ?? []

/** @param {string[]} variants @param {string[]} [servers] @param {string[]} [handlers] @returns {CellPlan[]} */
const loaded = (variants, servers = ['bare'], handlers = ['trivial']) => servers.flatMap((server) =>
  handlers.flatMap((handler) => variants.map((variant) => ({
    variant,
    params: { server, handler },
    module: path.join(__dirname, 'cell.js'),
    timeLimitSeconds: TIME_LIMIT_S,
    skipped: missing([...(driver === 'wrk' ? [] : [driver]), ...packagesOf(variant)])
  }))))

/** @param {string[]} variants @param {number} ratePerSecond @param {number} [seconds] @returns {CellPlan[]} */
const realApp = (variants, ratePerSecond, seconds = REAL_APP_S) => variants.map((variant) => ({
  variant,
  params: { server: 'real-app', handler: 'mixed', ratePerSecond },
  module: path.join(__dirname, 'real-app', 'cell.js'),
  unit: '× bare CPU',
  better: /** @type {const} */ ('lower'),
  seconds,
  timeLimitSeconds: REAL_APP_LIMIT_S,
  skipped: missing([...APP, 'undici', ...packagesOf(variant)])
}))

/** @param {string[]} variants @param {number} [seconds] @returns {CellPlan[]} */
const idle = (variants, seconds = IDLE_S) => variants.map((variant) => ({
  variant,
  params: { server: 'bare', handler: 'idle' },
  module: path.join(__dirname, 'idle', 'cell.js'),
  unit: '% of a core',
  better: /** @type {const} */ ('lower'),
  seconds,
  timeLimitSeconds: TIME_LIMIT_S,
  skipped: missing(packagesOf(variant))
}))

/** @type {Record<string, string>} */
const ENDLESS = { 'sentry-sdk': 'its profiler, once started, keeps an empty script from ending' }

/** @param {string[]} variants @param {number} [seconds] @returns {CellPlan[]} */
const preload = (variants, seconds = PRELOAD_S) => variants.map((variant) => ({
  variant,
  params: { server: 'none', handler: 'preload' },
  module: path.join(__dirname, 'preload', 'cell.js'),
  unit: 'ms',
  better: /** @type {const} */ ('lower'),
  seconds,
  timeLimitSeconds: TIME_LIMIT_S,
  skipped: ENDLESS[variant] ?? missing(packagesOf(variant))
}))

/** @param {string[]} variants @param {string[]} [handlers] @param {number} [seconds] @returns {CellPlan[]} */
const named = (variants, handlers = RUNS, seconds = RUN_S) => handlers.flatMap((handler) => variants.map((variant) => ({
  variant,
  params: { server: 'none', handler },
  module: path.join(__dirname, 'run', 'cell.js'),
  unit: 'µs',
  better: /** @type {const} */ ('lower'),
  seconds,
  timeLimitSeconds: TIME_LIMIT_S,
  skipped: null
})))

/**
 * Under the preload alone: what others would cost a whole machine of processes is not compared.
 * @param {string[]} names @param {string} dir of suites and tools @param {boolean} mayInstall @returns {CellPlan[]}
 */
const suites = (names, dir, mayInstall) => {
  if (mayInstall) install(names, dir)
  return names.map((name) => ({
    variant: 'loopwatch',
    params: { server: 'program', handler: name },
    module: path.join(__dirname, 'suites', 'cell.js'),
    better: /** @type {const} */ ('lower'),
    seconds: PRELOAD_S,
    timeLimitSeconds: SUITES_LIMIT_S,
    data: { dir },
    skipped: missingProgram(name, dir)
  }))
}

/** @typedef {{ part?: Part[], rate?: number, program?: string[], suites?: string, mayInstall?: boolean }} Options */

/** The cells of each part by mode. @type {Record<Part, (mode: ModeName, options: Options) => CellPlan[]>} */
const plans = {
  load: (mode) => {
    if (mode === 'quick') return loaded(['loopwatch'])
    if (mode === 'full') return loaded(ALL, SERVERS, HANDLERS)
    return [...loaded(['nothing', ...OURS, ...(mode === 'default' ? ['prom-client', 'blocked-at'] : [])]), ...loaded(['loopwatch'], ['express', 'fastify'])]
  },
  'real-app': (mode, { rate }) => mode === 'quick' ? realApp(['loopwatch'], rate ?? QUICK_RATE, 2) : realApp(COMPARED, rate ?? RATE),
  idle: (mode) => mode === 'quick' ? idle(['loopwatch'], 1) : idle(mode === 'full' ? ALL : COMPARED),
  preload: (mode) => mode === 'quick' ? preload(['loopwatch'], 1) : preload(COMPARED),
  run: (mode) => mode === 'quick' ? named(['loopwatch'], ['run'], 1) : named(['nothing', 'loopwatch']),
  suites: (mode, { program, suites: dir = CACHE, mayInstall = false }) =>
    suites(program ?? (mode === 'quick' ? ['node -e'] : Object.keys(programs)), path.resolve(dir), mayInstall)
}
const PARTS = /** @type {Part[]} */ (Object.keys(plans))

/** Without --part: what has always been run, and of the others what is quick. @type {Record<ModeName, Part[]>} */
const partsOf = { quick: PARTS, default: ['load', 'idle', 'run'], full: PARTS, faithful: ['load'] }

/** @param {ModeName} mode @param {Options} [options] --part, --rate, --program and --suites */
exports.plan = (mode, options = {}) => (options.part ?? partsOf[mode]).flatMap((part) => plans[part](mode, options))

/** Parses --rate. @param {string} text */
exports.parseRate = (text) => {
  const rate = Number(text)
  if (!/^\d+$/.test(text) || rate < 1 || rate > MOST_RATE) throw codedError('LOOPWATCH_ERR_OPTION', '--rate', `a whole number from 1 to ${MOST_RATE}`, text)
  return rate
}

/**
 * Parser of an option that can be repeated, or have several values separated by commas.
 * @param {string} flag @param {string[]} known
 */
const parseNames = (flag, known) => (/** @type {string} */ text, /** @type {string[]} */ before = []) => {
  const names = text.split(',')
  if (!names.every((name) => known.includes(name))) throw codedError('LOOPWATCH_ERR_OPTION', flag, known.join(', '), text)
  return [...new Set([...before, ...names])]
}
exports.parseParts = parseNames('--part', PARTS)
exports.parsePrograms = parseNames('--program', Object.keys(programs))

/** The part that a cell belongs to. @param {{ params: import('../harness/interface').Params }} cell @returns {Part} */
exports.partOf = ({ params }) => {
  if (params.server === 'real-app') return 'real-app'
  if (params.server === 'program') return 'suites'
  if (RUNS.includes(String(params.handler))) return 'run'
  return params.handler === 'idle' || params.handler === 'preload' ? params.handler : 'load'
}
