'use strict'

const { told } = require('../harness/report/contrast')

/** @typedef {import('../harness/interface').Cell} Cell */

/**
 * A comparison of two variants, each with its payload.
 * @typedef {object} Pair
 * @property {[variant: string, payload: string, depth?: number]} a
 * @property {[variant: string, payload: string, depth?: number]} b
 * @property {Omit<Parameters<typeof told>[2], 'unit'>} words
 */

/** @param {string} what @param {string} first @param {string} second @returns {Pair['words']} */
const returns = (what, first, second) => ({ first, second, more: ['returns', `as many ${what} as`], what: `${what} returned` })

const SMALL = 'small messages, one in flight,'
/** @type {Pair[]} */
const PAIRS = [
  { a: ['worker-clone', 'small'], b: ['fork-json', 'small'], words: returns(SMALL, 'a thread', 'a process') },
  { a: ['worker-json', 'big'], b: ['worker-clone', 'big'], words: returns('arrays of objects (44 kB)', 'JSON text to a thread', 'structured clone to a thread') },
  { a: ['fork-v8', 'big'], b: ['fork-json', 'big'], words: returns('arrays of objects (44 kB)', 'V8\'s serializer to a process', 'JSON to a process') },
  { a: ['worker-clone', 'bigstring'], b: ['fork-json', 'bigstring'], words: returns('strings of 71 kB', 'a thread', 'a process') },
  { a: ['worker-clone', 'twobyte'], b: ['worker-clone', 'bigstring'], words: returns('strings of 71,405 characters', 'a thread with two-byte characters', 'a thread with one-byte characters') },
  { a: ['worker-transfer', 'bytes'], b: ['worker-clone', 'bytes'], words: returns('arrays of 64 KiB', 'transferring', 'copying') },
  ...['ring-raw', 'ring-json'].map((ring) => (/** @type {Pair} */ ({ a: [ring, 'small', 256], b: ['worker-clone', 'small', 256], words: returns('small messages, 256 in flight,', `shared memory (${ring})`, 'a thread') })))
]

/** @param {Cell[]} cells @param {Pair} pair */
const sentence = (cells, { a, b, words }) => {
  const [of, over] = [a, b].map(([variant, payload, depth = 1]) => cells.find((cell) =>
    cell.median !== null && cell.variant === variant && cell.params.payload === payload && cell.params.depth === depth))
  return of === undefined || over === undefined ? null : told(of, over, { ...words, unit: of.unit })
}

/**
 * A process or a thread?
 * @param {import('../harness/interface').Document} document
 */
exports.verdict = ({ cells }) => sentence(cells, PAIRS[0])

/**
 * The results of the measured cells in sentences.
 * @param {import('../harness/interface').Document} document
 */
exports.findings = ({ cells }) => PAIRS.flatMap((pair) => sentence(cells, pair) ?? [])
