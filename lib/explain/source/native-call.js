'use strict'

const { pairsIn } = require('./javascript')
const { endOf } = require('./loop-body')
const { patternsIn } = require('./pattern')

/** V8's names for the code of regular expressions begin like this; the pattern follows. */
const PATTERN = 'RegExp: '
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
const SEARCH = new RegExp(`\\.(?:${[...SEARCHES].join('|')})\\s*\\(`)
/** Built-ins that move all elements, copy everything or look up rules at each call: they make a loop slow. */
const REPEATED = new Set(['shift', 'unshift', 'splice', 'spread', 'toLocaleString', 'localeCompare', 'addEventListener'])
/** Built-ins that can take long. V8's profile has no frames for them: their samples are in the line that calls them. */
const BUILTINS = new Set([
  ...DEAR, ...COPIES, ...SEARCHES, ...REPEATED,
  'Atomics.wait', 'decodeURIComponent', 'encodeURIComponent', 'eval', 'includes', 'indexOf', 'lastIndexOf', 'next',
  'normalize', 'repeat', 'set', 'toLowerCase', 'toUpperCase'
])
/** Those of BUILTINS that are not methods. */
const FUNCTIONS = new Set(['structuredClone', 'decodeURIComponent', 'encodeURIComponent', 'eval'])
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
/** What is called, and words and built-ins that are not what is searched for. `performance.now` is JavaScript. */
const CALLED = /(?<![\w$])([\w$]+)\s*\(/g
const TEXTS = /\/\/.*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g
/** A function that is declared, or a value that is one. */
const DECLARATION =
  /\bfunction\b\s*\*?\s*([\w$]+)|\b(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\b|function\b|\(|[\w$]+\s*=>)/
const KEYWORDS = new Set(['if', 'for', 'while', 'switch', 'catch', 'return', 'function', 'await', 'super', 'of', 'in'])
const GLOBALS = new Set(['Object', 'Array', 'Number', 'Math', 'JSON', 'Date', 'Promise', 'Reflect', 'String', 'Symbol', 'BigInt'])
const OF_VALUES = [Array, String, Number, Map, Set, RegExp, Date, Promise, Function, Uint8Array]
  .flatMap((each) => Object.getOwnPropertyNames(each.prototype))
const FUNCTIONS_OF_LANGUAGE = [
  'Number', 'String', 'Boolean', 'BigInt', 'Date', 'Map', 'Set', 'Array', 'Object', 'RegExp', 'Error', 'Promise', 'Symbol',
  'parseInt', 'parseFloat', 'structuredClone', 'decodeURIComponent', 'encodeURIComponent'
]
const METHODS = new Set([
  ...[Object, Array, Number, Math, JSON, Date, Promise, Reflect, String, Symbol, BigInt]
    .flatMap((each) => Object.getOwnPropertyNames(each)),
  ...OF_VALUES,
  ...FUNCTIONS_OF_LANGUAGE
].filter((name) => name !== 'now'))
/** Methods that may be given a function, and how a function that is given looks. */
const CALLING_BACK = /^(?:(?:flat)?[mM]ap|forEach|filter|reduce\w*|some|every|find\w*|\w*[sS]ort\w*|replace\w*|call|apply|groupBy)$/
/** It is given a function after what it goes through. */
const FROM = /\bfrom\s*\(.*,/
const PASSES = /=>|\bfunction\b/
/** A call of something without a name, such as `tasks[name]()` or `make()()`. */
const NAMELESS = /[\])]\s*(?:\?\.\s*)?\(/
/** Most lines of a function that are searched for a call. */
const NEARBY = 50
/** What makes objects or strings. A `{` that begins a block follows a parenthesis or a keyword. */
const ALLOCATES = /(?:[=([,:?]|=>|\breturn)\s*[{[](?!\s*$)|\bnew\b|`|\.\.\.|['"]\s*\+|\+\s*['"]|\.(?:map|filter|flatMap|flat|concat|slice|split|join|repeat|replace|replaceAll|match|matchAll|entries|keys|values|from|push|unshift|assign|stringify|parse)\s*\(|\bstructuredClone\s*\(/
const SYNC_CALL = /(?<![\w$])[\w$]+Sync(?=\s*\()/g
/** The synchronous functions of zlib, which V8 names alike. */
const ZLIB_CALL = /^(?:gzip|gunzip|unzip|deflate|inflate|deflateRaw|inflateRaw|brotliCompress|brotliDecompress|zstdCompress|zstdDecompress)Sync$/

/** @typedef {{ call: string, method: string, column: number, index: number, open: number }} Builtin */

/**
 * The built-in that took the time of a line. Null if the line calls none that can take long, or several.
 * @param {string} line @param {object} [known] @param {string[]} [known.lines] of the file
 * @param {Set<string>} [known.seen] built-ins, by their own names, in which interrupts found the thread
 * @returns {{ call: string, method: string, column: number } | null} `method` is its own name
 */
exports.builtinIn = (line, { lines = [], seen = new Set() } = {}) => {
  if (line.length > LINE_CHARS) return null
  const all = builtinsOf(line)
  const seenOf = all.filter(({ method }) => seen.has(method))
  const found = onlyOne(seenOf.length > 0 ? seenOf : all) ?? (seenOf.length > 0 ? null : dearest(line, all))
  if (found === null) return null
  const { call, method, column } = found
  const isPattern = SEARCHES.has(method) && patternsIn(line, lines).length > 0
  return { call: isPattern ? REG_EXP : call, method, column }
}

/** @param {string} line @returns {Builtin[]} */
function builtinsOf (line) {
  const calls = [...line.matchAll(CALL)].flatMap((match) => {
    const [text, object, dot, method] = match
    const call = object === undefined ? method : `${object}.${method}`
    const isKnown = BUILTINS.has(call) && (object !== undefined || FUNCTIONS.has(call) === (dot === undefined))
    const index = match.index + text.lastIndexOf(method)
    return isKnown ? [{ call, method, column: index + 1, index: match.index, open: match.index + text.length - 1 }] : []
  })
  const spreads = [...line.matchAll(SPREAD)].map(({ index }) =>
    ({ call: 'spread', method: 'spread', column: index + 1, index, open: index }))
  return [...calls, ...spreads]
}

/** @param {Builtin[]} found */
const onlyOne = (found) => new Set(found.map(({ call }) => call)).size === 1 ? found[0] : null

/**
 * The one of several calls that took the time: it processes a value that each of the others only copies, as in
 * `JSON.parse(Buffer.concat(chunks).toString())`. @param {string} line @param {Builtin[]} all
 */
function dearest (line, all) {
  const dear = all.filter(({ call }) => DEAR.has(call))
  const [first, second] = dear
  if (first === undefined) return null
  const within = { line, pairs: pairsIn(line) }
  const isCopy = (/** @type {Builtin} */ each) => COPIES.has(each.call) && isOfOneValue(within, first, each)
  if (!all.every((each) => dear.includes(each) || isCopy(each))) return null
  const isPair = dear.length === 2 && `${first.call}(${second.call}())` === ROUND_TRIP
  const isRoundTrip = isPair && isOfOneValue(within, first, second)
  return isRoundTrip ? { ...first, call: ROUND_TRIP } : onlyOne(dear)
}

/** @typedef {{ line: string, pairs: Map<number, number> }} Line with its brackets */

/** As an argument, or in one chain. @param {Line} within @param {Builtin} dear @param {Builtin} other */
function isOfOneValue (within, dear, other) {
  const isIn = (/** @type {number} */ at, /** @type {number} */ from, /** @type {number} */ end) =>
    at >= from && at <= end
  return isIn(other.index, chainStart(within, dear.index), chainEnd(within, dear.open)) ||
    isIn(dear.index, other.open, within.pairs.get(other.open) ?? -1)
}

/** The start of the chain of calls that a place belongs to. @param {Line} within @param {number} index */
function chainStart ({ line, pairs }, index) {
  let at = index
  while (at > 0) {
    const open = pairs.get(at - 1)
    if (open !== undefined && open < at) at = open
    else if (/[\w$.?]/.test(line[at - 1])) at--
    else break
  }
  return at
}

/** The end of the chain that continues at a parenthesis. @param {Line} within @param {number} open @returns {number} */
function chainEnd (within, open) {
  const end = within.pairs.get(open)
  if (end === undefined) return -1
  const [link] = /^(?:\??\.[\w$]+)*(?=[([])/.exec(within.line.slice(end + 1)) ?? []
  return link === undefined ? end : chainEnd(within, end + 1 + link.length)
}

/** @typedef {{ line: number | null, column: number | null }} Begin of a function: its parameters */

/**
 * The lines of a function. Its own head looks like a call of itself, so the first one starts at its parameters.
 * @param {string[]} lines @param {Begin} begin @returns {{ text: string, line: number }[]}
 */
function linesWithin (lines, { line, column }) {
  if (line === null) return []
  const last = Math.min(endOf(lines, line, column ?? 1), lines.length, line + MOST_LINES)
  return lines.slice(line - 1, last)
    .map((text, i) => ({ text: i === 0 ? text.slice(Math.max(0, (column ?? 1) - 1)) : text, line: line + i }))
}

/**
 * The lines of a function that call another one.
 * @param {string[]} lines @param {Begin} begin @param {string | null} name
 */
exports.callLines = (lines, begin, name) => {
  if (name === null) return []
  const within = linesWithin(lines, begin)
  if (name === REG_EXP) return within.filter(({ text }) => SEARCH.test(text)).map(({ line }) => line)
  const called = name === ZLIB ? onlySyncCall(within.map(({ text }) => text)) ?? name : name
  const names = [called, ...aliasesOf(lines, called)]
  return within.filter(({ text }) => names.some((each) => columnOfCall(text, each) !== null)).map(({ line }) => line)
}

/**
 * What else a file calls a function: `pack = zlib.gzipSync`, `{ pack: gzipSync }`, `{ gzipSync: pack }` or
 * `{ gzipSync as pack }`. @param {string[]} lines @param {string} called
 */
function aliasesOf (lines, called) {
  const name = lastPartOf(called)
  // V8 names a function of an object literal by its key, which may be any text.
  if (!/^[\w$]+$/.test(name)) return []
  const escaped = name.replaceAll('$', '\\$')
  const alias = new RegExp(`([\\w$]+)\\s*[=:]\\s*(?:[\\w$]+\\.)*${escaped}\\s*(?:[;,})\\]]|\\.bind\\b|//|$)` +
    `|[{,]\\s*${escaped}(?:\\s*:|\\s+as\\b)\\s*([\\w$]+)`)
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
  /** @type {Map<string, boolean>} */
  const declared = new Map()
  const isDeclared = (/** @type {string} */ name) => {
    if (!declared.has(name)) declared.set(name, lines.some((text) => text.includes(name) && isDeclaration(text, name)))
    return declared.get(name)
  }
  const isKnown = (/** @type {string} */ name) =>
    KEYWORDS.has(name) || METHODS.has(name) || (isElsewhere && isDeclared(name))
  return linesWithin(lines, begin).flatMap(({ text, line }, i) => {
    if (text.length > LINE_CHARS) return [line]
    const names = namesCalledIn(text)
    return (i === 0 ? names.slice(1) : names).some((name) => !isKnown(name)) || callsNameless(text) ? [line] : []
  })
}

/** @param {string} text @param {string} name */
const isDeclaration = (text, name) => declaredIn(text) === name

/** @param {string} text @returns {string | undefined} */
const declaredIn = (text) => {
  const [, ofFunction, ofValue] = DECLARATION.exec(text) ?? []
  return ofFunction ?? ofValue
}

/** What runs code again and again. */
const LOOPS = /\b(?:for|while|do)\b|\.(?:(?:flat)?[mM]ap|forEach|filter|reduce\w*|some|every|find\w*)\s*\(/

/**
 * The functions of a file with a loop that one of its lines calls.
 * @param {string[]} lines @param {string} text of the line @returns {string[]}
 */
exports.loopingCalleesIn = (lines, text) => text.length > LINE_CHARS
  ? []
  : namesCalledIn(text).filter((name) => {
    const at = lines.findIndex((each) => each.includes(name) && isDeclaration(each, name))
    if (at === -1) return false
    const column = lines[at].indexOf('(', lines[at].indexOf(name)) + 1
    return linesWithin(lines, { line: at + 1, column }).some((each) => LOOPS.test(each.text))
  })

/** Whether it may run functions that are not written in it. @param {string} text */
exports.mayCallOther = (text) => {
  if (text.length > LINE_CHARS || callsNameless(text)) return true
  const isGiven = (/** @type {string} */ name) =>
    (name === 'from' ? FROM.test(text) : CALLING_BACK.test(name)) && !PASSES.test(text)
  return namesCalledIn(text).some((name) => !KEYWORDS.has(name) && (isGiven(name) || !METHODS.has(name)))
}

/** @param {string} text */
const callsNameless = (text) => NAMELESS.test(text.replace(TEXTS, ''))

/** @param {string} text */
const namesCalledIn = (text) => [...text.replace(TEXTS, '').matchAll(CALLED)].map(([, name]) => name)

/**
 * What a function of Node.js is called here, if its own name says nothing (zlib: `syncBufferWrapper`): the only such
 * call in the line, else in the lines below the function's first one.
 * @param {string[]} lines of the file @param {number} first line of the function, from 1
 * @param {number | null} line of the call, if known
 */
exports.syncCallIn = (lines, first, line) =>
  onlySyncCall(line === null ? [] : [lines[line - 1] ?? '']) ?? onlySyncCall(lines.slice(first - 1, first - 1 + NEARBY))

/** @param {string[]} lines */
function onlySyncCall (lines) {
  const all = lines.flatMap((line) => line.length > LINE_CHARS ? [] : line.match(SYNC_CALL) ?? [])
  const names = new Set(all.filter((name) => ZLIB_CALL.test(name)))
  return names.size === 1 ? /** @type {string} */ ([...names][0]) : null
}

/** @param {string} called */
const lastPartOf = (called) => called.slice(called.lastIndexOf('.') + 1)

/** A chain of names that is called. */
const CHAIN = /(?<![\w$.])((?:[\w$]+\s*\??\.\s*)*[\w$]+)\s*\(/g

/** @param {string} call as it is written */
const isOfLanguage = (call) => call.includes('.')
  ? GLOBALS.has(call.slice(0, call.indexOf('.'))) || OF_VALUES.includes(lastPartOf(call))
  : FUNCTIONS_OF_LANGUAGE.includes(call)

/**
 * The only call of a line of which the text does not say that it is a built-in, as it is written.
 * @param {string} line @returns {{ call: string, column: number } | null}
 */
exports.onlyCallIn = (line) => {
  if (line.length > LINE_CHARS) return null
  const calls = [...line.replace(TEXTS, (text) => ' '.repeat(text.length)).matchAll(CHAIN)]
    .map(({ 1: call, index }) => ({ call: call.replace(/\s+|\?/g, ''), column: index + 1 }))
    .filter(({ call }) => !KEYWORDS.has(call) && !isOfLanguage(call))
  return calls.length === 1 ? calls[0] : null
}

/** @param {string} text @param {string} called as V8 names it, perhaps with what it was assigned to: `exports.name` */
function columnOfCall (text, called) {
  const name = lastPartOf(called)
  if (text.length > LINE_CHARS) return null
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!/[\w$]/.test(text[at - 1] ?? '') && /^\s*\(/.test(text.slice(at + name.length))) return at + 1
  }
  return null
}

/**
 * A pattern that came with a request is a secret, and the likeliest one to take long. A literal can be read at its
 * line.
 * @template {{ functionName: string }} CallFrame @param {CallFrame} callFrame @returns {CallFrame}
 */
exports.withoutPattern = (callFrame) =>
  callFrame.functionName.startsWith(PATTERN) ? { ...callFrame, functionName: REG_EXP } : callFrame

exports.columnOfCall = columnOfCall
exports.declaredIn = declaredIn
exports.linesWithin = linesWithin
exports.ALLOCATES = ALLOCATES
exports.LINE_CHARS = LINE_CHARS
exports.BUILTINS = BUILTINS
exports.DEAR = DEAR
exports.REG_EXP = REG_EXP
exports.REPEATED = REPEATED
exports.ROUND_TRIP = ROUND_TRIP
exports.SEARCHES = SEARCHES
