'use strict'

const { pairsIn, tokensOf, KEYWORD } = require('./javascript')

/** Text before a function that is searched for the call or variable it belongs to. */
const BEFORE_CHARS = 200
/** Calls around a handler that may be those of a router; what is nested deeper is generated. */
const MOST_CALLS = 50

const PAIRS = /** @type {Record<string, string>} */ ({ ')': '(', ']': '[', '}': '{' })
const VERBS = /^(?:get|post|put|patch|delete|head|options|all)$/
const OF_PROMISES = /^(?:then|catch|finally)$/

/** The name of a function expression, empty if it has none, and where it begins: `async function* name (`. */
const FUNCTION = /(?:\basync\s+)?\bfunction\b\s*\*?\s*([\w$]*)\s*(?:<[^<>()]*>\s*)?$/
const METHOD = /([\w$#]+)\s*(?:<[^<>()]*>\s*)?$/
const ASYNC = /(?:\basync\s*)?(?:<[^<>()]*>\s*)?$/
const ASYNC_SINGLE = /(?:\basync\s*)?(?:[\w$]+\s*)?$/
const ASSIGNED = /((?:[\w$]+\.)*[\w$#]+)\s*(?::[^=;,(){}]+)?[^=!<>+\-*/%&|^]?=$/
const PROPERTY = /(?:([\w$]+)|'([^'\n]*)'|"([^"\n]*)")\s*:$/
const CALLEE = /(\bnew\s+)?(?:([\w$]*)\s*\??\.\s*)?([\w$#]+)\s*(?:\?\.\s*)?(?:<[^<>()]*>\s*)?$/
/** A default import, as TypeScript and Babel compile it: `node_cron_1.default.schedule(`. */
const DEFAULT_IMPORT = /(?:_\d+)?\.default(?=\.)/g
const FIRST_TEXT = /^\s*(['"`])((?:(?!\1)[^\\\n$]){1,60})\1\s*,/

/**
 * @typedef {object} Level brackets that are open at a place
 * @property {string} char the bracket, empty for the file itself @property {number} index
 * @property {number} from where the current statement or argument begins
 * @property {number | null} arrow in the current statement or argument
 * @property {{ open: number, close: number } | null} closed the last parentheses in it
 */

/** @param {string} char @param {number} index @returns {Level} */
const openLevel = (char, index) => ({ char, index, from: index + 1, arrow: null, closed: null })

/**
 * The brackets that are open at a place of a text, outermost first; null if they do not match because the text is not
 * JavaScript or has a template within a template. @param {string} text @param {number} offset
 */
function levelsAt (text, offset) {
  const levels = [openLevel('', -1)]
  for (const { token, index, step } of tokensOf(text)) {
    if (index >= offset) break
    const level = levels[levels.length - 1]
    if (token === '=>') level.arrow = index
    else if (token === ';' || token === ',') Object.assign(level, { from: index + 1, arrow: null })
    else if (step === 1) levels.push(openLevel(token, index))
    else if (PAIRS[token] !== undefined) {
      if (level.char !== PAIRS[token]) return null
      levels.pop()
      const outer = levels[levels.length - 1]
      if (token === ')') outer.closed = { open: level.index, close: index }
      // An arrow function ends with its body.
      const isBody = outer.arrow !== null && text.slice(outer.arrow + 2, level.index).trim() === ''
      if (token === '}' && isBody) outer.arrow = null
    }
  }
  return levels
}

/**
 * Where the innermost open function begins (index of its level and of the text), and its own name; null at top level.
 * @param {string} text @param {Level[]} levels @param {number} offset
 */
function innermost (text, levels, offset) {
  for (let at = levels.length - 1; at >= 0; at--) {
    const { char, arrow } = levels[at]
    const end = levels[at + 1]?.index ?? offset
    // An arrow function without braces ends with its line.
    const isInArrow = arrow !== null &&
      (char === '(' || char === '[' || !text.slice(arrow + 2, end).trimStart().includes('\n'))
    if (isInArrow) return { at, start: headOf(text, levels[at], arrow), name: '' }
    const body = char === '{' ? bodyOf(text, levels[at - 1], levels[at].index) : null
    if (body !== null) return { at: at - 1, ...body }
  }
  return null
}

/** Where the parameters of an arrow function begin. @param {string} text @param {Level} level @param {number} arrow */
function headOf (text, { closed }, arrow) {
  const isList = closed !== null && /^\s*(?::[^;{}]*)?$/.test(text.slice(closed.close + 1, arrow))
  const end = isList ? closed.open : arrow
  return end - Number((isList ? ASYNC : ASYNC_SINGLE).exec(textBefore(text, end))?.[0].length)
}

/**
 * The function whose body begins at a brace, if any. @param {string} text @param {Level} outer @param {number} brace
 */
function bodyOf (text, { closed }, brace) {
  if (closed === null || !/^\s*(?::[^;{}=]*)?$/.test(text.slice(closed.close + 1, brace))) return null
  const before = textBefore(text, closed.open)
  const [head, name] = FUNCTION.exec(before) ?? METHOD.exec(before) ?? []
  if (head === undefined || KEYWORD.test(name)) return null
  return { start: closed.open - head.length, name }
}

/** @param {string} text @param {number} end */
const textBefore = (text, end) => text.slice(Math.max(0, end - BEFORE_CHARS), end)

/** @param {string} text @param {Level} level @param {Level | undefined} outer @param {number} start of the function */
function describe (text, level, outer, start) {
  const before = text.slice(Math.max(level.from, start - BEFORE_CHARS), start).trimEnd()
  const assigned = ASSIGNED.exec(before)
  if (assigned !== null) return assigned[1].replace('.prototype.', '.').split('.').slice(-2).join('.')
  const property = level.char === '{' && !before.includes('?') ? PROPERTY.exec(before) : null
  if (property !== null) return property[1] ?? property[2] ?? property[3]
  return level.char === '(' && before === '' ? callbackOf(text, level, outer) : null
}

/** @param {string} text @param {Level} level of the call's arguments @param {Level | undefined} outer */
function callbackOf (text, { index }, outer) {
  const call = callAt(text, index)
  if (call === null) return 'immediately invoked function'
  const handled = call.route ?? (outer?.char === '(' ? callAt(text, outer.index)?.route : null)
  return handled ? `${handled} handler` : `callback of ${call.name}`
}

/** The call whose arguments begin there, if any. @param {string} text @param {number} index */
function callAt (text, index) {
  const [, made, object, method] = CALLEE.exec(textBefore(text, index).replace(DEFAULT_IMPORT, '')) ?? []
  if (method === undefined || (object === undefined && KEYWORD.test(method))) return null
  const first = FIRST_TEXT.exec(text.slice(index + 1, index + BEFORE_CHARS))?.[2]
  if (made) return { name: `new ${method}`, route: null }
  if (OF_PROMISES.test(method)) return { name: `Promise.${method}`, route: null }
  const isRoute = VERBS.test(method) && first?.startsWith('/')
  const verb = method === 'all' ? '' : `${method.toUpperCase()} `
  const name = `${object ? `${object}.` : ''}${method}${first === undefined ? '' : `('${first}')`}`
  return { name, route: isRoute ? `${verb}${first}` : null }
}

/**
 * The function around a place, null at top level, undefined if brackets do not match.
 * @param {string} text @param {number} offset
 */
function functionAt (text, offset) {
  // V8 names the place of its parameters for a function that was just entered.
  const place = bodyAfter(text, offset) ?? offset
  const levels = levelsAt(text, place)
  if (levels === null) return undefined
  const open = innermost(text, levels, place)
  if (open === null) return null
  const { at, start, name } = open
  return { start, name: name || describe(text, levels[at], levels[at - 1], start) }
}

/**
 * A name if V8 has none: the handler of a route, the callback of a call, or what it is assigned to; null if unknown.
 * @param {string} text of its file @param {number} offset of the place, or of the function's parameters
 */
exports.nameAt = (text, offset) => {
  const around = functionAt(text, offset)
  return around === null ? 'top level' : around?.name ?? null
}

/** Routes around a place, as `GET /report`, outermost first. @param {string} text @param {number} offset */
exports.routesAt = (text, offset) => {
  const calls = (levelsAt(text, offset) ?? []).filter(({ char }) => char === '(').slice(0, MOST_CALLS)
  return calls.flatMap(({ index }) => callAt(text, index)?.route ?? [])
}

/** Longest list of parameters that is searched. */
const HEAD_CHARS = 2000

/** A parameter without parentheses. V8 names the place of `async` of an arrow function. */
const SINGLE = /^(?:async\b\s*)?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*\s*=>/u
const LIST = /^(?:async\b\s*)?\(/
/** The end of a list of parameters: an optional result type of TypeScript, then the body. */
const BEHIND = /^\s*(?::[^;{}()=]*)?(?:=>|\{)/

/**
 * Where the body of the function begins whose parameters are at a place; null if there is none. V8 names that place if
 * it checks for interrupts on entering a function. A call in parentheses is followed by no body.
 * @param {string} text @param {number} offset
 */
function bodyAfter (text, offset) {
  const head = text.slice(offset, offset + HEAD_CHARS)
  const [single] = SINGLE.exec(head) ?? []
  if (single !== undefined) return offset + single.length
  const [list] = LIST.exec(head) ?? []
  const close = list && pairsIn(head).get(list.length - 1)
  const behind = close ? BEHIND.exec(head.slice(close + 1)) : null
  return behind && offset + Number(close) + 1 + behind[0].length
}

exports.bodyAfter = bodyAfter
exports.functionAt = functionAt
