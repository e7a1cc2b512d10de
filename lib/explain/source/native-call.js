'use strict'

const { escaped, pairsIn, KEYWORD } = require('./javascript')
const { endOf } = require('./loop-body')
const { patternsIn } = require('./pattern')

const REG_EXP = '(regular expression)'
/** Built-ins that take far longer for a value than those of COPIES. */
const DEAR = new Set(['JSON.parse', 'JSON.stringify', 'structuredClone', 'sort', 'toSorted'])
/** Built-ins that go over a value once. */
const COPIES = new Set([
  'Array.from', 'Buffer.concat', 'Buffer.from', 'Object.assign', 'Object.entries', 'Object.fromEntries', 'Object.keys',
  'Object.values', 'concat', 'fill', 'flat', 'join', 'reverse', 'slice', 'toString', 'spread'
])
/** Built-ins that search by a regular expression. */
const SEARCHES = new Set(['test', 'exec', 'match', 'matchAll', 'replace', 'replaceAll', 'search', 'split'])
/** Built-ins that move all elements, copy everything or look up rules at each call: they make a loop slow. */
const REPEATED = new Set([
  'shift', 'unshift', 'splice', 'spread', 'toLocaleString', 'localeCompare', 'addEventListener'
])
/** Built-ins that can take long. V8's profile has no frames for them: their samples are in the line that calls them. */
const BUILTINS = new Set([
  ...DEAR, ...COPIES, ...SEARCHES, ...REPEATED,
  'Atomics.wait', 'decodeURIComponent', 'encodeURIComponent', 'eval', 'includes', 'indexOf', 'lastIndexOf', 'next',
  'normalize', 'repeat', 'set', 'toLowerCase', 'toUpperCase'
])
/** A deep copy through text. */
const ROUND_TRIP = 'JSON.parse(JSON.stringify())'
const CALL = /(?:\b(JSON|Object|Array|Buffer|Atomics)\s*\.\s*|(\.)\s*)?(?<![\w$])([\w$]+)\s*\(/g
/** A spread of elements or properties, not the rest of parameters or of a pattern. */
const SPREAD = /\.\.\.(?<=(?:^|[[{(,])\s*\.\.\.)(?![\w$]+\s*(?:\)\s*(?:=>|\{)|[\]}]\s*=(?!=)))/g
/** Longest line that is searched. A longer one is minified: it calls many functions, and searching it takes time. */
const LINE_CHARS = 1000
/** Number of lines of a function that are searched for calls. */
const MOST_LINES = 400
/** The name of all synchronous functions of zlib. */
const ZLIB = 'syncBufferWrapper'
/** Calls, with what is before their names, and calls of something without a name: `tasks[name]()`, `make()()`. */
const CALLED = /(?:(?<![\w$])((?:\.\s*)?(?:[\w$]+\s*\??\.\s*)*[\w$]+)|[\])])\s*(?:\?\.\s*)?\(/g
const TEXTS = /\/\/.*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g
/** A function that is declared, or a value that is one. */
const DECLARATION =
  /\bfunction\b\s*\*?\s*([\w$]+)|\b(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\b|function\b|\(|[\w$]+\s*=>)/
/** Objects of the language. Their functions are native, and so are the methods of their values. */
const OBJECTS = {
  Array, BigInt, Date, Function, JSON, Map, Math, Number, Object, Promise, Reflect, RegExp, Set, String, Symbol
}
const STATICS = new Set(Object.values(OBJECTS).flatMap((each) => Object.getOwnPropertyNames(each)))
const METHODS = new Set(/** @type {{ prototype?: object }[]} */ (Object.values(OBJECTS))
  .flatMap(({ prototype = {} }) => Object.getOwnPropertyNames(prototype)))
const FUNCTIONS = new Set([
  ...Object.keys(OBJECTS), 'Boolean', 'Error', 'decodeURIComponent', 'encodeURIComponent', 'eval', 'parseFloat',
  'parseInt', 'structuredClone'
])
/** Methods that may be given a function, and how a function that is given looks. */
const CALLING_BACK =
  /^(?:(?:flat)?[mM]ap|forEach|filter|reduce\w*|some|every|find\w*|\w*[sS]ort\w*|replace\w*|call|apply|groupBy|eval)$/
/** A function that is given after what it is called for. */
const FROM = /\bfrom\s*\(.*,/
const PASSES = /=>|\bfunction\b/
/** Most lines of a function that are searched for a call. */
const NEARBY = 50
/** The synchronous functions of zlib, which V8 names alike. */
const ZLIB_CALL = /(?<![\w$])(?:gzip|gunzip|unzip|(?:de|in)flate(?:Raw)?|(?:brotli|zstd)(?:C|Dec)ompress)Sync(?=\s*\()/g

/** @typedef {{ call: string, method: string, column: number, index: number, open: number }} Builtin */

/**
 * The built-in that took the time of a line. Null if the line calls none that can take long, or several.
 * @param {string} line @param {object} [hints] @param {string[]} [hints.lines] of the file
 * @param {Set<string>} [hints.methods] built-ins, by their own names, in which interrupts found the thread
 * @returns {{ call: string, method: string, column: number } | null} `method` is its own name
 */
exports.builtinIn = (line, { lines = [], methods = new Set() } = {}) => {
  if (line.length > LINE_CHARS) return null
  const all = builtinsOf(line)
  const answered = all.filter(({ method }) => methods.has(method))
  const builtin = answered.length > 0 ? onlyOne(answered) : onlyOne(all) ?? dearest(line, all)
  if (builtin === null) return null
  const { call, method, column } = builtin
  const isPattern = SEARCHES.has(method) && patternsIn(line, lines).length > 0
  return { call: isPattern ? REG_EXP : call, method, column }
}

/** @param {string} line @returns {Builtin[]} */
function builtinsOf (line) {
  const calls = [...line.matchAll(CALL)].flatMap((match) => {
    const [text, object, dot, method] = match
    const call = object === undefined ? method : `${object}.${method}`
    const isBuiltin = BUILTINS.has(call) && (object !== undefined || FUNCTIONS.has(call) === (dot === undefined))
    const index = match.index + text.lastIndexOf(method)
    if (!isBuiltin) return []
    return [{ call, method, column: index + 1, index: match.index, open: match.index + text.length - 1 }]
  })
  const spreads = [...line.matchAll(SPREAD)].map(({ index }) =>
    ({ call: 'spread', method: 'spread', column: index + 1, index, open: index }))
  return [...calls, ...spreads]
}

/** @param {Builtin[]} builtins */
const onlyOne = (builtins) => new Set(builtins.map(({ call }) => call)).size === 1 ? builtins[0] : null

/**
 * The one of several calls that took the time: it processes a value that each of the others only copies, as in
 * `JSON.parse(Buffer.concat(chunks).toString())`. @param {string} line @param {Builtin[]} all
 */
function dearest (line, all) {
  const dear = all.filter(({ call }) => DEAR.has(call))
  const [first, second] = dear
  if (first === undefined) return null
  const isOfOneValue = sharesValue(line, first)
  if (!all.every((each) => dear.includes(each) || (COPIES.has(each.call) && isOfOneValue(each)))) return null
  const isPair = dear.length === 2 && `${first.call}(${second.call}())` === ROUND_TRIP
  return isPair && isOfOneValue(second) ? { ...first, call: ROUND_TRIP } : onlyOne(dear)
}

/**
 * Whether other calls are of the same value: an argument, or in one chain.
 * @param {string} line @param {Builtin} call
 */
function sharesValue (line, { index, open }) {
  const pairs = pairsIn(line)
  let start = index
  while (start > (pairs.get(start - 1) ?? start) || /[\w$.?]/.test(line[start - 1] ?? '')) {
    start = pairs.get(start - 1) ?? start - 1
  }
  const end = chainEnd(line, pairs, open)
  return (/** @type {Builtin} */ other) => (other.index >= start && other.index <= end) ||
    (index >= other.open && index <= (pairs.get(other.open) ?? -1))
}

/** @param {string} line @param {Map<number, number>} pairs @param {number} open its parenthesis @returns {number} */
function chainEnd (line, pairs, open) {
  const end = pairs.get(open)
  if (end === undefined) return -1
  const link = /^(?:\??\.[\w$]+)*(?=[([])/.exec(line.slice(end + 1))
  return link === null ? end : chainEnd(line, pairs, end + 1 + link[0].length)
}

/** @typedef {{ line: number | null, column: number | null }} Begin of a function: its parameters */

/**
 * The lines of a function. Its own head looks like a call of itself, so the first one starts at its parameters.
 * @param {string[]} lines @param {Begin} begin @returns {{ text: string, line: number }[]}
 */
function linesWithin (lines, { line, column }) {
  if (line === null) return []
  const from = column ?? 1
  return lines.slice(line - 1, Math.min(endOf(lines, line, from), line + MOST_LINES))
    .map((text, i) => ({ text: i === 0 ? text.slice(from - 1) : text, line: line + i }))
}

/**
 * The lines of a function that call another one.
 * @param {string[]} lines @param {Begin} begin @param {string | null} name
 */
exports.callLines = (lines, begin, name) => {
  if (name === null) return []
  const within = linesWithin(lines, begin)
  const called = name === ZLIB ? onlySyncCall(within.map(({ text }) => text)) ?? name : name
  const names = [called, ...aliasesOf(lines, called)]
  const isCalled = (/** @type {string} */ text) => name === REG_EXP
    ? builtinsOf(text).some(({ method }) => SEARCHES.has(method))
    : names.some((each) => columnOfCall(text, each) !== null)
  return within.filter(({ text }) => isCalled(text)).map(({ line }) => line)
}

/**
 * What else a file calls a function: `pack = zlib.gzipSync`, `{ pack: gzipSync }`, `{ gzipSync: pack }` or
 * `{ gzipSync as pack }`. @param {string[]} lines @param {string} called
 */
function aliasesOf (lines, called) {
  const name = lastPartOf(called)
  // V8 names a function of an object literal by its key, which may be any text.
  if (!/^[\w$]+$/.test(name)) return []
  const part = escaped(name)
  const alias = new RegExp(`([\\w$]+)\\s*[=:]\\s*(?:[\\w$]+\\.)*${part}\\s*(?:[;,})\\]]|\\.bind\\b|//|$)` +
    `|[{,]\\s*${part}(?:\\s*:|\\s+as\\b)\\s*([\\w$]+)`)
  return lines.flatMap((text) => {
    const [, byValue, byKey] = text.includes(name) && text.length <= LINE_CHARS ? alias.exec(text) ?? [] : []
    return byValue ?? byKey ?? []
  })
}

/**
 * The lines of a function that call something of which the text does not tell what it is: V8 names a callee as it was
 * declared, and the caller may have it under another name. @param {string[]} lines @param {Begin} begin
 * @param {boolean} isElsewhere the callee is in another file, so calls of functions of this one are none of it
 */
exports.openCallLines = (lines, begin, isElsewhere) => {
  const declared = new Set(isElsewhere ? lines.map(declaredIn) : [])
  return linesWithin(lines, begin)
    .filter(({ text }) => callsIn(text).some(({ call }) => !isOfLanguage(call) && !declared.has(lastPartOf(call))))
    .map(({ line }) => line)
}

/** @param {string} text @returns {string | undefined} */
const declaredIn = (text) => {
  const [, ofFunction, ofValue] = DECLARATION.exec(text) ?? []
  return ofFunction ?? ofValue
}

/** What runs code again and again. */
const LOOPS = /\b(?:for|while|do)\b|\.(?:(?:flat)?[mM]ap|forEach|filter|reduce\w*|some|every|find\w*)\s*\(/

/**
 * The functions of a file with a loop that one of its lines calls, where they begin.
 * @param {string[]} lines @param {string} text of the line
 * @returns {{ function: string, line: number, column: number }[]}
 */
exports.loopingCalleesIn = (lines, text) => callsIn(text).flatMap(({ call }) => {
  const name = lastPartOf(call)
  const at = lines.findIndex((each) => declaredIn(each) === name)
  if (at === -1) return []
  const begin = { line: at + 1, column: lines[at].indexOf('(', lines[at].indexOf(name)) + 1 }
  return linesWithin(lines, begin).some((each) => LOOPS.test(each.text)) ? [{ function: name, ...begin }] : []
})

/** Whether it may run functions that are not written in it. @param {string} text */
exports.mayCallOther = (text) => {
  const isGiven = (/** @type {string} */ name) =>
    (name === 'from' ? FROM.test(text) : CALLING_BACK.test(name)) && !PASSES.test(text)
  return callsIn(text).some(({ call }) =>
    isGiven(lastPartOf(call)) || !(isOfLanguage(call) || STATICS.has(lastPartOf(call))))
}

/**
 * Calls of a line as they are written, without blanks; the name of one may be empty. A minified line calls anything.
 * @param {string} text @returns {{ call: string, column: number }[]}
 */
const callsIn = (text) => text.length > LINE_CHARS
  ? [{ call: '', column: 1 }]
  : [...text.replace(TEXTS, (each) => ' '.repeat(each.length)).matchAll(CALLED)]
      .map(({ 1: call = '', index }) => ({ call: call.replace(/[\s?]/g, ''), column: index + 1 }))
      .filter(({ call }) => !KEYWORD.test(call))

/**
 * What a function of Node.js is called here, if its own name says nothing (zlib: `syncBufferWrapper`): the only such
 * call in the line, else in the lines below the function's first one.
 * @param {string[]} lines of the file @param {number} first line of the function, from 1
 * @param {number | null} line of the call, if known
 */
exports.syncCallIn = (lines, first, line) =>
  onlySyncCall(lines.slice(Number(line) - 1, Number(line))) ?? onlySyncCall(lines.slice(first - 1, first - 1 + NEARBY))

/** @param {string[]} lines */
function onlySyncCall (lines) {
  const names = new Set(lines.flatMap((line) => line.length > LINE_CHARS ? [] : line.match(ZLIB_CALL) ?? []))
  return names.size === 1 ? [...names][0] : null
}

/** @param {string} called */
const lastPartOf = (called) => called.slice(called.lastIndexOf('.') + 1)

/** @param {string} call as it is written */
const isOfLanguage = (call) =>
  FUNCTIONS.has(call.split('.')[0]) || (call.includes('.') && METHODS.has(lastPartOf(call)))

/**
 * The only call of a line of which the text does not say that it is a built-in, as it is written.
 * @param {string} line @returns {{ call: string, column: number } | null}
 */
exports.onlyCallIn = (line) => {
  const calls = callsIn(line).filter(({ call }) => /^[\w$]/.test(call) && !isOfLanguage(call))
  return calls.length === 1 ? calls[0] : null
}

/** @param {string} text @param {string} called as V8 names it, perhaps with what it was assigned to: `exports.name` */
function columnOfCall (text, called) {
  if (text.length > LINE_CHARS) return null
  const at = text.search(new RegExp(`(?<![\\w$])${escaped(lastPartOf(called))}\\s*\\(`))
  return at === -1 ? null : at + 1
}

exports.columnOfCall = columnOfCall
exports.declaredIn = declaredIn
exports.linesWithin = linesWithin
exports.LINE_CHARS = LINE_CHARS
exports.BUILTINS = BUILTINS
exports.DEAR = DEAR
exports.REG_EXP = REG_EXP
exports.REPEATED = REPEATED
exports.ROUND_TRIP = ROUND_TRIP
exports.SEARCHES = SEARCHES
exports.ZLIB = ZLIB
