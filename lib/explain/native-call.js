'use strict'

/** V8's name for the code of a regular expression begins so; its pattern follows. */
const PATTERN = 'RegExp: '
const REG_EXP = '(regular expression)'
/**
 * Built-in functions that can take long. V8's profile has no frames for them: its samples in them are samples in the
 * line that calls them.
 */
const BUILTINS = new Set([
  'JSON.parse', 'JSON.stringify', 'Array.from', 'Buffer.concat', 'Buffer.from', 'Atomics.wait', 'Object.assign',
  'Object.entries', 'Object.fromEntries', 'Object.keys', 'Object.values', 'structuredClone', 'decodeURIComponent',
  'encodeURIComponent', 'eval',
  ...[
    'sort', 'toSorted', 'test', 'exec', 'match', 'matchAll', 'replace', 'replaceAll', 'search', 'split', 'join',
    'indexOf', 'lastIndexOf', 'includes', 'concat', 'slice', 'splice', 'fill', 'reverse', 'flat', 'localeCompare',
    'normalize', 'repeat', 'toLowerCase', 'toUpperCase', 'toString', 'set'
  ].map((method) => `.${method}`)
])
const CALL = /(?:\b(JSON|Object|Array|Buffer|Atomics)\s*\.\s*|(\.)\s*)?([\w$]+)\s*\(/g
/** Longest line that is searched. A longer one is minified: it calls many functions, and searching it takes time. */
const LINE_CHARS = 1000
/** How many lines of a function a call is looked for in. */
const NEARBY = 50
const SYNC_CALL = /[\w$]+Sync(?=\s*\()/g

/**
 * The built-in function that a line of source calls, and its column from 1. Null if the line calls none that can take
 * long, or several.
 * @param {string} line
 */
exports.builtinIn = (line) => {
  if (line.length > LINE_CHARS) return null
  const found = [...line.matchAll(CALL)].flatMap((match) => {
    const [text, object, dot = '', name] = match
    const key = object === undefined ? `${dot}${name}` : `${object}.${name}`
    const column = match.index + text.lastIndexOf(name) + 1
    return BUILTINS.has(key) ? [{ call: object === undefined ? name : key, column }] : []
  })
  return new Set(found.map(({ call }) => call)).size === 1 ? found[0] : null
}

/**
 * The line, from a function's first one on, in which it calls another one by name. Null if there is none nearby, or
 * several.
 * @param {string[]} lines of the file
 * @param {number} first from 1
 * @param {string} name
 */
exports.lineOfCall = (lines, first, name) => {
  const found = lines.slice(first - 1, first - 1 + NEARBY).flatMap((text, i) => {
    const column = columnOfCall(text, name)
    // Its own head looks like a call of itself.
    return column === null || (i === 0 && text.trimStart().startsWith(name)) ? [] : [{ line: first + i, column }]
  })
  return found.length === 1 ? found[0] : null
}

/**
 * The name by which a function of Node.js is called, if its own name says nothing (all of zlib's are called
 * `syncBufferWrapper`): the only such call in the line, else in the lines from the function's first one on.
 * @param {string[]} lines of the file
 * @param {number} first line of the function, from 1
 * @param {number | null} line where it is called, as far as that is known
 */
exports.syncCallIn = (lines, first, line) =>
  onlySyncCall(line === null ? [] : [lines[line - 1] ?? '']) ?? onlySyncCall(lines.slice(first - 1, first - 1 + NEARBY))

/** @param {string[]} lines */
function onlySyncCall (lines) {
  const names = new Set(lines.flatMap((line) => line.length > LINE_CHARS ? [] : line.match(SYNC_CALL) ?? []))
  return names.size === 1 ? /** @type {string} */ ([...names][0]) : null
}

/** @param {string} text @param {string} name @returns {number | null} from 1 */
function columnOfCall (text, name) {
  if (text.length > LINE_CHARS) return null
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!/[\w$]/.test(text[at - 1] ?? '') && /^\s*\(/.test(text.slice(at + name.length))) return at + 1
  }
  return null
}

/**
 * A function as V8's profile names it, without the pattern of a regular expression. A pattern that came with a request
 * is a secret, and it is the likeliest one to take long. A literal can be read at its line.
 * @template {{ functionName: string }} CallFrame
 * @param {CallFrame} callFrame
 * @returns {CallFrame}
 */
exports.withoutPattern = (callFrame) =>
  callFrame.functionName.startsWith(PATTERN) ? { ...callFrame, functionName: REG_EXP } : callFrame

/** How many lines above the answered place are searched. A call further up has hardly just returned. */
const LINES_ABOVE = 8
/** Built-ins that take long often enough to be suspected. Most calls of the others are short. */
const SUSPECTS = new Set([
  'JSON.parse', 'JSON.stringify', 'structuredClone', 'sort', 'toSorted', 'test', 'exec', 'match', 'matchAll', 'replace',
  'replaceAll'
])
/** Where a function begins, and not a branch or a loop. */
const HEAD = new RegExp([
  /\bfunction\b/,
  /=>\s*\{?\s*$/,
  /^\s*(?:async\s+)?(?!(?:if|for|while|switch|catch|with)\b)[\w$#]+\s*\([^;]*\)\s*\{\s*$/
].map(({ source }) => source).join('|'))

/**
 * The native call that has probably just returned where a stack was taken late: the one built-in that can take long and
 * stands just before the answered place in the same function. Null where there is none, or several.
 * @param {string[]} lines of the file
 * @param {number} answered line, from 1, which may hold the call itself
 * @returns {{ call: string, line: number } | null}
 */
exports.probableCall = (lines, answered) => {
  const found = []
  for (let line = answered; line > 0 && line >= answered - LINES_ABOVE; line--) {
    const text = lines[line - 1] ?? ''
    const builtin = exports.builtinIn(text)
    if (builtin !== null && SUSPECTS.has(builtin.call)) found.push({ call: builtin.call, line })
    if (HEAD.test(text)) break
  }
  return found.length === 1 ? found[0] : null
}

exports.columnOfCall = columnOfCall
exports.REG_EXP = REG_EXP
