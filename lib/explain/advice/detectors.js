'use strict'

const { causeRow, ownMsOf } = require('../../tables/causes')
const { garbageOf } = require('../../util/memory-text')
const { median } = require('../../util/statistics')
const { ownerOf } = require('../../util/code-owner')
const { mayCallOther, REG_EXP, ROUND_TRIP, SEARCHES } = require('../source/native-call')
const { hasNestedQuantifiers, hasOverlap, patternsIn } = require('../source/pattern')
const { ENOUGH_SAMPLES } = require('../../tables/limits')
const { builtins, cures: { js, native, 'sync-io': syncIo, gc, many } } = require('./cures')
const { areMost, isIn, loopAround, mostOf, packageIn, packageOf, MANY_CALLS } = require('./evidence-view')

/**
 * @import { Cause } from '../../tables/causes'
 * @import { Frame } from '../../types'
 * @import { BlockView } from './evidence-view'
 */

/** Packages that make objects of rows or documents. */
const MAPPERS = new Set([
  'sequelize', 'typeorm', 'mongoose', '@prisma/client', '@mikro-orm/core', 'objection', 'bookshelf', 'waterline'
])
const TEMPLATES = new Set([
  'ejs', 'handlebars', 'pug', 'nunjucks', 'mustache', 'eta', 'react-dom', '@vue/server-renderer', 'liquidjs'
])

/** A method that goes through a list, and code that may do so at each step. */
const SEARCH = /\.(find|findIndex|findLast|findLastIndex|includes|indexOf|lastIndexOf)\s*\(/
const LOOP = /\b(?:for|while)\s*(?:await\s*)?\(|\.(?:map|forEach|filter|flatMap|reduce|some|every)\s*\(/
/** A module named in a source, and methods that run SQL. */
const DATABASE_MODULE = /(['"])(better-sqlite3|node:sqlite)\1/
const SQL_METHOD = /\.(?:all|get|run|exec|iterate)\s*\(/
const SORTS = ['sort', 'toSorted']

/** If collections have this share of a block, they are its reason. */
const STORM_SHARE = 0.4
/** The other end of a socket on which a name server answers. */
const DNS_SERVER = /socket to (\S+):53$/
/** In place of a package's name: the blamed function. */
const HERE = ''

/** @typedef {(view: BlockView) => [claim: string, cure: string] | null} Detector */

/** @type {Detector} */
const detectJson = (view) => {
  // A package that has most of the time does more than to parse.
  if (view.record.package) return null
  if (view.call === ROUND_TRIP) {
    return ['JSON.parse(JSON.stringify()) processes the whole value twice to copy it.', native.copy]
  }
  const inside = ['parse', 'stringify'].find((name) => isIn(view, name))
  const call = view.call ?? (inside && `JSON.${inside}`)
  if (call !== 'JSON.parse' && call !== 'JSON.stringify') return null
  if (view.times === MANY_CALLS) return ['JSON.parse was called many times in one turn.', native.often]
  const cure = call === 'JSON.parse' ? native.parse : native.stringify
  return [`${call}${view.times} processes the whole value before anything else runs.`, cure]
}

/** The package, if any, whose call of a regular expression has most of the time. @param {BlockView} view */
const searcherIn = (view) => mostOf(view, ([innermost, caller], frames) => {
  // Answers come from within a regular expression, and from no other search.
  const isSearch = view.isScript && SEARCHES.has(`${innermost?.function}`)
  if (innermost?.file !== null || !(isSearch || innermost.function === REG_EXP)) return null
  return caller === undefined ? HERE : packageOf(caller)
})

/** @type {Detector} */
const detectRegExp = (view) => {
  const { call } = view
  const searcher = call === null ? searcherIn(view) : call === REG_EXP || SEARCHES.has(call) ? HERE : null
  if (searcher === null) return null
  const patterns = searcher === HERE ? patternsIn(view.line, view.lines) : []
  const nested = patterns.find(hasNestedQuantifiers)
  if (nested !== undefined) return [`The pattern ${nested} repeats a group that repeats itself.`, js.nested]
  const overlapping = patterns.find(hasOverlap)
  if (overlapping !== undefined) {
    return [`Parts of the pattern ${overlapping} repeat the same characters one after the other.`, js.neighbours]
  }
  if (call !== null && call !== REG_EXP) return null
  const whose = searcher === HERE ? '' : ` of ${searcher}`
  const backtracks = patterns.length === 0 ? 'backtracks, ' : ''
  return [`A regular expression${whose} ${backtracks}runs often or searches a long text.`, js.pattern]
}

/** @type {Detector} */
const detectBuiltin = (view) => {
  const text = builtins.get(`${view.call}`)
  return text === undefined || detectRegExp(view) ? null : [`${view.call}${view.times}`, text]
}

/** @type {Detector} */
const detectReport = (view) => {
  const asker = mostOf(view, (_, frames) => frames.some(({ file }) => file === 'node:internal/process/report')
    ? frames.map(packageOf).find((name) => name === 'detect-libc') ?? HERE
    : null)
  if (asker === null) return null
  const server = DNS_SERVER.exec(view.record.evidence.sleptIn?.target ?? '')?.[1]
  const waits = server === undefined ? '' : ` It waited for the name server ${server}.`
  // It wants to know the C library. 2.1.2 excludes the network itself.
  const update = asker === HERE ? '' : ' detect-libc asked: update it to 2.1.2 or later, which does without.'
  return [`process.report asks for the DNS names of all open sockets one by one.${waits}${update}`, syncIo.report]
}

/** @type {Detector} */
const detectSync = (view) => {
  const { call, line, lines, record: { cause } } = view
  if (detectRequire(view) || detectLogging(view)) return null
  const isCall = causeRow(cause).isCall === true
  // The outermost is the one that was called: compareSync calls hashSync.
  const callee = mostOf(view, (callees) => callees
    .filter((frame) => frame.file?.startsWith('node:') || HASHERS.test(`${packageOf(frame)}`)).map(lastNameOf)
    .findLast((name) => twins.has(name)))
  // A line alone proves nothing about a block that computed in JavaScript.
  const inLine = isCall && call === null ? line.match(/[\w$]+Sync(?=\s*\()/g) ?? [] : []
  const name = [call ?? '', callee ?? '', ...inLine].find((each) => twins.has(each))
  if (name !== undefined) {
    return [`${name}${view.times} blocks the loop until it is done.`, `${twins.get(name)} does not block it.`]
  }
  const database = mostOf(view, (callees) =>
    callees.map((frame) => packageOf(frame) ?? `${frame.file}`).find((each) => SYNC_DATABASE.test(each))) ??
    (isCall && call === null && SQL_METHOD.test(line) ? DATABASE_MODULE.exec(lines.join('\n'))?.[2] : undefined)
  return database === undefined ? null : [`${database} has only synchronous calls.`, syncIo.database]
}

/** `log` of `exports.log`. @param {Frame} frame */
const lastNameOf = ({ function: name }) => name?.split('.').pop() ?? ''

/**
 * If one of some packages did the work.
 * @param {Set<string>} names @param {string} does @param {string} cure @returns {Detector}
 */
const ofPackages = (names, does, cure) => (view) => {
  const name = packageIn(view, names)
  return name === null ? null : [`${name} ${does}`, cure]
}

/** @type {Detector} */
const detectSort = (view) => {
  const isSort = SORTS.includes(`${view.call}`) || isIn(view, ...SORTS)
  if ((isSort || view.call === 'localeCompare') && /sort.*localeCompare/i.test(view.line)) {
    return ['localeCompare builds its rules at every comparison.', native.compare]
  }
  const isComparing = areMost(view, (callees, frames) =>
    frames.slice(callees.length).some(({ file, function: name }) => file === null && SORTS.includes(`${name}`)))
  if (isComparing) return ['The comparator runs for every pair that is compared.', native.keys]
  return isSort ? ['The whole list is sorted in one turn.', native.sort] : null
}

/** @type {Detector} */
const detectSearch = (view) => {
  const name = SEARCH.exec(view.line)?.[1]
  // The table of built-ins has advice for some.
  if (name === undefined || !view.isScript || builtins.has(`${view.call}`) || mayCallOther(view.line)) return null
  return LOOP.test(view.line) || loopAround(view) !== null
    ? [`${name} goes through the list at each step of a loop: twice the data takes four times as long.`, js.search]
    : null
}

/** @param {string} names @param {(name: string) => string} twinOf @returns {[string, string][]} */
const each = (names, twinOf) => names.split(' ').map((name) => [`${name}Sync`, twinOf(name)])

/** Synchronous functions of Node.js, each with its non-blocking equivalent. @type {Map<string, string>} */
const twins = new Map([
  ...each(
    'access appendFile chmod chown copyFile cp glob link lstat lutimes mkdir mkdtemp open opendir readFile readdir ' +
    'readlink realpath rename rm rmdir stat statfs symlink truncate unlink utimes writeFile',
    (name) => `fs.promises.${name}`),
  ...each(
    'close fchmod fchown fdatasync fstat fsync ftruncate futimes read readv write writev',
    (name) => `FileHandle.${name.replace(/^f/, '')} (fs.promises.open)`),
  ...each('exists', () => 'fs.promises.access'),
  ...each(
    'pbkdf2 scrypt hkdf generateKeyPair generateKey randomFill checkPrime generatePrime argon2',
    (name) => `crypto.${name} with a callback`),
  ...each(
    'gzip gunzip deflate inflate deflateRaw inflateRaw unzip brotliCompress brotliDecompress zstdCompress zstdDecompress',
    (name) => `zlib.${name} with a callback (or a stream)`),
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
const detectRequire = (view) => {
  const { startup, profile } = view.record
  const isLoading = profile?.call === 'require' || areMost(view, (_, frames) => frames.some(isLoader))
  return isLoading && !startup
    ? ['A module is loaded while the application serves: its files are read and compiled on the loop.', js.require]
    : null
}

/** Functions of the loader mostly have no names. @param {Frame} frame */
const isLoader = ({ file, function: name }) => file === 'node:internal/modules/cjs/loader' ||
  (file === 'node:internal/modules/helpers' && name === 'require')

/** @type {Detector} */
const detectMany = ({ record: { cause, evidence } }) => {
  if (cause !== 'many' && evidence.requests < MANY) return null
  const who = evidence.requests > 1 ? `${evidence.requests} requests` : 'Many callbacks'
  return [`${who} ran in a row before the loop came round again.`, many.many]
}

/** @type {Detector} */
const detectAllocation = ({ record: { cause, durationMs, evidence: { gcMs, memory } } }) => {
  if (memory?.isHeapFull) return null
  if (!causeRow(cause).blamesAllocation && gcMs < STORM_SHARE * durationMs) return null
  return [`The garbage collector took ${Math.round(100 * Math.min(1, gcMs / durationMs))}% of the time.`, gc.allocation]
}

/** @type {Detector} */
const detectMemory = ({ record }) => {
  const { evidence: { memory } } = record
  const reason = memory?.isHeapFull ? garbageOf(record) : null
  return reason === null ? null : [`${reason[0].toUpperCase()}${reason.slice(1)}.`, gc.memory]
}

/** @type {Detector} */
const detectLogging = (view) => {
  const { record: { cause, evidence: { sleptIn } } } = view
  if (causeRow(cause).blamesAllocation) return null
  if (sleptIn?.call === 'write' && FULL_PIPE.test(sleptIn.target ?? '')) {
    return [`The reader of ${sleptIn.target} does not keep up, and the thread waits for room.`, syncIo.logging]
  }
  const logger = mostOf(view, (callees) => {
    if (callees.some(({ file }) => file?.startsWith('node:internal/console/'))) return 'console'
    const isWriting = callees.some((frame) => WRITES.has(lastNameOf(frame)))
    return isWriting ? callees.map(packageOf).find((name) => name !== null && LOGGERS.has(name)) : null
  })
  return logger === null
    ? null
    : [`${logger} writes synchronously to files, and to terminals and pipes on some systems.`, syncIo.logging]
}

/**
 * A loop whose every step awaits, and samples in several steps: continuations of two functions, or prompt answers
 * in the loop itself. A call that answers while it runs, such as JSON.stringify, may be a single step.
 * @type {Detector}
 */
const detectMicrotasks = (view) => {
  const { callbacks = [], samples } = view.record
  const loop = loopAround(view)
  if (!loop?.isLoop || !/\bawait\b/.test(loop.text)) return null
  const isSeveral = callbacks.filter(({ kind }) => kind === 'continuation').length > 1 ||
    (view.call === null && (view.isPrompt || (view.isScript && samples > ENOUGH_SAMPLES)) && !isIn(view, 'stringify'))
  const isResumed = areMost(view, (_, frames) => {
    const outermost = frames.findIndex((frame) => ownerOf(frame) !== 'node')
    const caller = frames[outermost + 1]
    return outermost !== -1 &&
      (!caller || caller.async || caller.function === 'runMicrotasks' || caller.file === MICROTASKS)
  })
  return isSeveral && isResumed
    ? ['await yields only to other promises: a loop over available values never lets the loop run.', js.microtasks]
    : null
}

/** @type {Detector} */
const detectTls = (view) => {
  const isContext = areMost(view, (callees) => callees.some(({ file, function: name }) =>
    /^node:(?:_tls_common|internal\/tls\/)/.test(`${file}`) && /(?:create|config|^)SecureContext/.test(`${name}`)))
  return isContext ? ['Each new secure context reads its certificates again.', native.tls] : null
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
  return [`Its CPU time grows: ${Math.round(first)} ms a call at first, ${Math.round(last)} ms now.`, js.growth]
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

/** @type {Detector} */
const detectComputes = ({ record }) => {
  const { cause, frame, package: owner, startup } = record
  const { isOnCpu, hasCallback } = causeRow(cause)
  if (!isOnCpu || !hasCallback || startup) return null
  if (owner) return [`${owner.name} computes in one turn.`, js.package]
  if (frame === null || ownerOf(frame) !== 'application') return null
  const name = (frame.exact && frame.function) || 'This code'
  return [`${name} computes for ${Math.round(ownMsOf(record))} ms in one turn.`, js.split]
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
  mapping: { detect: ofPackages(MAPPERS, 'makes an object of every row.', js.mapping), doc: 'js' },
  template: { detect: ofPackages(TEMPLATES, 'renders the whole page in one turn.', js.template), doc: 'js' },
  sort: { detect: detectSort, doc: 'native' },
  search: { detect: detectSearch, doc: 'js' },
  builtin: { detect: detectBuiltin, doc: 'native' },
  report: { detect: detectReport, doc: 'sync-io' },
  microtasks: { detect: detectMicrotasks, doc: 'js' },
  memory: { detect: detectMemory, doc: 'gc' },
  allocation: { detect: detectAllocation, doc: 'gc' },
  many: { detect: detectMany, doc: 'many' },
  growth: { detect: detectGrowth, doc: 'js' },
  computes: { detect: detectComputes, doc: 'js' }
}
