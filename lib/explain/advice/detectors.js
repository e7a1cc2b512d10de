'use strict'

const { causeRow } = require('../../tables/causes')
const { garbageOf } = require('../../util/memory-text')
const { median } = require('../../util/statistics')
const { STORM_SHARE } = require('../evidence')
const { REG_EXP, ROUND_TRIP, SEARCHES } = require('../source/native-call')
const { hasNestedQuantifiers, patternsIn } = require('../source/pattern')
const { builtins, cures: { js, native, 'sync-io': syncIo, gc, many } } = require('./cures')
const { isIn, packageIn, packageOf } = require('./evidence-view')

/**
 * @import { Cause } from '../../tables/causes'
 * @import { Frame } from '../../types'
 * @import { BlockView } from './evidence-view'
 */

/** Packages that make objects of rows or documents. */
const MAPPERS = new Set(['sequelize', 'typeorm', 'mongoose', '@prisma/client', '@mikro-orm/core', 'objection', 'bookshelf', 'waterline'])
const TEMPLATES = new Set(['ejs', 'handlebars', 'pug', 'nunjucks', 'mustache', 'eta', 'react-dom', '@vue/server-renderer', 'liquidjs'])

/** A method that goes through a list, and code that may do so at each step. */
const SEARCH = /\.(find|findIndex|findLast|findLastIndex|includes|indexOf|lastIndexOf)\s*\(/
const LOOP = /\b(?:for|while)\s*(?:await\s*)?\(|\.(?:map|forEach|filter|flatMap|reduce|some|every)\s*\(/
/** A module named in a source, and methods that run SQL. */
const DATABASE_MODULE = /(['"])(better-sqlite3|node:sqlite)\1/
const SQL_METHOD = /\.(?:all|get|run|exec|iterate)\s*\(/

/** The other end of a socket on which a name server answers. */
const DNS_SERVER = /socket to (\S+):53$/

/** @typedef {(view: BlockView) => string | null} Detector */

/** @type {Detector} */
const detectJson = (view) => {
  if (view.call === ROUND_TRIP) {
    return `JSON.parse(JSON.stringify()) processes the whole value twice to copy it. ${native.copy} structuredClone() copies more types, and takes about as long.`
  }
  const call = view.call ?? (isIn(view, ['parse', 'stringify']) ? `JSON.${view.frames[0].function}` : null)
  if (call !== 'JSON.parse' && call !== 'JSON.stringify') return null
  const cure = call === 'JSON.parse' ? native.parse : native.stringify
  return `${call} processes the whole value before anything else runs. ${cure}`
}

/** @type {Detector} */
const detectRegExp = (view) => {
  const isRunning = view.call === REG_EXP || SEARCHES.has(view.call ?? '') || isIn(view, [...SEARCHES])
  if (!isRunning) return null
  const nested = patternsIn(view.line, view.lines).find(hasNestedQuantifiers)
  if (nested !== undefined) {
    return `The pattern ${nested} repeats a group that repeats itself: a text that does not match takes exponentially longer with each character. ${js.nested}`
  }
  return view.call === REG_EXP ? `A regular expression backtracks here. ${js.backtracks}` : null
}

/** @type {Detector} */
const detectBuiltin = (view) => {
  const text = builtins.get(view.call ?? '')
  return text === undefined || detectRegExp(view) !== null ? null : `${view.call} ${text}`
}

/** @type {Detector} */
const detectReport = ({ record: { evidence }, frames }) => {
  if (!frames.some(({ file }) => file === 'node:internal/process/report')) return null
  const server = DNS_SERVER.exec(evidence.sleptIn?.target ?? '')?.[1]
  const waits = server === undefined ? '' : ` It waited for the name server ${server}.`
  // It asks to know the C library. 2.1.2 excludes the network itself.
  const isKnown = frames.some((frame) => packageOf(frame) === 'detect-libc')
  const update = isKnown ? ' detect-libc asked: update it to 2.1.2 or later, which does without.' : ''
  return `process.report asks for the DNS names of all open sockets, one after the other.${waits}${update} ${syncIo.report}`
}

/** @type {Detector} */
const detectSync = (view) => {
  const hasTwin = (/** @type {Frame} */ frame) =>
    frame.file?.startsWith('node:') || HASHERS.test(packageOf(frame) ?? '')
  // The outermost is the one that was called: compareSync calls hashSync.
  const known = view.callees.filter(hasTwin).map(({ function: name }) => name?.split('.').pop() ?? '').reverse()
  const inLine = view.call === null || !twins.has(view.call) ? view.line.match(/[\w$]+Sync(?=\s*\()/g) ?? [] : []
  // A line alone proves nothing about a block that computed in JavaScript.
  const fromLine = causeRow(view.record.cause).isScript ? [] : inLine
  const name = [view.call ?? '', ...known, ...fromLine].find((each) => twins.has(each))
  if (name !== undefined) return `${name} blocks the loop until it is done. ${twins.get(name)} does the same on another thread.`
  const isSql = causeRow(view.record.cause).isCall === true && SQL_METHOD.test(view.line)
  const database = view.callees.map((frame) => packageOf(frame) ?? frame.file ?? '').find((each) => SYNC_DATABASE.test(each)) ??
    (isSql ? DATABASE_MODULE.exec(view.lines.join('\n'))?.[2] : undefined)
  return database === undefined ? null : `${database} has only synchronous calls. ${syncIo.database}`
}

/** @type {Detector} */
const detectMapping = (view) => {
  const name = packageIn(view, MAPPERS)
  return name === undefined ? null : `${name} makes an object of every row. ${js.mapping}`
}

/** @type {Detector} */
const detectTemplate = (view) => {
  const name = packageIn(view, TEMPLATES)
  return name === undefined ? null : `${name} renders the whole page in one turn. ${js.template}`
}

/** @type {Detector} */
const detectSort = (view) => {
  const isSort = ['sort', 'toSorted'].includes(view.call ?? '') || isIn(view, ['sort', 'toSorted'])
  const isComparing = /\.(?:sort|toSorted)\s*\(.*=>/.test(view.line) && causeRow(view.record.cause).isScript === true
  const compares = /\.(?:sort|toSorted)\s*\(/.test(view.line) && /localeCompare/.test(view.line)
  if (isComparing && !compares) return `The comparator runs for every pair that is compared. ${native.keys}`
  if (!isSort && !compares) return null
  return compares
    ? `localeCompare builds its rules at every comparison. ${native.compare}`
    : `The whole list is sorted in one turn. ${native.sort}`
}

/** @type {Detector} */
const detectSearch = (view) => {
  const name = SEARCH.exec(view.line)?.[1]
  // The table of built-ins has advice for some.
  if (name === undefined || !causeRow(view.record.cause).isScript || !isInLoop(view.near) || builtins.has(view.call ?? '')) return null
  return `${name} goes through the list at each step of a loop: twice the data takes four times as long. ${js.search}`
}

/** Whether a loop is around the last line, as indentation shows. @param {string} near */
function isInLoop (near) {
  let depth = Infinity
  return near.split('\n').reverse().some((line) => {
    const indent = line.search(/\S/)
    if (indent === -1 || indent >= depth) return false
    depth = indent
    return LOOP.test(line)
  })
}

/** @param {string} names @param {(name: string) => string} twinOf @returns {[string, string][]} */
const each = (names, twinOf) => names.split(' ').map((name) => [`${name}Sync`, twinOf(name)])

/** Synchronous functions of Node.js, each with its non-blocking equivalent. @type {Map<string, string>} */
const twins = new Map([
  ...each(
    'access appendFile chmod chown copyFile cp glob link lstat lutimes mkdir mkdtemp open opendir readFile readdir ' +
    'readlink realpath rename rm rmdir stat statfs symlink truncate unlink utimes writeFile',
    (name) => `fs.promises.${name}`),
  ...each('close fchmod fchown fdatasync fstat fsync ftruncate futimes read readv write writev', (name) => `the method of a FileHandle (fs.promises.open) for fs.${name}`),
  ...each('exists', () => 'fs.promises.access'),
  ...each('pbkdf2 scrypt hkdf generateKeyPair generateKey randomFill checkPrime generatePrime argon2', (name) => `crypto.${name} with a callback`),
  ...each('gzip gunzip deflate inflate deflateRaw inflateRaw unzip brotliCompress brotliDecompress zstdCompress zstdDecompress', (name) => `zlib.${name} with a callback, or a stream`),
  // bcryptjs has them as well, but no threads.
  ...each('hash compare genSalt', (name) => `${name}() of bcrypt`),
  ...each('exec execFile spawn', (name) => `child_process.${name}`)
])

/** A package and a module of Node.js that have only synchronous calls to a database file. */
const SYNC_DATABASE = /^(?:better-sqlite3|node:sqlite)$/

/** Packages with functions among `twins`. */
const HASHERS = /^(?:bcrypt|bcryptjs)$/

/** From this number on, requests in one turn are many. */
const MANY = 5
/** Fewer blocks make no trend. */
const TREND_BLOCKS = 6
/** How much longer the last third must be than the first one. */
const GROWN = 1.5
const MICROTASKS = 'node:internal/process/task_queues'
const LOGGERS = new Set(['sonic-boom', 'pino', 'winston', 'bunyan', 'log4js', 'loglevel', 'signale'])
/** stdout or stderr, if it is not a file. */
const FULL_PIPE = /^fd [12] \((?!\/)/
const WRITES = new Set(['writeSync', 'flushSync', 'writeUtf8String', 'writeBuffer', 'writeString'])

/** @type {Detector} */
const detectRequire = ({ record: { startup }, frames }) => {
  const isLoading = frames.some(({ file, function: name }) => file === 'node:internal/modules/cjs/loader' && /(?:^|\.)(?:require|_load|Module\._load|load)$/.test(name ?? ''))
  return isLoading && !startup
    ? `A module is loaded while the application serves: its files are read and compiled on the loop. ${js.require}`
    : null
}

/** @type {Detector} */
const detectMany = ({ record: { cause, evidence } }) => {
  if (cause !== 'many' && evidence.requests < MANY) return null
  return `${evidence.requests > 1 ? `${evidence.requests} requests` : 'Many callbacks'} ran in a row before the loop came round again. ${many.many}`
}

/** @type {Detector} */
const detectAllocation = ({ record: { cause, durationMs, evidence: { gcMs, memory } } }) => {
  if (memory?.isHeapFull) return null
  if (!causeRow(cause).blamesAllocation && gcMs < STORM_SHARE * durationMs) return null
  return `The garbage collector took ${Math.round(100 * Math.min(1, gcMs / durationMs))}% of the time. ${gc.allocation}`
}

/** @type {Detector} */
const detectMemory = ({ record }) => {
  const { evidence: { memory } } = record
  const reason = memory?.isHeapFull ? garbageOf(record) : null
  return reason === null ? null : `${reason[0].toUpperCase()}${reason.slice(1)}. ${gc.memory}`
}

/** @type {Detector} */
const detectLogging = ({ callees, record: { cause, evidence: { sleptIn } } }) => {
  if (causeRow(cause).blamesAllocation) return null
  if (sleptIn?.call === 'write' && FULL_PIPE.test(sleptIn.target ?? '')) {
    return `The reader of ${sleptIn.target} does not keep up, so the thread waits until there is room. ${syncIo.logging}`
  }
  const isConsole = callees.some(({ file }) => file?.startsWith('node:internal/console/'))
  const logger = callees.map(packageOf).find((name) => name !== null && LOGGERS.has(name))
  const writes = callees.some(({ function: name }) => WRITES.has(name?.split('.').pop() ?? ''))
  if (!(isConsole || (logger !== undefined && writes))) return null
  return `${isConsole ? 'console' : logger} writes synchronously to files, and to terminals and pipes on some systems. ${syncIo.logging}`
}

/** @type {Detector} */
const detectMicrotasks = ({ record: { cause, samples }, frames, near }) => {
  const isTurn = frames.some(({ file }) => file === MICROTASKS)
  const awaits = /\bawait\b/.test(near) && /\b(?:for|while)\b/.test(near)
  if (!causeRow(cause).isScript || samples < 2 || !isTurn || !awaits) return null
  return `await yields only to other promises: a loop over values that are already available never lets the event loop run. ${js.microtasks}`
}

/** @type {Detector} */
const detectTls = ({ callees }) => {
  const isContext = callees.some(({ file, function: name }) =>
    /^node:(?:_tls_common|internal\/tls\/)/.test(file ?? '') && /createSecureContext|configSecureContext|SecureContext/.test(name ?? ''))
  return isContext
    ? `Each new secure context reads its certificates again. ${native.tls}`
    : null
}

/** @type {Detector} */
const detectGrowth = ({ earlier }) => {
  // A block may hold several requests, and wait for a CPU.
  const callsMs = earlier.flatMap(({ evidence: { cpuMs, requests } }) =>
    cpuMs === null ? [] : [cpuMs / Math.max(1, requests)])
  if (callsMs.length < TREND_BLOCKS) return null
  const third = Math.floor(callsMs.length / 3)
  const [first, last] = [callsMs.slice(0, third), callsMs.slice(-third)].map(median)
  if (last < GROWN * first || agreement(callsMs) < 0.5) return null
  return `Its CPU time grows: ${Math.round(first)} ms a call at first, ${Math.round(last)} ms now. ${js.growth}`
}

/** Kendall's tau: the share of pairs that grow minus the share that shrinks. @param {number[]} values */
function agreement (values) {
  const recent = values.slice(-50)
  let sum = 0
  for (const [i, value] of recent.entries()) {
    for (const later of recent.slice(i + 1)) sum += Math.sign(later - value)
  }
  return sum / (recent.length * (recent.length - 1) / 2)
}

/**
 * Every detector with its page of the docs, the most specific first.
 * @type {Record<string, { detect: Detector, doc: Cause }>}
 */
exports.detectors = {
  regexp: { detect: detectRegExp, doc: 'js' },
  json: { detect: detectJson, doc: 'native' },
  require: { detect: detectRequire, doc: 'js' },
  tls: { detect: detectTls, doc: 'native' },
  logging: { detect: detectLogging, doc: 'sync-io' },
  sync: { detect: detectSync, doc: 'sync-io' },
  mapping: { detect: detectMapping, doc: 'js' },
  template: { detect: detectTemplate, doc: 'js' },
  sort: { detect: detectSort, doc: 'native' },
  search: { detect: detectSearch, doc: 'js' },
  builtin: { detect: detectBuiltin, doc: 'native' },
  report: { detect: detectReport, doc: 'sync-io' },
  microtasks: { detect: detectMicrotasks, doc: 'js' },
  memory: { detect: detectMemory, doc: 'gc' },
  allocation: { detect: detectAllocation, doc: 'gc' },
  many: { detect: detectMany, doc: 'many' },
  growth: { detect: detectGrowth, doc: 'js' }
}
