'use strict'

/**
 * @typedef {{ takes: string, accepts: (value: any) => boolean, parse: (text: string) => unknown, isSecret?: boolean,
 *   words?: string[], format?: (value: any) => string }} OptionType
 *   takes: in words; parse: gives undefined if a text is invalid;
 *   isSecret: no error shows the value; words: the only values; format: the inverse of parse, if String() is not
 */

/** @param {string} text */
const toNumber = (text) => /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isPlainObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** @param {number} min @param {number} max @param {string} [unit] @returns {OptionType} */
exports.number = (min, max, unit) => ({
  takes: `a number${unit ? ` of ${unit}` : ''} from ${min} to ${max}`,
  accepts: (value) => typeof value === 'number' && value >= min && value <= max,
  parse: toNumber
})

/** @param {number} min @param {number} max @returns {OptionType} */
exports.integer = (min, max) => ({
  takes: `a whole number from ${min} to ${max}`,
  accepts: (value) => Number.isInteger(value) && value >= min && value <= max,
  parse: toNumber
})

/** A type with one more value. @param {OptionType} type @param {unknown} extra @returns {OptionType} */
exports.or = (type, extra) => ({
  takes: `${type.takes}, or ${extra}`,
  accepts: (value) => value === extra || type.accepts(value),
  parse: (text) => text === String(extra) ? extra : type.parse(text)
})

/** @returns {OptionType} */
exports.text = () => ({
  takes: 'a non-empty string',
  accepts: (value) => typeof value === 'string' && value.length > 0,
  parse: (text) => text
})

/** Characters that an Authorization header can carry. @returns {OptionType} */
exports.token = () => ({
  takes: 'a string of visible ASCII characters without spaces',
  accepts: (value) => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value),
  parse: (text) => text,
  isSecret: true
})

/** May contain a password. @returns {OptionType} */
exports.url = () => ({
  takes: 'a URL that starts with http:// or https://',
  accepts: (value) => typeof value === 'string' && URL.canParse(value) && /^https?:/.test(value),
  parse: (text) => text,
  isSecret: true
})

/** @param {string[]} words @returns {OptionType} */
exports.oneOf = (words) => ({
  takes: words.map((word) => `'${word}'`).join(' or '),
  accepts: (value) => words.includes(value),
  parse: (text) => text,
  words
})

/** @param {string | RegExp} [separator] @returns {OptionType} */
exports.list = (separator = ',') => ({
  takes: 'a list of strings (in text: a,b)',
  accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string' && item.length > 0),
  parse: (text) => text.split(separator).map((item) => item.trim()).filter(Boolean)
})

/** Names that Prometheus allows and no metric of ours uses. @param {string[]} reserved @returns {OptionType} */
exports.labels = (reserved) => ({
  takes: `an object of label names (letters, digits, _; not ${reserved.join(', ')}) and string values ` +
    '(in text: a=b,c=d)',
  accepts: (value) => isPlainObject(value) && Object.entries(value).every(([name, label]) =>
    /^(?!__)[a-zA-Z_]\w*$/.test(name) && !reserved.includes(name) && typeof label === 'string'),
  parse: (text) => {
    const pairs = text.split(',').filter((pair) => pair.trim() !== '').map((pair) => pair.split('='))
    if (pairs.some((pair) => pair.length !== 2)) return undefined
    return Object.fromEntries(pairs.map(([name, label]) => [name.trim(), label.trim()]))
  },
  format: (value) => Object.entries(value).map((pair) => pair.join('=')).join(',')
})

/** @returns {OptionType} */
exports.callback = () => ({
  takes: 'a function',
  accepts: (value) => typeof value === 'function',
  parse: () => undefined
})

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const FORMATS = ['json', 'pretty']
/** Names of streams by file descriptor. @type {Record<number, string>} */
const STREAMS = { 1: 'stdout', 2: 'stderr' }

/** The parts of a log, each with its check. @type {Record<string, (value: any) => boolean>} */
const LOG_PARTS = {
  level: (value) => LEVELS.includes(value),
  destination: (value) => value === 1 || value === 2 || (typeof value === 'string' && value.length > 0),
  format: (value) => FORMATS.includes(value)
}

/** One word of a log given as text. @param {string} word */
function logPart (word) {
  const [stream] = Object.entries(STREAMS).find(([, name]) => name === word) ?? []
  if (stream !== undefined) return { destination: Number(stream) }
  return FORMATS.includes(word) ? { format: word } : { level: word }
}

/** @returns {OptionType} */
exports.log = () => ({
  takes: `true, false, or { level: one of ${LEVELS.join(', ')}, destination: 1, 2 or a file, format: json or ` +
    'pretty } (in text: true, false, or some of stdout, stderr, json, pretty and a level, as in stderr,warn)',
  accepts: (value) => typeof value === 'boolean' || (isPlainObject(value) &&
    Object.entries(value).every(([key, part]) =>
      Object.hasOwn(LOG_PARTS, key) && (part === undefined || LOG_PARTS[key](part)))),
  parse: (text) => {
    if (text === 'true' || text === 'false') return text === 'true'
    return Object.assign({}, ...text.split(',').map((word) => logPart(word.trim())))
  },
  format: (value) => typeof value === 'boolean'
    ? String(value)
    : [STREAMS[value.destination], value.format, value.level].filter(Boolean).join(',')
})

exports.isPlainObject = isPlainObject
