'use strict'

const { LINE_CHARS } = require('../source/native-call')

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
 * @typedef {object} Traits a line's text, as far as it says where time may go
 * @property {boolean} calls it calls something, copies elements or multiplies
 * @property {boolean} isLoop it holds a whole loop
 * @property {boolean} isIdle it takes no time: a bracket, a plain return, a head that calls nothing
 * @property {boolean} allocates @property {boolean} hasText its text was read, and is not minified
 */

/** @type {Traits} */
const UNKNOWN = { hasText: false, calls: false, isLoop: false, isIdle: false, allocates: false }

/** @param {string | null} line @returns {Traits} */
exports.traitsOf = (line) => {
  if (line === null || line.length > LINE_CHARS) return UNKNOWN
  const text = line.replace(COMMENT, '').replace(CLOCK, '')
  const calls = CALL.test(text.replace(PARAMETERS, '')) || WORK.test(text)
  return {
    hasText: true,
    calls,
    isLoop: LOOP.test(text),
    isIdle: END.test(text) || (HEAD.test(text) && !calls),
    allocates: ALLOCATES.test(text)
  }
}
