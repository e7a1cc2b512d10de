'use strict'

const { causeRow, ownCauseOf } = require('../tables/causes')

/** @import { BlockRecord, PackageIssue } from '../types' */

/** @typedef {import('../types').Frame & { exact?: boolean }} Frame */

/** V8's name for the file of code that `eval` or `new Function` made, with the file that made it. */
const EVAL = /^eval at .*\((.*?)(?::\d+)*\)/s

/** The file and its folder, since half of all files are called index.js. @param {string | null} file */
exports.shortPath = (file) => {
  const maker = EVAL.exec(file ?? '')?.[1]
  const short = (maker ?? file ?? '').split(/[\\/]/).slice(-2).filter(Boolean).join('/')
  return maker === undefined ? short : `code made in ${short}`
}

/** The mark before an uncertain name or place. @param {{ exact?: boolean }} named */
function doubtOf ({ exact }) {
  return exact === false ? '≈ ' : ''
}

/** Files that are compiled to run. Node.js itself keeps every place; tsx, ts-node and similar tools do not. */
const COMPILED = /\.(?:[cm]?ts|[jt]sx)$/
/** @param {string | null} file */
const runsCompiled = (file) => file !== null && COMPILED.test(file)

/**
 * Empty for TypeScript compiled in memory: its line is not the file's. Compilers of JavaScript, as in Jest, mostly keep
 * the lines. @param {Pick<Frame, 'file' | 'line' | 'compiled'>} frame
 */
const lineText = ({ file, line, compiled }) => compiled && runsCompiled(file) ? '' : `:${line}`

const IN_CALL = 'inside a native or synchronous call'

/** The function with its file and line, after ≈ if it is uncertain. @param {Frame | null} frame */
exports.place = (frame) => frame &&
  `${doubtOf(frame)}${frame.function ?? '(anonymous)'} (${exports.shortPath(frame.file)}${lineText(frame)})`

/** A line of a stack. @param {Frame} frame */
exports.frameText = ({ function: name, file, line, column, async: isAwaiting }) =>
  `${isAwaiting ? 'async ' : ''}${name ?? '(anonymous)'} ` +
    `(${file ?? 'native'}${line === null ? '' : `:${line}:${column}`})`

const LOCK_WAIT = 'waits for the lock of a SQLite database'

/** @param {string} text of the call in which a thread sleeps @param {string} [verb] before it */
exports.asleepText = (text, verb = '') => text.startsWith(LOCK_WAIT) ? text : `${verb}asleep in ${text}`

/** How a known issue is shown everywhere. @param {PackageIssue} issue */
exports.issueText = ({ id, package: name, fixed, cure }) =>
  `known: ${[id, ...(fixed ? [`fixed in ${name} ${fixed}`] : []), ...(cure ? [cure] : [])].join(', ')}`

/** Words instead of a block's place, if there is no line. @param {BlockRecord} record */
exports.withoutPlace = (record) => {
  const { threadId, samples, profile } = record
  if (samples > 0) return 'outside application code'
  if (causeRow(ownCauseOf(record)).isCall) return IN_CALL
  if (threadId) return profile ? 'in code that its profile does not name' : 'no profile taken'
  return 'no stack taken'
}

/**
 * The work in a few words, after ≈ if uncertain; null without one. @param {Pick<BlockRecord, 'work' | 'request'>}
 * record
 */
exports.workOf = ({ work, request }) => {
  const requestText = request === null ? null : `${doubtOf(request)}${request.method} ${request.route}`
  // Records of an earlier version have no work.
  if (!work || work.kind === 'request') return requestText
  const workText = `${doubtOf(work)}${work.kind} ${work.name}`
  return requestText === null ? workText : `${workText} of ${requestText}`
}

exports.IN_CALL = IN_CALL
exports.LOCK_WAIT = LOCK_WAIT
exports.doubtOf = doubtOf
exports.lineText = lineText
exports.runsCompiled = runsCompiled
