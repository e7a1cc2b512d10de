'use strict'

// A hot line of plain JavaScript, between lines with cheap calls of built-ins.

const { CHEAP, chance, programOf, timed } = require('./parts')
const { deeper, FORMS, PLACES } = require('../program')

/**
 * @typedef {import('./parts').Named} Named
 * @typedef {import('./parts').Work} Work
 * @typedef {import('../program').Design} Design
 * @typedef {import('../program').Program} Program
 * @typedef {import('../calibrate').PartSizes} PartSizes
 */

/**
 * Plain JavaScript: the start of a loop, and its body.
 * @type {{ name: string, setup?: string[], before?: string[], head: string, body: string, after?: string[] }[]}
 */
const PLAIN = [
  { name: 'arithmetic', head: 'for (let k = 0; k < SIZE; k++)', body: 'acc = (acc * 33 + k) % 1000003' },
  { name: 'bits', head: 'for (let k = SIZE; k > 0; k--)', body: 'acc = ((acc << 5) - acc + k) | 0' },
  { name: 'concatenation', before: ["let text = ''"], head: 'for (let k = 0; k < SIZE; k++)', body: "text += 'row ' + k + ';'", after: ['acc += text.length'] },
  /* eslint-disable no-template-curly-in-string -- text of a program */
  { name: 'template', before: ['let text = `${i}`'], head: 'for (let k = 0; k < SIZE; k++)', body: 'text = `${k}:${text.length}`', after: ['acc += text.length'] },
  /* eslint-enable no-template-curly-in-string */
  { name: 'object by key', before: ['const counts = {}'], head: 'for (let k = 0; k < SIZE; k++)', body: "counts['k' + (k % 97)] = (counts['k' + (k % 97)] ?? 0) + k", after: ['acc += counts.k1 ?? 0'] },
  { name: 'objects', before: ['let chain = null'], head: 'for (let k = 0; k < SIZE; k++)', body: 'chain = { k, next: k % 64 === 0 ? null : chain }', after: ['acc += chain.k'] },
  { name: 'map', before: ['const seen = new Map()'], head: 'for (let k = 0; k < SIZE; k++)', body: 'seen.set(k % 509, (seen.get(k % 509) ?? 0) + 1)', after: ['acc += seen.size'] },
  { name: 'list', before: ['const rows = []'], head: 'for (let k = 0; k < SIZE; k++)', body: 'rows[k % 4096] = { id: k, total: acc + k }', after: ['acc = rows.length'] },
  { name: 'sum of a list', setup: ['const values = Array.from({ length: SIZE }, (_, k) => (k * 7919) % 10007)'], head: 'for (const value of values)', body: 'acc = (acc + value * 3) % 65521' },
  { name: 'push', before: ['const rows = []'], head: 'for (let k = 0; k < SIZE; k++)', body: 'rows.push(k & 1 ? k * 2 : acc)', after: ['acc += rows.length & 1'] },
  { name: 'BigInt', before: ['let big = 7n'], head: 'for (let k = 0; k < SIZE; k++)', body: 'big = (big * 1000003n + 12345n) % 170141183460469231731687303715884105727n', after: ['acc += Number(big & 7n)'] },
  { name: 'characters', setup: ["const source = 'some words and more words; '.repeat(64)"], before: ["let text = ''"], head: 'for (let k = 0; k < SIZE; k++)', body: 'text += source[(k * 7) % source.length]', after: ['acc += text.length'] },
  { name: 'typed array', setup: ['const cells = new Int32Array(1024)'], head: 'for (let k = 0; k < SIZE; k++)', body: 'cells[k & 1023] += cells[(k * 31) & 1023] ^ k', after: ['acc += cells[1]'] },
  { name: 'swaps', setup: ['const deck = Array.from({ length: 512 }, (_, k) => k)'], head: 'for (let k = 0; k < SIZE; k++)', body: '[deck[k & 511], deck[(k * 13) & 511]] = [deck[(k * 13) & 511], deck[k & 511]]', after: ['acc += deck[3]'] }
]

/**
 * @typedef {Named & { plain: typeof PLAIN[number], isOpen: boolean, cheap: string[], before: number, aimMs: number
 * }} Decoys
 */

/** A hot line of plain JavaScript, between lines with cheap calls of built-ins. */
exports.decoys = {
  /** @param {number} seed @param {number} index @returns {Decoys} */
  draw (seed, index) {
    const { random, one, whole, scaled } = chance(seed, index, 2)
    const plain = one(PLAIN)
    const form = one(Object.keys(FORMS))
    const cheap = Array.from({ length: whole(1, 4) }, () => one(CHEAP))
    const blockMs = 110 + random() * 220
    return {
      seed,
      index,
      kind: `${plain.name} next to ${cheap.length}`,
      form,
      place: one(PLACES),
      style: 'assigns',
      plain,
      isOpen: random() < 0.6,
      cheap,
      before: whole(0, cheap.length),
      aimMs: form === 'once' ? blockMs : scaled(0.02, 30),
      blockMs
    }
  },

  /** @param {Decoys} design @param {PartSizes} sizes @param {boolean} [isTimed] */
  write ({ plain, isOpen, cheap, before, form }, { sizes: [size], iterations }, isTimed = false) {
    const sized = (/** @type {string} */ row) => row.replaceAll('SIZE', `${size}`)
    const { setup = [], before: first = [], after = [] } = plain
    const loop = isOpen ? [`${plain.head} {`, `  ${plain.body}`, '}'] : [`${plain.head} ${plain.body}`]
    const marks = loop.map(sized).map((row) => row === '}' ? row : `${row} // MARK`)
    const beside = cheap.map((row, k) => timed([row], k + 1, isTimed)[0])
    const body = [...beside.slice(0, before), ...first, ...timed(marks, 0, isTimed), ...after, ...beside.slice(before)]
    const how = { isTimed, isAsync: form === 'afterAwait', iterations }
    return programOf(setup.map(sized), FORMS[/** @type {keyof typeof FORMS} */ (form)](deeper(body)), how)
  }
}
