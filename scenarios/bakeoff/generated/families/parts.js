'use strict'

// Lines, clocks and texts that the families of programs have in common.

const { kindOf, randomOf, truthIn } = require('../program')

/**
 * @typedef {import('../kinds').Kind} Kind
 * @typedef {import('../program').Design} Design
 * @typedef {import('../program').Program} Program
 * @typedef {import('../calibrate').PartSizes} PartSizes
 * @typedef {Pick<Design, 'seed' | 'index' | 'place' | 'style'> & { kind: string, form: string, blockMs: number }} Named
 * @typedef {object} Work a line, or the rows of one loop, that take time
 * @property {Kind} kind @property {Design['style']} style @property {number} reps in one iteration of the program
 * @property {number} aimMs CPU time in one iteration
 */

const MARK = / \/\/ MARK$/

/** Built-ins of which one call may take long. */
exports.BUILT_INS = [
  'JSON.stringify', 'JSON.parse', 'createHash', 'structuredClone', 'split', 'split by pattern', 'sort',
  'sort by comparator', 'toSorted', 'replaceAll', 'replace by pattern'
]

/** Calls of built-ins that take a microsecond or so. `i` counts the iterations. */
exports.CHEAP = [
  "last = JSON.parse('1')",
  "last = JSON.parse('{\"a\":[1,2]}')",
  'last = JSON.stringify([i])',
  "last = 'a,b'.split(',')",
  "last = 'a b c'.split(' ').length",
  'last = [3, 1].sort()',
  'last = [3, 1, 2].sort((a, b) => a - b)',
  "last = Buffer.from('x')",
  'last = [1, 2, 3].map((each) => each * 2)',
  'last = [1, 2, 3].filter((each) => each > 1).length',
  'last = Object.keys({ a: 1, b: i })',
  'last = Object.entries({ a: 1, b: i }).length',
  // eslint-disable-next-line no-template-curly-in-string
  'last = `${i} of ${acc}`',
  "last = 'field=1'.replace('field', 'f')",
  "last = 'field'.toUpperCase()",
  'last = Math.max(...[1, i])',
  "last = /b+/.test('abbc')",
  'last = structuredClone(1)'
]

/** @param {number} seed @param {number} index @param {number} salt of the family */
exports.chance = (seed, index, salt) => {
  const random = randomOf(seed * 100003 + index + salt * 7919)
  for (let i = 0; i < 3; i++) random()
  return {
    random,
    /** @template T @param {readonly T[]} list */
    one: (list) => list[Math.floor(random() * list.length)],
    whole: (/** @type {number} */ from, /** @type {number} */ to) => from + Math.floor(random() * (to - from + 1)),
    /** A random size, with small and large ones equally likely. @param {number} from @param {number} to */
    scaled: (from, to) => from * (to / from) ** random()
  }
}

/** @param {string} name */
exports.kindNamed = (name) => kindOf(/** @type {Design} */ ({ kind: name }))

/** Rows with a clock around all of them. @param {string[]} rows @param {number} part @param {boolean} isTimed */
exports.timed = (rows, part, isTimed) => {
  if (!isTimed) return rows
  const last = rows.length - 1
  return rows.map((row, i) => `${i === 0 ? 'begin(); ' : ''}${row.replace(MARK, '')}${i === last ? `; end(${part})` : ''}`)
}

/** @param {string[]} rows */
exports.hot = (rows) => rows.map((row) => `${row} // MARK`)

/**
 * A whole program around the functions of its work.
 * @param {string[]} setup @param {string[]} functions @param {object} how
 * @param {boolean} how.isTimed @param {boolean} [how.isAsync] @param {number} how.iterations @returns {Program}
 */
exports.programOf = (setup, functions, { isTimed, isAsync = false, iterations }) => programIn([
  "'use strict'",
  ...(isTimed ? ['const { begin, end } = globalThis.bakeoffTimes'] : []),
  'const pause = () => new Promise((resolve) => setImmediate(resolve))',
  ...setup,
  'let last = null',
  '',
  ...functions,
  '',
  `exports.block = ${isAsync ? 'async ' : ''}function block (n = ${iterations}) {`,
  `  last = ${isAsync ? 'await ' : ''}handle(n)`,
  '  return last',
  '}'
])

/** @param {string[]} rows marked @returns {Program} */
function programIn (rows) {
  const text = `${rows.map((row) => row.replace(MARK, '')).join('\n')}\n`
  return { text, packages: {}, ...truthIn(rows, /** @type {Kind} */ ({})) }
}
