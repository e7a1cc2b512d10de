'use strict'

const { builtinIn } = require('./native-call')

/** Lines above the answered place in which the call is looked for: further up it is hardly what has just returned. */
const LINES_ABOVE = 8
/** Built-ins that take long often enough to be suspected; of the others most calls are short. */
const SUSPECTS = new Set(['JSON.parse', 'JSON.stringify', 'structuredClone', 'sort', 'toSorted', 'test', 'exec', 'match', 'matchAll', 'replace', 'replaceAll'])
/** Where a function begins, and not a branch or a loop. */
const HEAD = /\bfunction\b|=>\s*\{?\s*$|^\s*(?:async\s+)?(?!(?:if|for|while|switch|catch|with)\b)[\w$#]+\s*\([^;]*\)\s*\{\s*$/

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
    const builtin = builtinIn(text)
    if (builtin !== null && SUSPECTS.has(builtin.call)) found.push({ call: builtin.call, line })
    if (HEAD.test(text)) break
  }
  return found.length === 1 ? found[0] : null
}
