'use strict'

const { escaped, pairsIn, tokensOf } = require('./javascript')
const {
  callsIn, columnOfCall, declaredIn, isOfLanguage, LINE_CHARS, methodOf, REG_EXP, searches
} = require('./line-text')

// Functions and loops of a source, whose lines are `rows`. Lines and columns are numbers from 1.

/** Lines of a function that are searched for calls. */
const FUNCTION_LINES = 400
/** Text of a function that is searched for its end. Without an end, everything below counts as its own. */
const FUNCTION_CHARS = 100000
/** Lines that are searched for the ends of a loop or the beginning of a function. */
const LOOP_LINES = 200

/** @typedef {{ line: number | null, column: number | null }} Begin of a function: its parameters */

/**
 * The last line of a function.
 * @param {string[]} rows @param {number} first line of it @param {number} column of its parameters
 * @param {number} [last] line that is searched @returns {number} Infinity if it does not end there
 */
function endOf (rows, first, column, last) {
  const text = rows.slice(first - 1, last).join('\n').slice(column - 1, column + FUNCTION_CHARS)
  let depth = 0
  let hasBody = false
  for (const { token, index, step } of tokensOf(text)) {
    if (depth === 0 && token === '{') hasBody = true
    depth += step
    // An arrow function without braces ends with the brackets around it.
    const isEnd = depth < 0 || (depth === 0 && (step === -1 ? hasBody : ';,'.includes(token)))
    if (isEnd) return first + text.slice(0, index).split('\n').length - 1
  }
  return Infinity
}

/**
 * The lines of a function. Its own head looks like a call of itself, so the first one starts at its parameters.
 * @param {string[]} rows @param {Begin} begin @returns {{ row: string, line: number }[]}
 */
function rowsOfFunction (rows, { line, column }) {
  if (line === null) return []
  const from = column ?? 1
  return rows.slice(line - 1, Math.min(endOf(rows, line, from), line + FUNCTION_LINES))
    .map((row, i) => ({ row: i === 0 ? row.slice(from - 1) : row, line: line + i }))
}

/** The first line of a function, not of a branch or a loop, with the parameters at its end. */
const FUNCTION_HEAD = new RegExp([
  /\bfunction\b/,
  /=>\s*\{?\s*$/,
  /^\s*(?:async\s+)?(?!(?:if|for|while|switch|catch|with)\b)[\w$#*]+\s*\([^;]*\)\s*\{\s*$/
].map(({ source }) => source).join('|'))

/** Where the parameters of the innermost function around a line begin. @param {string[]} rows @param {number} line */
exports.functionAround = (rows, line) => {
  for (let first = line; first > Math.max(0, line - LOOP_LINES); first--) {
    const row = rows[first - 1] ?? ''
    const head = FUNCTION_HEAD.exec(row)
    if (head === null) continue
    const arrow = row.lastIndexOf('=>')
    const open = arrow === -1 ? row.indexOf('(', head.index) : Math.max(0, row.lastIndexOf('(', arrow))
    if (endOf(rows, first, open + 1, line - 1) === Infinity) return { line: first, column: open + 1 }
  }
  return null
}

/** The first line of a loop whose body is in the lines below it. */
const LOOP_HEAD = /^(\s*(?:\w+:\s*)?(?:(?:for\s+await|for|while)\s*\(.*\)|do)\s*)\{\s*(?:\/\/.*)?$/
/** A built-in that calls a function for each element, which begins in this line. */
const EACH = /\.(?:forEach|map|flatMap|filter|reduce|some|every|find|findIndex)\s*\(.*(\{)\s*(?:\/\/.*)?$/
const COMMENT = /^\s*(?:\/\/|\/\*|\*)/

/**
 * The lines with code of a loop, or of a function that is called for each element, that begins in this line.
 * @param {string[]} rows @param {number} line
 */
exports.bodyOf = (rows, line) => {
  const head = rows[line - 1] ?? ''
  const start = LOOP_HEAD.exec(head)?.[1].length ?? EACH.exec(head)?.[0].lastIndexOf('{')
  if (start === undefined) return []
  const open = head.indexOf('{', start)
  const text = rows.slice(line - 1, line + LOOP_LINES).join('\n')
  const body = text.slice(open, pairsIn(text).get(open) ?? open).split('\n').slice(1)
  return body.flatMap((row, i) => row.trim() === '' || COMMENT.test(row) ? [] : [line + 1 + i])
}

/**
 * The lines with code of the innermost loop around a line, its head included.
 * @param {string[]} rows @param {number} line
 */
exports.loopAround = (rows, line) => {
  for (let head = line; head > Math.max(0, line - LOOP_LINES); head--) {
    const body = exports.bodyOf(rows, head)
    if (body.length > 0 && (head === line || body.includes(line))) return [head, ...body]
  }
  return []
}

/** The name of all synchronous functions of zlib, and how they are called. */
const ZLIB = 'syncBufferWrapper'
const ZLIB_CALL = /(?<![\w$])(?:gzip|gunzip|unzip|(?:de|in)flate(?:Raw)?|(?:brotli|zstd)(?:C|Dec)ompress)Sync(?=\s*\()/g

/** The function of zlib that some lines call, null if there are several. @param {{ row: string }[]} rows */
function zlibCallIn (rows) {
  const names = new Set(rows.flatMap(({ row }) => row.length > LINE_CHARS ? [] : row.match(ZLIB_CALL) ?? []))
  return names.size === 1 ? [...names][0] : null
}

/** The lines of a function that call another one. @param {string[]} rows @param {Begin} begin @param {string} name */
exports.linesCalling = (rows, begin, name) => {
  const within = rowsOfFunction(rows, begin)
  const called = name === ZLIB ? zlibCallIn(within) ?? name : name
  const names = [called, ...aliasesOf(rows, called)]
  const isCalled = (/** @type {string} */ row) => name === REG_EXP
    ? searches(row)
    : names.some((each) => columnOfCall(row, each) !== null)
  return within.filter(({ row }) => isCalled(row)).map(({ line }) => line)
}

/**
 * Other names of a function in a file: `pack = zlib.gzipSync`, `{ pack: gzipSync }`, `{ gzipSync: pack }` or
 * `{ gzipSync as pack }`. @param {string[]} rows @param {string} called
 */
function aliasesOf (rows, called) {
  const name = methodOf(called)
  // V8 names a function of an object literal by its key, which may be any text.
  if (!/^[\w$]+$/.test(name)) return []
  const part = escaped(name)
  const alias = new RegExp(`([\\w$]+)\\s*[=:]\\s*(?:[\\w$]+\\.)*${part}\\s*(?:[;,})\\]]|\\.bind\\b|//|$)` +
    `|[{,]\\s*${part}(?:\\s*:|\\s+as\\b)\\s*([\\w$]+)`)
  return rows.flatMap((row) => {
    const [, byValue, byKey] = row.includes(name) && row.length <= LINE_CHARS ? alias.exec(row) ?? [] : []
    return byValue ?? byKey ?? []
  })
}

/**
 * The lines of a function with a call of something unknown: V8 names a callee as it was declared, and the caller may
 * have it under another name.
 * @param {string[]} rows @param {Begin} begin @param {boolean} isElsewhere whether the callee is in another file: then
 * it is none of the functions of this one
 */
exports.linesCallingUnknown = (rows, begin, isElsewhere) => {
  const declared = new Set(isElsewhere ? rows.map(declaredIn) : [])
  return rowsOfFunction(rows, begin)
    .filter(({ row }) => callsIn(row).some(({ call }) => !isOfLanguage(call) && !declared.has(methodOf(call))))
    .map(({ line }) => line)
}

/** Code that runs other code again and again. */
const LOOP = /\b(?:for|while|do)\b|\.(?:(?:flat)?[mM]ap|forEach|filter|reduce\w*|some|every|find\w*)\s*\(/

/**
 * The functions of a file with a loop that one of its lines calls, where they begin.
 * @param {string[]} rows @param {string} calling line @returns {{ function: string, line: number, column: number }[]}
 */
exports.loopingCalleesIn = (rows, calling) => callsIn(calling).flatMap(({ call }) => {
  const name = methodOf(call)
  const at = rows.findIndex((row) => declaredIn(row) === name)
  if (at === -1) return []
  const begin = { line: at + 1, column: rows[at].indexOf('(', rows[at].indexOf(name)) + 1 }
  return rowsOfFunction(rows, begin).some(({ row }) => LOOP.test(row)) ? [{ function: name, ...begin }] : []
})

exports.endOf = endOf
exports.rowsOfFunction = rowsOfFunction
exports.zlibCallIn = zlibCallIn
exports.ZLIB = ZLIB
