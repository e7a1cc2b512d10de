'use strict'

const { builtins } = require('./builtins')
const { SYNC_DATABASE, twins } = require('./async-alternatives')
const { REG_EXP, ROUND_TRIP, SEARCHES } = require('../source/native-call')
const { hasNestedQuantifiers, patternsIn } = require('../source/pattern')
const { isIn, packageOf } = require('./evidence-view')

const REG_EXP_CALLS = [...SEARCHES]
/** Packages that make objects of rows or documents. */
const MAPPERS = new Set(['sequelize', 'typeorm', 'mongoose', '@prisma/client', '@mikro-orm/core', 'objection', 'bookshelf', 'waterline'])
const TEMPLATES = new Set(['ejs', 'handlebars', 'pug', 'nunjucks', 'mustache', 'eta', 'react-dom', '@vue/server-renderer', 'liquidjs'])

/** @typedef {import('./evidence-view').Seen} Seen */
/** @typedef {(seen: Seen) => string | null} Detector */

/** @type {Detector} */
exports.json = (seen) => {
  if (seen.call === ROUND_TRIP) {
    return 'JSON.parse(JSON.stringify()) works through the whole value twice to copy it. Copy only the part that you change, or share the value and do not change it. structuredClone() copies more types, and takes about as long.'
  }
  const named = /^JSON\.(?:parse|stringify)$/.exec(seen.call ?? '')?.[0]
  const innermost = isIn(seen, ['parse', 'stringify']) ? `JSON.${seen.frames[0].function}` : null
  const call = named ?? (seen.call === null ? innermost : null)
  if (call === null) return null
  const cure = call === 'JSON.parse'
    ? 'Ask for less of the document, take it in pages or line by line, stream it (stream-json), or parse it in a worker thread.'
    : 'Send less or page it, keep the finished text if it is asked for again, stream it, or build it in a worker thread.'
  return `${call} works through the whole value before anything else runs. ${cure}`
}

/** @type {Detector} */
exports.regexp = (seen) => {
  const isRunning = seen.call === REG_EXP || REG_EXP_CALLS.includes(seen.call ?? '') || isIn(seen, REG_EXP_CALLS)
  if (!isRunning) return null
  const nested = patternsIn(seen.line, seen.lines).find(hasNestedQuantifiers)
  if (nested !== undefined) {
    return `The pattern ${nested} repeats a group that repeats itself: a text that does not match takes exponentially longer with each character. Write it without the inner repetition, limit the length of the text first, or use an engine of linear time (re2).`
  }
  return seen.call === REG_EXP
    ? 'A regular expression backtracks here. Look for repeated groups and for alternatives that match the same text, and limit the length of the text first.'
    : null
}

/** @type {Detector} */
exports.builtin = (seen) => {
  const text = builtins.get(seen.call ?? '')
  return text === undefined || exports.regexp(seen) !== null ? null : `${seen.call} ${text}`
}

/** @type {Detector} */
exports.report = ({ callees }) => callees.some(({ file }) => file === 'node:internal/process/report')
  ? 'process.report asks for the DNS names of all open sockets, one after the other. Set process.report.excludeNetwork = true before (Node.js 20.13 and 22).'
  : null

/** @type {Detector} */
exports.sync = (seen) => {
  const ofNode = seen.callees.filter(({ file }) => file?.startsWith('node:')).map(({ function: name }) => name?.split('.').pop() ?? '')
  const inLine = seen.call === null || !twins.has(seen.call) ? seen.line.match(/[\w$]+Sync(?=\s*\()/g) ?? [] : []
  // A line alone proves nothing about a block that computed in JavaScript.
  const fromLine = seen.record.cause === 'js' ? [] : inLine
  const name = [seen.call ?? '', ...ofNode, ...fromLine].find((each) => twins.has(each))
  if (name !== undefined) return `${name} keeps the loop until it is done. ${twins.get(name)} does the same on another thread.`
  const database = seen.callees.map((frame) => packageOf(frame) ?? frame.file ?? '').find((each) => SYNC_DATABASE.test(each))
  return database === undefined
    ? null
    : `${database} has only synchronous calls. Give the query an index and a limit, and run long ones in a worker thread with a connection of its own.`
}

/** @type {Detector} */
exports.mapping = ({ record, callees }) => {
  const names = [record.package?.name, ...callees.map(packageOf)]
  const name = names.find((each) => each !== null && each !== undefined && MAPPERS.has(each))
  return name === undefined
    ? null
    : `${name} makes an object of every row. Ask for fewer rows and columns (limit, select), take them in pages, or have plain rows instead (lean(), raw: true).`
}

/** @type {Detector} */
exports.template = ({ record, callees }) => {
  const names = [record.package?.name, ...callees.map(packageOf)]
  const name = names.find((each) => each !== null && each !== undefined && TEMPLATES.has(each))
  return name === undefined
    ? null
    : `${name} renders the whole page in one turn. Put fewer items on it, keep finished parts, or let it render as a stream.`
}

/** @type {Detector} */
exports.sort = (seen) => {
  const isSort = ['sort', 'toSorted'].includes(seen.call ?? '') || isIn(seen, ['sort', 'toSorted'])
  const compares = /\.(?:sort|toSorted)\s*\(/.test(seen.line) && /localeCompare/.test(seen.line)
  if (!isSort && !compares) return null
  return compares
    ? 'localeCompare builds its rules at every comparison. Make one Intl.Collator and sort by its compare(), or let the database sort.'
    : 'The whole list is sorted in one turn. Let the database sort and limit, keep the list sorted, or sort it in a worker thread.'
}
