'use strict'

const path = require('node:path')
const { Worker } = require('node:worker_threads')
const fresh = require('./corpus/fresh/cases')
const shapes = require('./corpus/shapes/cases')
const { findings, verdict } = require('./findings')
const { KINDS } = require('./score')
const { tables } = require('./tables')
const { count, figure } = require('../harness/report/format')
const { codedError } = require('../../lib/tables/errors')
const { missingPackages, withRanges } = require('../harness/packages')

const MODULE = path.join(__dirname, 'cell.js')
const GENERATED = path.join(__dirname, 'generated', 'cell.js')
const THREADS = path.join(__dirname, 'threads', 'cell.js')
/** Each case takes 25 s. */
const THREADS_LIMIT_S = 900
/** A generated program with its blocks, and what making it takes. */
const PROGRAM_LIMIT_S = 12
const SEED = 1
/** Those of generated/families.js, whose modules need packages that may be missing. */
const FAMILIES = ['grammar', 'functions', 'decoys', 'built-ins']
const BLOCK_MS = 200
/** Length of the blocks of the first figures in the README. */
const LONG_MS = 300
/** A block with what is waited for around it. */
const TIME_LIMIT_S = 5
/** The least: what is waited for before the first block and in the traps. */
const LEAST_LIMIT_S = 240
const DEFAULT_SET = 'first'
const THREADS_SET = 'threads'
/** Packages that a set needs in addition to those of the first set. @type {Record<string, string[]>} */
const MORE_PACKAGES = { first: [], fresh: fresh.packages, shapes: shapes.packages }

/** @typedef {import('../harness/interface').Cell} Cell */
/** @typedef {import('../harness/interface').ModeName} ModeName */

/** @type {Record<ModeName, () => { contestants?: string[], cases?: string[], traps: string[], ms: number }>} */
const choices = {
  quick: () => ({
    contestants: ['loopwatch', 'blocked-at', 'prom-client'],
    cases: require('./corpus/corpus').FEW,
    traps: ['idle'],
    ms: BLOCK_MS
  }),
  default: () => ({ traps: ['idle', 'full load', 'starved', 'stopped'], ms: BLOCK_MS }),
  full: () => ({ traps: ['idle', 'full load', 'starved', 'stopped'], ms: BLOCK_MS }),
  faithful: () => ({
    contestants: ['loopwatch'],
    cases: Object.keys(require('./corpus/truth').truth),
    traps: ['idle', 'full load', 'starved', 'stopped'],
    ms: LONG_MS
  })
}

const isInstalled = /[\\/]node_modules[\\/]/.test(__dirname)

/** Why it cannot run here. @param {string[]} packages */
function reasonAgainst (packages) {
  if (process.platform === 'win32') return 'needs FIFOs and SIGSTOP, which Windows does not have'
  if (isInstalled) return 'runs from a checkout: below node_modules its application counts as a package'
  const missing = missingPackages(packages)
  return missing.length === 0 ? null : `needs npm install --no-save ${withRanges(missing).join(' ')}`
}

/** @param {string} text of --corpus */
function corpusName (text) {
  const known = [...Object.keys(require('./corpus/corpus').SETS), THREADS_SET]
  if (!known.includes(text)) throw codedError('LOOPWATCH_ERR_OPTION', '--corpus', known.join(', '), text)
  return text
}

/**
 * @param {ModeName} mode
 * @param {string} set of --corpus
 * @param {boolean} isListing
 * @returns {import('../harness/interface').CellPlan[]}
 */
function plan (mode, set, isListing) {
  const { contestants } = require('./contestants')
  const { corpus, SETS } = require('./corpus/corpus')
  const ofSet = corpus.filter((each) => SETS[set].includes(each.set)).map(({ name }) => name)
  const { contestants: names = Object.keys(contestants), cases: chosen = ofSet, traps, ms } = choices[mode]()
  const cases = chosen.filter((name) => ofSet.includes(name))
  const packages = SETS[set].flatMap((name) => MORE_PACKAGES[name])
  return names.map((variant) => ({
    variant,
    params: { blocks: cases.length, traps: traps.length },
    module: MODULE,
    timeLimitSeconds: Math.max(LEAST_LIMIT_S, TIME_LIMIT_S * cases.length),
    data: { cases, traps, ms },
    skipped: isListing ? null : reasonAgainst([...contestants[variant].packages, ...packages])
  }))
}

/** @param {string} flag @returns {(text: string) => number} */
const counted = (flag) => (text) => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw codedError('LOOPWATCH_ERR_OPTION', flag, 'a whole number from 1', text)
  return value
}

/** @param {string} text */
function familyName (text) {
  if (!FAMILIES.includes(text)) throw codedError('LOOPWATCH_ERR_OPTION', '--family', FAMILIES.join(', '), text)
  return text
}

/**
 * One cell: the agent alone, on programs drawn by chance.
 * @param {number} programs @param {number} seed @param {string} family @param {boolean} isListing
 * @returns {import('../harness/interface').CellPlan[]}
 */
const planGenerated = (programs, seed, family, isListing) => [{
  variant: 'loopwatch',
  params: { programs, seed, family },
  module: GENERATED,
  timeLimitSeconds: Math.max(LEAST_LIMIT_S, PROGRAM_LIMIT_S * programs),
  data: { programs, seed, family },
  skipped: isListing ? null : reasonAgainst([])
}]

const reasonAgainstThreads = () => 'startCpuProfile' in Worker.prototype
  ? reasonAgainst(['marked', 'piscina', 'tinypool', 'workerpool'])
  : 'needs worker.startCpuProfile(), of Node.js 22.20 and 24.8'

/** One cell: the agent alone. @param {boolean} isListing @returns {import('../harness/interface').CellPlan[]} */
const planThreads = (isListing) => [{
  variant: 'loopwatch',
  params: { tasks: require('./threads/cases').cases.length },
  module: THREADS,
  timeLimitSeconds: THREADS_LIMIT_S,
  data: {},
  skipped: isListing ? null : reasonAgainstThreads()
}]

/** Shares of few blocks are often whole. @param {number} value */
const short = (value) => Number.isInteger(value) ? `${value}` : figure(value)

/**
 * A figure that some contestants have none of.
 * @param {string} title
 * @param {string} key
 * @param {string} unit
 * @param {string} [none] where it tells nothing of the kind
 */
const column = (title, key, unit, none = 'no') => ({ title, text: (/** @type {Cell} */ { extra, median }) => extra[key] === undefined ? median === null ? '' : none : `${short(extra[key].median)}${unit}` })

/** How many blocks, and what was wrong of them: '2: line 1, request 2'. @param {Cell} cell */
function certainAndWrong ({ extra, median }) {
  if (extra.certainAndWrong === undefined) return median === null ? '' : '-'
  const of = (/** @type {string} */ key) => short(extra[key].median)
  const kinds = KINDS.filter((kind) => extra[`certain ${kind}`].median > 0).map((kind) => `${kind} ${of(`certain ${kind}`)}`)
  return `${of('certainAndWrong')}${kinds.length === 0 ? '' : `: ${kinds.join(', ')}`}`
}

/** @type {import('../harness/interface').Scenario} */
exports.scenario = {
  name: 'bakeoff',
  title: 'who reports which block of the event loop: line, request, cause and length, and false alarms',
  unit: '%',
  better: 'higher',
  agent: null,
  // Nothing is asked for where none of it would be used.
  packages: isInstalled ? [] : ['@jridgewell/trace-mapping', 'ajv', 'eta', 'express', 'fastify', 'hdr-histogram-js', 'rxjs', 'typescript', 'yaml'],
  optionalPackages: isInstalled ? [] : [...new Set([...fresh.packages, ...shapes.packages])],
  modes: {
    quick: { repeats: 1, seconds: 0.5, warmUpSeconds: 0, note: 'a smoke run: a few blocks under three contestants' },
    default: { repeats: 1, seconds: 1.5, warmUpSeconds: 0, note: 'every block and trap under every contestant' },
    full: { repeats: 5, seconds: 5, warmUpSeconds: 0, note: 'the same five times, traps of 5 s' },
    faithful: { repeats: 5, seconds: 12, warmUpSeconds: 0, note: 'there is no original: the agent alone, the first 14 kinds for 300 ms and a minute of each trap; about 8 minutes' }
  },
  options: [
    { flags: '--corpus <set>', description: 'first (48 blocks, the default), fresh, shapes, all of these, or threads', parse: corpusName },
    { flags: '--generated <programs>', description: 'number of random programs to run in place of a corpus, with loopwatch only', parse: counted('--generated') },
    { flags: '--family <name>', description: `family of generated programs: ${FAMILIES.join(', ')}`, parse: familyName },
    { flags: '--seed <number>', description: 'seed of the generated programs: the same seed draws the same programs', parse: counted('--seed') }
  ],
  plan: ({ mode, options: { corpus = DEFAULT_SET, generated, family = 'grammar', seed = SEED }, isListing }) => {
    if (generated !== undefined) return planGenerated(generated, seed, family, isListing)
    return corpus === THREADS_SET ? planThreads(isListing) : plan(mode, corpus, isListing)
  },
  columns: [
    ...[['false positives', 'falsePositives'], ['blamed in traps', 'blamedInTraps']].map(([title, key]) => ({ title, text: (/** @type {Cell} */ { extra }) => count(extra[key]?.median) })),
    column('function', 'function', '%'),
    column('line', 'line', '%'),
    column('line (JavaScript)', 'lineOfJs', '%'),
    column('line exact', 'exactLine', '%', ''),
    column('package', 'package', '%', ''),
    column('request', 'request', '%'),
    column('cause', 'cause', '%'),
    { title: 'certain and wrong', text: certainAndWrong },
    column('duration off', 'durationError', '%'),
    column('while blocked', 'whileBlocked', '%', ''),
    column('first report ms', 'firstMs', '', ''),
    column('endpoint answers', 'answered', '%', 'has none')
  ],
  tables,
  verdict,
  findings
}
