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
 * The one of several calls that took the time: each of the others only copies, as in
 * `JSON.parse(Buffer.concat(chunks).toString())`. @param {string} row @param {Builtin[]} all
 */
function dearest (row, all) {
  const dear = all.filter(({ call }) => DEAR.has(call))
  if (dear.length === 0 || !all.every(({ call }) => DEAR.has(call) || COPIES.has(call))) return null
  const [first, second] = dear
  const isWithin = second?.index < Number(pairsIn(row).get(first.open))
  const isRoundTrip = dear.length === 2 && isWithin && `${first.call}(${second.call}())` === ROUND_TRIP
  return isRoundTrip ? { ...first, call: ROUND_TRIP } : onlyOne(dear)
}

exports.BUILTINS = BUILTINS
exports.DEAR = DEAR
exports.REPEATED = REPEATED
exports.ROUND_TRIP = ROUND_TRIP
