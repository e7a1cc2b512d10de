'use strict'

/** Segments that are kept; what follows becomes `/…`. */
const SEGMENTS = 12
const UUID_CHARS = 36
const HEX_CHARS = 8
const TOKEN_CHARS = 20
const NAME_CHARS = 64

const DIGIT = 1
const LETTER = 2
const HEX = 4
const TOKEN = 8
const ENCODED = 16
const LINE_END = 32
const HEX_OR_DASH = 64

/** What each ASCII character can be part of. */
const classes = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code)
  classes[code] = (/\d/.test(char) ? DIGIT : 0) | (/[a-z]/i.test(char) ? LETTER : 0) | (/[\da-f]/i.test(char) ? HEX : 0) |
    (/[\w.~=-]/.test(char) ? TOKEN : 0) | (/[@%]/.test(char) ? ENCODED : 0) | (/[\r\n]/.test(char) ? LINE_END : 0) |
    (/[\da-f-]/i.test(char) ? HEX_OR_DASH : 0)
}

const SLASH = 47
const DASH = 45
const LINE_SEPARATOR = 0x2028
const PARAGRAPH_SEPARATOR = 0x2029

/** @param {number} code beyond ASCII */
function otherClass (code) {
  return code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR ? LINE_END : 0
}

/**
 * Whether a segment looks like an id rather than a name: a number; a UUID; from 8 characters on a hex
 * number with a digit; from 20 on a token with a digit, or letters that nothing separates; anything
 * encoded or that could be an address; from 64 on anything.
 * @param {number} length
 * @param {number} some classes that at least one character has
 * @param {number} all classes that every character has
 * @param {boolean} isUuid
 */
function isDynamic (length, some, all, isUuid) {
  const hasDigit = (some & DIGIT) !== 0
  return (all & DIGIT) !== 0 || isUuid || (some & ENCODED) !== 0 ||
    (length >= HEX_CHARS && hasDigit && (all & HEX) !== 0) ||
    (length >= TOKEN_CHARS && ((hasDigit && (all & TOKEN) !== 0) || (all & LETTER) !== 0)) ||
    (length >= NAME_CHARS && (some & LINE_END) === 0)
}

/** Whether 36 characters, all hex digits or dashes and no digit (with one it is a token anyway), have the dashes of a UUID. @param {string} path @param {number} start */
function hasUuidDashes (path, start) {
  for (let i = 0; i < UUID_CHARS; i++) {
    if ((path.charCodeAt(start + i) === DASH) !== (i === 8 || i === 13 || i === 18 || i === 23)) return false
  }
  return true
}

/**
 * A path as a template: segments that look like ids become `:id`, so that the number of templates
 * stays small. Exact routes come from the frameworks; this is for plain servers, on every request of
 * which it runs: one pass over the characters, no regular expression (which would also overwrite the
 * application's `RegExp.$1`). test/path-template.test.js holds it against the rules as expressions.
 * @param {string} path without query
 */
exports.pathTemplate = (path) => {
  const end = path.length
  let template = ''
  let copied = 0
  let start = 0
  for (let segments = 1; ; segments++) {
    let some = 0
    let all = 0xff
    let code = 0
    let at = start
    while (at < end && (code = path.charCodeAt(at)) !== SLASH) {
      const found = code < 128 ? classes[code] : otherClass(code)
      some |= found
      all &= found
      at++
    }
    const length = at - start
    if (length > 0 && isDynamic(length, some, all, length === UUID_CHARS && (some & DIGIT) === 0 && (all & HEX_OR_DASH) !== 0 && hasUuidDashes(path, start))) {
      template += path.slice(copied, start) + ':id'
      copied = at
    }
    if (at === end) return copied === 0 ? path : template + path.slice(copied)
    if (segments === SEGMENTS) return template + path.slice(copied, at) + '/…'
    start = at + 1
  }
}
