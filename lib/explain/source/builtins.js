'use strict'

const { pairsIn } = require('./javascript')
const { FUNCTIONS, LINE_CHARS, REG_EXP, SEARCHES } = require('./line-text')
const { patternsIn } = require('./pattern')

/** Built-ins that take far longer for a value than COPIES. */
const DEAR = new Set(['JSON.parse', 'JSON.stringify', 'structuredClone', 'sort', 'toSorted'])
/** Built-ins that go over a value once. */
const COPIES = new Set([
  'Array.from', 'Buffer.concat', 'Buffer.from', 'Object.assign', 'Object.entries', 'Object.fromEntries', 'Object.keys',
  'Object.values', 'concat', 'fill', 'flat', 'join', 'reverse', 'slice', 'toString', 'spread'
])
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

/** @typedef {{ call: string, method: string, column: number, index: number, open: number }} Builtin */

/**
 * The built-in that took the time of a line. Null if the line calls none that can take long, or several.
 * @param {string} row @param {object} [hints] @param {string[]} [hints.rows] of the file
 * @param {Set<string>} [hints.methods] built-ins, by their own names, in which interrupts found the thread
 * @returns {{ call: string, method: string, column: number } | null} `method` is its own name
 */
exports.builtinIn = (row, { rows = [], methods = new Set() } = {}) => {
  if (row.length > LINE_CHARS) return null
  const all = builtinsOf(row)
  const answered = all.filter(({ method }) => methods.has(method))
  const builtin = answered.length > 0 ? onlyOne(answered) : onlyOne(all) ?? dearest(row, all)
  if (builtin === null) return null
  const { call, method, column } = builtin
  const isPattern = SEARCHES.has(method) && patternsIn(row, rows).length > 0
  return { call: isPattern ? REG_EXP : call, method, column }
}

/** @param {string} row @returns {Builtin[]} */
function builtinsOf (row) {
  const calls = [...row.matchAll(CALL)].flatMap((match) => {
    const [text, object, dot, method] = match
    const call = object === undefined ? method : `${object}.${method}`
    const isBuiltin = BUILTINS.has(call) && (object !== undefined || FUNCTIONS.has(call) === (dot === undefined))
    const index = match.index + text.lastIndexOf(method)
    if (!isBuiltin) return []
    return [{ call, method, column: index + 1, index: match.index, open: match.index + text.length - 1 }]
  })
  const spreads = [...row.matchAll(SPREAD)].map(({ index }) =>
    ({ call: 'spread', method: 'spread', column: index + 1, index, open: index }))
  return [...calls, ...spreads]
}

/** @param {Builtin[]} builtins */
const onlyOne = (builtins) => new Set(builtins.map(({ call }) => call)).size === 1 ? builtins[0] : null

/**
 * The one of several calls that took the time: it processes a value that each of the others only copies, as in
 * `JSON.parse(Buffer.concat(chunks).toString())`. @param {string} row @param {Builtin[]} all
 */
function dearest (row, all) {
  const dear = all.filter(({ call }) => DEAR.has(call))
  const [first, second] = dear
  if (first === undefined) return null
  const isOfOneValue = sharesValue(row, first)
  if (!all.every((each) => dear.includes(each) || (COPIES.has(each.call) && isOfOneValue(each)))) return null
  const isPair = dear.length === 2 && `${first.call}(${second.call}())` === ROUND_TRIP
  return isPair && isOfOneValue(second) ? { ...first, call: ROUND_TRIP } : onlyOne(dear)
}

/**
 * Whether other calls have the same value, as an argument or in one chain.
 * @param {string} row @param {Builtin} call
 */
function sharesValue (row, { index, open }) {
  const pairs = pairsIn(row)
  let start = index
  while (start > (pairs.get(start - 1) ?? start) || /[\w$.?]/.test(row[start - 1] ?? '')) {
    start = pairs.get(start - 1) ?? start - 1
  }
  const end = chainEnd(row, pairs, open)
  return (/** @type {Builtin} */ other) => (other.index >= start && other.index <= end) ||
    (index >= other.open && index <= (pairs.get(other.open) ?? -1))
}

/** @param {string} row @param {Map<number, number>} pairs @param {number} open its parenthesis @returns {number} */
function chainEnd (row, pairs, open) {
  const end = pairs.get(open)
  if (end === undefined) return -1
  const link = /^(?:\??\.[\w$]+)*(?=[([])/.exec(row.slice(end + 1))
  return link === null ? end : chainEnd(row, pairs, end + 1 + link[0].length)
}

exports.BUILTINS = BUILTINS
exports.DEAR = DEAR
exports.REPEATED = REPEATED
exports.ROUND_TRIP = ROUND_TRIP
