'use strict'

/** How much text before a call is searched for the parameters of the functions around it. */
const BEFORE_CHARS = 4000
/** Longest line that is searched: a longer one is minified. */
const LINE_CHARS = 1000
const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u
/** `fn.call(…)` and `fn.apply(…)`: V8 names the place of the method. */
const METHOD = /([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*\??\.\s*$/u
const REFLECT = /^apply\s*\(\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)/u
/** Lists of parameters: before an arrow, before a body, or a single one. */
const PARAMETERS = /\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*(?::[^;{}()=]*)?(?:=>|\{)|([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=>/gu
const STATEMENT = /\b(?:if|for|while|switch|catch|with)\s*$/

/** Null for a member. @param {string} before the call, in its line @param {string} rest of the line */
function calleeAt (before, rest) {
  const name = NAME.exec(rest)?.[0]
  const object = METHOD.exec(before)?.[1]
  if (object === undefined) return name === undefined || before.endsWith('.') ? null : name
  if (object === 'Reflect') return REFLECT.exec(rest)?.[1] ?? null
  return name === 'call' || name === 'apply' ? object : null
}

/**
 * Whether a call only calls what the caller was given: `next()`, `await next()`, `return fn(...args)`,
 * `fn.apply(this, args)`. The time belongs to the code that passed the function.
 * @param {string} text of the file @param {number} at offset of the call
 */
exports.callsGiven = (text, at) => {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  const lineEnd = text.indexOf('\n', at)
  if (at - lineStart > LINE_CHARS) return false
  const rest = text.slice(at, Math.min(lineEnd === -1 ? text.length : lineEnd, at + LINE_CHARS))
  const callee = calleeAt(text.slice(lineStart, at), rest)
  if (callee === null) return false
  const before = text.slice(Math.max(0, at - BEFORE_CHARS), at)
  const escaped = callee.replaceAll('$', '\\$')
  const isName = new RegExp(`(?<![\\w$.])${escaped}(?![\\w$])`)
  let given = -1
  for (const { 0: all, 1: list, 2: single, index } of before.matchAll(PARAMETERS)) {
    const isStatement = list !== undefined && STATEMENT.test(before.slice(Math.max(0, index - 10), index))
    if (!isStatement && isName.test(list ?? single)) given = index + all.length
  }
  const declared = new RegExp(`\\b(?:const|let|var|function)\\s+${escaped}(?![\\w$])`)
  return given !== -1 && !declared.test(before.slice(given))
}
