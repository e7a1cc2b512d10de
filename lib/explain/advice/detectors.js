'use strict'

const { causeRow, ownMsOf } = require('../../tables/causes')
const { garbageOf, sharesText } = require('../../util/memory-text')
const { issueText, LOCK_WAIT } = require('../../util/place-text')
const { queryText } = require('../../util/sentence')
const { median, sumOf } = require('../../util/statistics')
const { ownerOf } = require('../../util/code-owner')
const { isForeign } = require('../frame')
const { isNativeBlock } = require('../parts')
const { ROUND_TRIP } = require('../source/builtins')
const { mayCallOther, REG_EXP, SEARCHES } = require('../source/line-text')
const { hasNestedQuantifiers, hasOverlap, patternsIn } = require('../source/pattern')
const { ENOUGH_SAMPLES, MOST } = require('../../tables/limits')
const { areIn, areMost, calls, loopText, mostOf } = require('./block-view')
const { builtins, cures: { js, native, 'sync-io': syncIo, gc, many } } = require('./cures')

/**
 * @import { Cause } from '../../tables/causes'
 * @import { Frame } from '../../types'
 * @import { BlockView } from './block-view'
 */

const LOGGER = /^npm:(sonic-boom|pino|winston|bunyan|log4js|loglevel|signale) /m
/** Functions of Node.js and of packages that may be among `TWINS`. */
const SYNC_CALL = /^(?:node:\S*|npm:bcrypt|npm:bcryptjs) (?:.*\.)?(\w+)$/gm
/** A package and a module of Node.js that have only synchronous calls to a database file. */
const SYNC_DATABASE = /^(?:npm:)?(better-sqlite3|node:sqlite) /m
const DATABASE_MODULE = /(['"])(better-sqlite3|node:sqlite)\1/
const SQL_METHOD = /\.(?:all|get|run|exec|iterate)\s*\(/

/** A method that goes through a list, and code that may do so at each step. */
const SEARCH = /\.(find|findIndex|findLast|findLastIndex|includes|indexOf|lastIndexOf)\s*\(/
const LOOP = /\b(?:for|while)\s*(?:await\s*)?\(|\.(?:map|forEach|filter|flatMap|reduce|some|every)\s*\(/
/** A statement, as callbacks of `map` and others are separate functions. */
const AWAITING_LOOP = /^\s*(?:\w+:\s*)?(?:for|while|do)\b.*\bawait\b/s

/** The caller of a function that continues after an await. */
const RESUMES = /^node:internal\/process\/task_queues | runMicrotasks$/
/** @param {Frame | undefined} frame */
const isResumer = (frame) => RESUMES.test(`${frame?.file} ${frame?.function}`)
const WRITE = /[ .](?:writeSync|flushSync|writeUtf8String|writeBuffer|writeString)$/m
/** stdout or stderr, if it is not a file. */
const FULL_PIPE = /^fd [12] \((?!\/)/

/** Share of collections in a block from which on they are its reason. */
const STORM_SHARE = 0.4

/** Requests in one turn that are many. */
const MANY = 5
/** Blocks that make a trend. */
const TREND_BLOCKS = 6
/** Factor by which the last third must be longer than the first one. */
const GROWN = 1.5
/** Blocks of which each is compared with all later ones. */
const RECENT = 50

/** Synchronous functions of Node.js and bcrypt, each with its non-blocking equivalent. */
const TWINS = /** @type {[RegExp, string][]} */ ([
  [/^(access|appendFile|chmod|chown|copyFile|cp|glob|link|lstat|lutimes|mkdir|mkdtemp|open)Sync$/, 'fs.promises.$1'],
  [/^(opendir|readFile|readdir|readlink|realpath|rename|rm|rmdir|stat|statfs|symlink)Sync$/, 'fs.promises.$1'],
  [/^(truncate|unlink|utimes|writeFile)Sync$/, 'fs.promises.$1'],
  [/^existsSync$/, 'fs.promises.access'],
  [/^f?(close|chmod|chown|datasync|stat|sync|truncate|utimes|readv?|writev?)Sync$/, 'FileHandle.$1 (fs.promises.open)'],
  [/^(pbkdf2|scrypt|hkdf|argon2|randomFill)Sync$/, 'crypto.$1 with a callback'],
  [/^(generateKeyPair|generateKey|generatePrime|checkPrime)Sync$/, 'crypto.$1 with a callback'],
  [/^(gzip|gunzip|unzip|(?:deflate|inflate)(?:Raw)?)Sync$/, 'zlib.$1 with a callback (or a stream)'],
  [/^((?:brotli|zstd)(?:Compress|Decompress))Sync$/, 'zlib.$1 with a callback (or a stream)'],
  // bcryptjs has them as well, but no threads.
  [/^(hash|compare|genSalt)Sync$/, '$1() of bcrypt'],
  [/^(exec|execFile|spawn)Sync$/, 'child_process.$1']
])

/**
 * @typedef {[claim: string, cure: string, link?: string] | null | undefined | false | ''} Advice
 * @typedef {(view: BlockView, kinds: string[]) => Advice} Detector `kinds` are those of the advice before
 */

/**
 * Advice on packages that did the work.
 * @param {RegExp} names @param {string} does @param {string} cure @returns {Detector}
 */
const ofPackages = (names, does, cure) => (view) => {
  const nameIn = (/** @type {string} */ text) => names.exec(text)?.[1]
  const name = nameIn(`npm:${view.record.package?.name} `) ?? mostOf(view, ({ callees }) => nameIn(callees))
  return name && [`${name} ${does}`, cure]
}

/**
 * Every detector with its page of the docs, the most specific first.
 * @type {Record<string, { doc: Cause, detect: Detector }>}
 */
exports.detectors = {
  packageIssue: {
    doc: 'js',
    detect: ({ record: { packageIssue: issue } }) => issue && [`${issueText(issue)}.`, issue.text, issue.link]
  },
  size: {
    doc: 'js',
    detect: ({ growth }) => growth && [`${growth}.`, growth.includes('grows') ? js.size : js.constant]
  },
  regexp: {
    doc: 'js',
    detect (view) {
      const { call, isScript, line, lines } = view
      // The package that calls it, empty without one. Only scripts answer from within other searches.
      const caller = mostOf(view, ({ callees }) => {
        const [, builtin = '', name = ''] = /^null (.*)(?:\nnpm:(\S+) |$)/.exec(callees) ?? []
        return builtin === REG_EXP || (isScript && SEARCHES.has(builtin)) ? name : null
      })
      const isSearch = call === null ? caller !== null : call === REG_EXP || SEARCHES.has(call)
      if (!isSearch) return null
      const whose = call === null && caller ? ` of ${caller}` : ''
      const patterns = whose === '' ? patternsIn(line, lines) : []
      const nested = patterns.find(hasNestedQuantifiers)
      if (nested) return [`The pattern ${nested} repeats a group that repeats itself.`, js.nested]
      const overlapping = patterns.find(hasOverlap)
      if (overlapping) {
        return [`Parts of the pattern ${overlapping} repeat the same characters one after the other.`, js.neighbours]
      }
      if (call !== null && call !== REG_EXP) return null
      const backtracks = patterns.length === 0 ? 'backtracks, ' : ''
      return [`A regular expression${whose} ${backtracks}runs often or searches a long text.`, js.pattern]
    }
  },
  json: {
    doc: 'native',
    detect (view) {
      const { call, isPrompt, record, times } = view
      // A package that has most of the time does more than to parse.
      if (record.package) return null
      if (call === ROUND_TRIP) {
        return ['JSON.parse(JSON.stringify()) processes the whole value twice to copy it.', native.copy]
      }
      // JSON.parse answers nothing while it runs: several prompt answers come from between many calls.
      if (call === 'JSON.parse' && isPrompt && !isNativeBlock(record)) {
        return ['JSON.parse was called many times in one turn.', native.often]
      }
      const method = /** @type {const} */ (['parse', 'stringify']).find((name) => calls(view, `JSON.${name}`))
      return method && [`JSON.${method}${times} processes the whole value before anything else runs.`, native[method]]
    }
  },
  require: {
    doc: 'js',
    // Functions of the loader mostly have no names.
    detect: (view) => !view.record.startup && (view.record.profile?.call === 'require' ||
      areIn(view, /^node:internal\/modules\/(?:cjs\/loader |helpers require$)/m)) &&
      ['A module is loaded while the application serves: its files are read and compiled on the loop.', js.require]
  },
  tls: {
    doc: 'native',
    detect: (view) => areIn(view, /^node:(?:_tls_common|internal\/tls\/).*(?:create|config| )SecureContext/m) &&
      ['Each new secure context reads its certificates again.', native.tls]
  },
  logging: {
    doc: 'sync-io',
    detect (view) {
      const { cause, evidence: { sleptIn } } = view.record
      if (causeRow(cause).blamesAllocation) return null
      if (sleptIn?.call === 'write' && FULL_PIPE.test(`${sleptIn.target}`)) {
        return [`The reader of ${sleptIn.target} does not keep up, and the thread waits for room.`, syncIo.logging]
      }
      const logger = mostOf(view, ({ callees }) =>
        (/^node:internal\/(console)\//m.exec(callees) ?? (WRITE.test(callees) ? LOGGER.exec(callees) : null))?.[1])
      return logger &&
        [`${logger} writes synchronously to files, and to terminals and pipes on some systems.`, syncIo.logging]
    }
  },
  lock: {
    doc: 'sync-io',
    detect: ({ record: { evidence: { sleptIn } } }) => sleptIn?.text.startsWith(LOCK_WAIT) &&
      [`The thread ${sleptIn.text}. Another connection is writing, maybe one of this process.`, syncIo.lock]
  },
  sync: {
    doc: 'sync-io',
    detect (view, kinds) {
      if (['require', 'logging', 'lock'].some((kind) => kinds.includes(kind))) return null
      const { query } = view.record
      if (query) return [`node:sqlite has only synchronous calls; ${queryText(query)}.`, syncIo.database]
      // A line alone proves nothing about a block that computed in JavaScript.
      const line = view.isCall && view.call === null ? view.line : ''
      const twinOf = (/** @type {string} */ name) => TWINS.find(([names]) => names.test(name))
      // The outermost is the one that was called: compareSync calls hashSync.
      const callee = mostOf(view, ({ callees }) =>
        [...callees.matchAll(SYNC_CALL)].map(([, name]) => name).findLast(twinOf))
      const name = [view.call ?? '', callee ?? '', ...line.match(/[\w$]+Sync(?=\s*\()/g) ?? []].find(twinOf)
      const twin = name && twinOf(name)
      if (twin) {
        return [`${name}${view.times} blocks the loop until it is done.`, `${name.replace(...twin)} does not block it.`]
      }
      const database = mostOf(view, ({ callees }) => SYNC_DATABASE.exec(callees)?.[1]) ??
        (SQL_METHOD.test(line) ? DATABASE_MODULE.exec(view.lines.join('\n'))?.[2] : null)
      return database && [`${database} has only synchronous calls.`, syncIo.database]
    }
  },
  mapping: {
    doc: 'js',
    detect: ofPackages(
      /^npm:(sequelize|typeorm|mongoose|@prisma\/client|@mikro-orm\/core|objection|bookshelf|waterline) /m,
      'turns every row into an object.',
      js.mapping
    )
  },
  template: {
    doc: 'js',
    detect: ofPackages(
      /^npm:(ejs|handlebars|pug|nunjucks|mustache|eta|react-dom|@vue\/server-renderer|liquidjs) /m,
      'renders the whole page in one turn.',
      js.template
    )
  },
  sort: {
    doc: 'native',
    detect (view) {
      const isSort = calls(view, 'sort', 'toSorted')
      if ((isSort || view.call === 'localeCompare') && /sort.*localeCompare/i.test(view.line)) {
        return ['localeCompare builds its rules at every comparison.', native.compare]
      }
      const isComparing = areMost(view, ({ callers }) => /\nnull (?:sort|toSorted)$/m.test(callers))
      if (isComparing) return ['The comparator runs for every pair that is compared.', native.keys]
      // Stacks of one block may be of several lines.
      const isHere = view.call !== null || /^$|sort/i.test(view.line)
      return isSort && isHere && ['The whole list is sorted in one turn.', native.sort]
    }
  },
  search: {
    doc: 'js',
    detect (view) {
      const { call, isScript, line } = view
      const name = SEARCH.exec(line)?.[1]
      // The table of built-ins has advice for some.
      if (!name || !isScript || builtins.has(`${call}`) || mayCallOther(line)) return null
      return (LOOP.test(line) || loopText(view) !== '') &&
        [`${name} goes through the list at each step of a loop: twice the data takes four times as long.`, js.search]
    }
  },
  builtin: {
    doc: 'native',
    detect ({ call, times }, kinds) {
      const cure = builtins.get(`${call}`)
      const name = call === 'spread' ? call : `${call}()`
      return cure && !kinds.includes('regexp') && [`${name}${times}`, cure]
    }
  },
  report: {
    doc: 'sync-io',
    detect (view) {
      const server = /socket to (\S+):53$/.exec(`${view.record.evidence.sleptIn?.target}`)?.[1]
      const waits = server === undefined ? '' : ` The report waited for the name server ${server}.`
      // detect-libc reads which C library there is. 2.1.2 excludes the network itself.
      const update = areIn(view, /^npm:detect-libc /m)
        ? ' detect-libc asked: update it to 2.1.2 or later, which does without.'
        : ''
      return areIn(view, /^node:internal\/process\/report /m) &&
        [`process.report asks for the DNS names of all open sockets one by one.${waits}${update}`, syncIo.report]
    }
  },
  /**
   * A loop whose every step awaits, and samples in several steps: continuations of two functions, answers between
   * steps, or prompt ones in the loop itself. A call that answers while it runs, such as JSON.stringify, may be one
   * step.
   */
  microtasks: {
    doc: 'js',
    detect (view) {
      const { call, isPrompt, isScript, record: { callbacks = [], samples, stacks } } = view
      if (!AWAITING_LOOP.test(loopText(view))) return null
      const between = stacks.filter(({ frames }) => isResumer(frames[0]))
      const isSeveral = callbacks.filter(({ kind }) => kind === 'continuation').length > 1 ||
        sumOf(between, 'count') >= ENOUGH_SAMPLES ||
        (call === null && (isPrompt || (isScript && samples > ENOUGH_SAMPLES)))
      const isResumed = areMost(view, ({ frames }) => {
        const innermost = frames.findIndex(isForeign)
        const caller = frames[innermost + 1]
        return caller ? caller.async || isResumer(caller) : innermost !== -1
      })
      return isSeveral && isResumed &&
        ['await yields only to other promises: a loop over available values never lets the loop run.', js.microtasks]
    }
  },
  memory: {
    doc: 'gc',
    detect ({ record }) {
      const reason = record.evidence.memory?.isHeapFull && garbageOf(record)
      return reason && [`${reason[0].toUpperCase()}${reason.slice(1)}.`, gc.memory]
    }
  },
  allocation: {
    doc: 'gc',
    detect ({ record: { cause, durationMs, parts, evidence: { gcMs, memory } } }) {
      const isStorm = causeRow(cause).blamesAllocation || gcMs >= STORM_SHARE * durationMs
      // Pauses include waits for a CPU. The parts, which the log and the page show, count those apart.
      const share = Math.round(100 * Math.min(1, (parts?.gc ?? gcMs) / durationMs))
      const allocators = memory?.heapProfile?.allocatedBy
      const by = allocators ? ` By a heap profile, memory was allocated: ${sharesText(allocators)}.` : ''
      return isStorm && !memory?.isHeapFull &&
        [`The garbage collector took ${share}% of the time.${by}`, gc.allocation]
    }
  },
  many: {
    doc: 'many',
    detect: ({ record: { cause, evidence: { requests } } }) => (cause === 'many' || requests >= MANY) &&
      [`${requests} requests ran in a row before the event loop got a turn.`, many.many]
  },
  growth: {
    doc: 'js',
    detect ({ earlier }) {
      // A block may hold several requests, and wait for a CPU.
      const callsMs = earlier.flatMap(({ evidence: { cpuMs, requests } }) =>
        cpuMs === null ? [] : [cpuMs / Math.max(1, requests)])
      if (callsMs.length < TREND_BLOCKS) return null
      const third = Math.floor(callsMs.length / 3)
      const [first, last] = [callsMs.slice(0, third), callsMs.slice(-third)].map(median)
      const recent = callsMs.slice(-RECENT)
      const rises = recent.flatMap((ms, i) => recent.slice(i + 1).map((later) => later > ms))
      return last >= GROWN * first && rises.filter(Boolean).length >= MOST * rises.length &&
        [`The CPU time per call grows: ${Math.round(first)} ms at first, ${Math.round(last)} ms now.`, js.growth]
    }
  },
  computes: {
    doc: 'js',
    detect ({ record }, kinds) {
      const { cause, frame, package: owner, startup } = record
      const { isOnCpu, hasCallback } = causeRow(cause)
      if (kinds.some((kind) => kind !== 'size') || !isOnCpu || !hasCallback || startup) return null
      if (owner) return [`${owner.name} computes in one turn.`, js.package]
      if (!frame || ownerOf(frame) !== 'application') return null
      const name = (frame.exact && frame.function) || 'This code'
      return [`${name} computes for ${Math.round(ownMsOf(record))} ms in one turn.`, js.split]
    }
  }
}
