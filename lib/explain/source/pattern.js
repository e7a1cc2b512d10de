'use strict'

const { escaped, regExpsIn } = require('./javascript')

/** A longer pattern is generated, and a hint would not help to rewrite it. */
const PATTERN_CHARS = 500
/** A pattern in a variable whose methods are called, or that is an argument. */
const NAMED =
  /(?<![\w$])([\w$]+)\s*\.\s*(?:test|exec)\s*\(|\.\s*(?:match(?:All)?|replace(?:All)?|search|split)\s*\(\s*([\w$]+)/g
/** A part of a pattern, perhaps a bracket, and what repeats it. */
const PART = /(?:\\[^]|\[(?:\\[^]|[^\\\]])*\]?|([()])|[^])([*+]|\{\d+,\d*\})?/g

/**
 * Patterns of a line: literals, and those of its variables.
 * @param {string} text of the line @param {string[]} lines of its file
 */
exports.patternsIn = (text, lines) => [
  ...literalsIn(text),
  ...[...text.matchAll(NAMED)].flatMap(([, before, within]) => {
    const declaration = new RegExp(`\\b(?:const|let|var)\\s+${escaped(before ?? within)}\\s*=`)
    return lines.filter((line) => line.length <= PATTERN_CHARS && declaration.test(line)).flatMap(literalsIn)
  })
]

/** @param {string} line */
const literalsIn = (line) => line.length > PATTERN_CHARS ? [] : regExpsIn(line)

/** Whether it tries a text exponentially often, as `(a+)+` or `(\w*\s?)*`. @param {string} pattern */
exports.hasNestedQuantifiers = (pattern) => {
  /** @type {boolean[]} by open group: whether something in it repeats */
  const repeats = [false]
  for (const [part, bracket, isRepeated] of pattern.matchAll(PART)) {
    const inner = bracket === ')' && repeats.length > 1 && repeats.pop()
    if (inner && isRepeated) return true
    if (inner || isRepeated) repeats[repeats.length - 1] = true
    if (part === '(') repeats.push(false)
  }
  return false
}

const ATOM = /\\.|\[(?:\\.|[^\\\]])*\]|[^\\[\](){}|*+?^$]/.source
/** Two parts of a pattern, one after the other, that repeat without an end. */
const NEIGHBOURS = new RegExp(`(${ATOM})[*+]\\??(?=(${ATOM})[*+])`, 'g')
/** Characters by which parts are compared. */
const ASCII = String.fromCharCode(...Array(128).keys())

/** Whether there are many ways to divide a text, as for `\s*\s+` or `\w+\d*`. @param {string} pattern */
exports.hasOverlap = (pattern) => [...pattern.matchAll(NEIGHBOURS)].some(([, first, second]) => {
  try {
    const inFirst = ASCII.match(new RegExp(first, 'gs')) ?? []
    return inFirst.some((each) => new RegExp(`^${second}$`, 's').test(each))
  } catch {
    // A part such as \k or \p means nothing alone.
    return false
  }
})
