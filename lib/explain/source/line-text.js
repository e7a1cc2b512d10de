'use strict'

const { escaped, KEYWORD } = require('./javascript')

/** Longest line that is searched. A longer one is minified: it calls many functions, and searching it takes time. */
const LINE_CHARS = 1000
/** The name of all code of regular expressions: a pattern that came with a request is a secret. */
exports.REG_EXP = '(regular expression)'
/** Methods that search by a regular expression. */
const SEARCHES = new Set(['test', 'exec', 'match', 'matchAll', 'replace', 'replaceAll', 'search', 'split'])

/** Calls, with what is before their names, and calls of something without a name: `tasks[name]()`, `make()()`. */
const CALLED = /(?:(?<![\w$])((?:\.\s*)?(?:[\w$]+\s*\??\.\s*)*[\w$]+)|[\])])\s*(?:\?\.\s*)?\(/g
const TEXTS = /\/\/.*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g
/** A function that is declared, or a variable that holds one. */
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
/** Methods that may call a function that they are passed. */
const CALLING_BACK =
  /^(?:(?:flat)?[mM]ap|forEach|filter|reduce\w*|some|every|find\w*|\w*[sS]ort\w*|replace\w*|call|apply|groupBy|eval)$/
/** `Array.from()` with a function as its second argument. */
const FROM = /\bfrom\s*\(.*,/
/** A function that is written in the line. */
const FUNCTION = /=>|\bfunction\b/

/**
 * Calls of a line as they are written, without blanks; the name of one may be empty. A minified line calls anything.
 * @param {string} row @returns {{ call: string, column: number }[]}
 */
const callsIn = (row) => row.length > LINE_CHARS
  ? [{ call: '', column: 1 }]
  : [...row.replace(TEXTS, (each) => ' '.repeat(each.length)).matchAll(CALLED)]
      .map(({ 1: call = '', index }) => ({ call: call.replace(/[\s?]/g, ''), column: index + 1 }))
      .filter(({ call }) => !KEYWORD.test(call))

/** `name` of `exports.name`. @param {string} call */
const methodOf = (call) => call.slice(call.lastIndexOf('.') + 1)

/** @param {string} row @returns {string | undefined} */
const declaredIn = (row) => {
  const [, ofFunction, ofVariable] = DECLARATION.exec(row) ?? []
  return ofFunction ?? ofVariable
}

/** @param {string} call as it is written */
const isOfLanguage = (call) =>
  FUNCTIONS.has(call.split('.')[0]) || (call.includes('.') && METHODS.has(methodOf(call)))

/** Whether a line may run functions that are not written in it. @param {string} row */
exports.mayCallOther = (row) => {
  const callsBack = (/** @type {string} */ method) =>
    (method === 'from' ? FROM.test(row) : CALLING_BACK.test(method)) && !FUNCTION.test(row)
  return callsIn(row).some(({ call }) =>
    callsBack(methodOf(call)) || !(isOfLanguage(call) || STATICS.has(methodOf(call))))
}

/** Whether a line searches by a regular expression. @param {string} row */
exports.searches = (row) => callsIn(row).some(({ call }) => call.includes('.') && SEARCHES.has(methodOf(call)))

/**
 * The only call of a line that may not be a built-in, as it is written.
 * @param {string} row @returns {{ call: string, column: number } | null}
 */
exports.onlyCallIn = (row) => {
  const calls = callsIn(row).filter(({ call }) => /^[\w$]/.test(call) && !isOfLanguage(call))
  return calls.length === 1 ? calls[0] : null
}

/** @param {string} row @param {string} called as V8 names it, perhaps with what it was assigned to: `exports.name` */
exports.columnOfCall = (row, called) => {
  if (row.length > LINE_CHARS) return null
  const at = row.search(new RegExp(`(?<![\\w$])${escaped(methodOf(called))}\\s*\\(`))
  return at === -1 ? null : at + 1
}

/** Words that a parenthesis follows, and calls that take next to no time. */
const CALL =
  /(?<!\bMath\.)(?<![\w$])(?!(?:if|for|while|switch|catch|return|function|Number|String|Boolean|push)\b)[\w$]+\s*\(/
/** Elements that are copied, text that is put together, and products, which may be of large BigInts. */
const WORK = /\.\.\.|`|(?<!\*)\*(?!\*)/
/** The reading of a clock, which takes no time. */
const CLOCK = /\b(?:performance|Date)\s*\.\s*now\(\)/g
const COMMENT = /\/\/.*$/
/** The name and the parameters of a function, which look like a call. */
const PARAMETERS =
  /\bfunction\b\s*\*?\s*[\w$]*\s*\(|^\s*(?:async\s+|static\s+|get\s+|set\s+)*[\w$#]+\s*\([^;]*\)\s*\{\s*$/
/** Brackets, or a jump with a plain value. */
const END = /^[\s)\]};,]*(?:[)\]}]|\b(?:return|break|continue)(?:\s+[\w$]+)?)[\s)\]};,]*$/
/** The head of a function, a branch or a loop whose body is in the lines below. */
const HEAD = new RegExp([
  /^\s*(?:\w+:\s*)?(?:\}\s*)?(?:for|while|do|if|else|try|catch|finally|switch)\b.*\{\s*$/,
  /\bfunction\b[^{]*\{\s*$|=>\s*\{?\s*$/,
  PARAMETERS,
  /^\s*\}\s*while\b/
].map(({ source }) => source).join('|'))
/** Objects or strings that are made. A `{` that begins a block follows a parenthesis or a keyword. */
const ALLOCATES = new RegExp([
  /(?:[=([,:?]|=>|\breturn)\s*[{[](?!\s*$)|\bnew\b|`|\.\.\.|['"]\s*\+|\+\s*['"]/,
  /\.(?:map|filter|flatMap|flat|concat|slice|split|join|repeat|replace|replaceAll|match|matchAll)\s*\(/,
  /\.(?:entries|keys|values|from|push|unshift|assign|stringify|parse)\s*\(|\bstructuredClone\s*\(/
].map(({ source }) => source).join('|'))
/** A loop that is in one line. */
const LOOP = /\b(?:for|while)\s*\((?!.*\{\s*$).*\)\s*\S/

/**
 * @typedef {object} Traits where time may go in a line, by its text
 * @property {boolean} calls it calls something, copies elements or multiplies
 * @property {boolean} isLoop it holds a whole loop
 * @property {boolean} isIdle it takes no time: a bracket, a plain return, a head that calls nothing
 * @property {boolean} allocates @property {boolean} hasText its text was read, and is not minified
 */

/** @type {Traits} */
const UNKNOWN = { hasText: false, calls: false, isLoop: false, isIdle: false, allocates: false }

/** @param {string | undefined} row @returns {Traits} */
exports.traitsOf = (row) => {
  if (row === undefined || row.length > LINE_CHARS) return UNKNOWN
  const text = row.replace(COMMENT, '').replace(CLOCK, '')
  const calls = CALL.test(text.replace(PARAMETERS, '')) || WORK.test(text)
  return {
    hasText: true,
    calls,
    isLoop: LOOP.test(text),
    isIdle: END.test(text) || (HEAD.test(text) && !calls),
    allocates: ALLOCATES.test(text)
  }
}

exports.callsIn = callsIn
exports.declaredIn = declaredIn
exports.isOfLanguage = isOfLanguage
exports.methodOf = methodOf
exports.FUNCTIONS = FUNCTIONS
exports.LINE_CHARS = LINE_CHARS
exports.SEARCHES = SEARCHES
