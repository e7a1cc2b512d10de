'use strict'

const { causeRow } = require('../../tables/causes')
const { builtins, cures: { js, native, 'sync-io': syncIo } } = require('./cures')
const { REG_EXP, ROUND_TRIP, SEARCHES } = require('../source/native-call')
const { hasNestedQuantifiers, patternsIn } = require('../source/pattern')
const { isIn, packageIn, packageOf } = require('./evidence-view')

/**
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

/** @typedef {(seen: BlockView) => string | null} Detector */

/** @type {Detector} */
exports.json = (seen) => {
  if (seen.call === ROUND_TRIP) {
    return `JSON.parse(JSON.stringify()) processes the whole value twice to copy it. ${native.copy} structuredClone() copies more types, and takes about as long.`
  }
  const call = seen.call ?? (isIn(seen, ['parse', 'stringify']) ? `JSON.${seen.frames[0].function}` : null)
  if (call !== 'JSON.parse' && call !== 'JSON.stringify') return null
  const cure = call === 'JSON.parse' ? native.parse : native.stringify
  return `${call} processes the whole value before anything else runs. ${cure}`
}

/** @type {Detector} */
exports.regexp = (seen) => {
  const isRunning = seen.call === REG_EXP || SEARCHES.has(seen.call ?? '') || isIn(seen, [...SEARCHES])
  if (!isRunning) return null
  const nested = patternsIn(seen.line, seen.lines).find(hasNestedQuantifiers)
  if (nested !== undefined) {
    return `The pattern ${nested} repeats a group that repeats itself: a text that does not match takes exponentially longer with each character. ${js.nested}`
  }
  return seen.call === REG_EXP ? `A regular expression backtracks here. ${js.backtracks}` : null
}

/** @type {Detector} */
exports.builtin = (seen) => {
  const text = builtins.get(seen.call ?? '')
  return text === undefined || exports.regexp(seen) !== null ? null : `${seen.call} ${text}`
}

/** @type {Detector} */
exports.report = ({ record: { evidence }, frames }) => {
  if (!frames.some(({ file }) => file === 'node:internal/process/report')) return null
  const server = DNS_SERVER.exec(evidence.sleptIn?.target ?? '')?.[1]
  const waits = server === undefined ? '' : ` It waited for the name server ${server}.`
  // It asks to know the C library. 2.1.2 excludes the network itself.
  const isKnown = frames.some((frame) => packageOf(frame) === 'detect-libc')
  const update = isKnown ? ' detect-libc asked: update it to 2.1.2 or later, which does without.' : ''
  return `process.report asks for the DNS names of all open sockets, one after the other.${waits}${update} ${syncIo.report}`
}

/** @type {Detector} */
exports.sync = (seen) => {
  const hasTwin = (/** @type {Frame} */ frame) =>
    frame.file?.startsWith('node:') || HASHERS.test(packageOf(frame) ?? '')
  // The outermost is the one that was called: compareSync calls hashSync.
  const known = seen.callees.filter(hasTwin).map(({ function: name }) => name?.split('.').pop() ?? '').reverse()
  const inLine = seen.call === null || !twins.has(seen.call) ? seen.line.match(/[\w$]+Sync(?=\s*\()/g) ?? [] : []
  // A line alone proves nothing about a block that computed in JavaScript.
  const fromLine = causeRow(seen.record.cause).isScript ? [] : inLine
  const name = [seen.call ?? '', ...known, ...fromLine].find((each) => twins.has(each))
  if (name !== undefined) return `${name} blocks the loop until it is done. ${twins.get(name)} does the same on another thread.`
  const isSql = causeRow(seen.record.cause).isCall === true && SQL_METHOD.test(seen.line)
  const database = seen.callees.map((frame) => packageOf(frame) ?? frame.file ?? '').find((each) => SYNC_DATABASE.test(each)) ??
    (isSql ? DATABASE_MODULE.exec(seen.lines.join('\n'))?.[2] : undefined)
  return database === undefined ? null : `${database} has only synchronous calls. ${syncIo.database}`
}

/** @type {Detector} */
exports.mapping = (seen) => {
  const name = packageIn(seen, MAPPERS)
  return name === undefined ? null : `${name} makes an object of every row. ${js.mapping}`
}

/** @type {Detector} */
exports.template = (seen) => {
  const name = packageIn(seen, TEMPLATES)
  return name === undefined ? null : `${name} renders the whole page in one turn. ${js.template}`
}

/** @type {Detector} */
exports.sort = (seen) => {
  const isSort = ['sort', 'toSorted'].includes(seen.call ?? '') || isIn(seen, ['sort', 'toSorted'])
  const isComparing = /\.(?:sort|toSorted)\s*\(.*=>/.test(seen.line) && causeRow(seen.record.cause).isScript === true
  const compares = /\.(?:sort|toSorted)\s*\(/.test(seen.line) && /localeCompare/.test(seen.line)
  if (isComparing && !compares) return `The comparator runs for every pair that is compared. ${native.keys}`
  if (!isSort && !compares) return null
  return compares
    ? `localeCompare builds its rules at every comparison. ${native.compare}`
    : `The whole list is sorted in one turn. ${native.sort}`
}

/** @type {Detector} */
exports.search = (seen) => {
  const name = SEARCH.exec(seen.line)?.[1]
  // The table of built-ins has advice for some.
  if (name === undefined || !causeRow(seen.record.cause).isScript || !isInLoop(seen.near) || builtins.has(seen.call ?? '')) return null
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
exports.HASHERS = HASHERS
exports.twins = twins
exports.SYNC_DATABASE = SYNC_DATABASE
