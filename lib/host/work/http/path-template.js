'use strict'

/** Most segments of a template; the rest becomes `/…`. */
const SEGMENTS = 12
const UUID_CHARS = 36

const DIGIT = 1
const LETTER = 2
const HEX = 4
const ENCODED = 8
const HEX_OR_DASH = 16

const classes = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code)
  classes[code] = (/[0-9]/.test(char) ? DIGIT : 0) |
    (/[a-z]/i.test(char) ? LETTER : 0) |
    (/[0-9a-f]/i.test(char) ? HEX : 0) |
    (/[@%]/.test(char) ? ENCODED : 0) |
    (/[0-9a-f-]/i.test(char) ? HEX_OR_DASH : 0)
}

const SLASH = 47
const DASH = 45
const HASH = 35
const SEMICOLON = 59

/**
 * Whether a segment looks like an id, not a name: a number; a UUID; from 8 characters on a hex number with a digit;
 * from 20 on anything with a digit, or letters only; anything encoded, or maybe an address; from 64 on anything.
 * @param {number} length @param {number} some classes that at least one character has
 * @param {number} all classes that every character has @param {boolean} isUuid
 */
function isDynamic (length, some, all, isUuid) {
  const hasDigit = (some & DIGIT) !== 0
  return (all & DIGIT) !== 0 || isUuid || (some & ENCODED) !== 0 ||
    (length >= 8 && hasDigit && (all & HEX) !== 0) ||
    (length >= 20 && (hasDigit || (all & LETTER) !== 0)) ||
    length >= 64
}

/** For 36 characters without a digit; with one they are a token anyway. @param {string} path @param {number} start */
function hasUuidDashes (path, start) {
  for (let i = 0; i < UUID_CHARS; i++) {
    if ((path.charCodeAt(start + i) === DASH) !== (i === 8 || i === 13 || i === 18 || i === 23)) return false
  }
  return true
}

/**
 * Segments that look like ids become `:id`, so there are few templates and none holds a token. Parameters of a segment
 * (`;jsessionid=…`) and the fragment, which no client should send, are left out. The function runs for every request of
 * a plain server, so it is one pass over the characters without a regular expression, which would also overwrite the
 * application's `RegExp.$1`. test/unit/host/work/http/path-template.test.js compares it with the rules as expressions.
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
    while (at < end && (code = path.charCodeAt(at)) !== SLASH && code !== SEMICOLON && code !== HASH) {
      const charClass = code < 128 ? classes[code] : 0
      some |= charClass
      all &= charClass
      at++
    }
    const nameEnd = at
    while (at < end && (code = path.charCodeAt(at)) !== SLASH && code !== HASH) at++
    const length = nameEnd - start
    const mayBeUuid = length === UUID_CHARS && (some & DIGIT) === 0 && (all & HEX_OR_DASH) !== 0
    if (length > 0 && isDynamic(length, some, all, mayBeUuid && hasUuidDashes(path, start))) {
      template += path.slice(copied, start) + ':id'
      copied = at
    } else if (at > nameEnd) {
      template += path.slice(copied, nameEnd)
      copied = at
    }
    if (at === end || code === HASH) return copied === 0 && at === end ? path : template + path.slice(copied, at)
    if (segments === SEGMENTS) return template + path.slice(copied, at) + '/…'
    start = at + 1
  }
}

/** The path of a request's URL, without query. @param {unknown} url */
exports.pathOf = (url) => {
  if (typeof url !== 'string') return ''
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  if (path[0] === '/') return path
  // A URL in absolute form, as sent to proxies, begins with what the client takes for the host.
  const scheme = path.indexOf('://')
  const slash = scheme === -1 ? -1 : path.indexOf('/', scheme + '://'.length)
  return scheme === -1 ? path : slash === -1 ? '/' : path.slice(slash)
}
