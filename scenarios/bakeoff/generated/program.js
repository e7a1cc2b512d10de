'use strict'

const { kinds } = require('./kinds')

/**
 * @typedef {import('./kinds').Kind} Kind
 * @typedef {object} Design what a program is made of, as drawn by chance
 * @property {number} seed @property {number} index
 * @property {string} kind what takes the time of the marked line
 * @property {keyof typeof FORMS} form of the loop
 * @property {typeof PLACES[number]} place where the block happens
 * @property {number} callMs the aimed time of one call
 * @property {number} blockMs the aimed time of a block
 * @property {number} share of the marked line in a block, 0 to 1; the other lines have the rest
 * @property {number} fillers lines that share the rest
 * @property {number} before how many of them stand before the marked line
 * @property {'declares' | 'assigns' | 'tests' | 'wraps' | 'breaks'} style of the marked line
 * @property {boolean} isAliased the call has another name than the callee
 * @property {boolean} hasDecoy another line calls the same function, cheaply
 * @property {number} company other functions that take a part of the same block
 * @property {boolean} isCompanyPacked they are of a package
 * @typedef {object} Sizes found by measuring
 * @property {number} size of one call
 * @property {number} filler iterations of a filler line
 * @property {number} iterations of the loop in a block
 * @typedef {{ text: string, packages: Record<string, string>, lines: number[], functions: [number, number][] }} Program
 * `lines`: those that are right, `functions`: first and last line of each function that is right
 */

const PLACES = /** @type {const} */ (['request', 'request after an await', 'job', 'timer', 'stream', 'reaction'])
const STYLES = /** @type {const} */ (['declares', 'assigns', 'tests', 'wraps', 'breaks'])

/** The package of other functions. */
const COMPANY = 'tinybeside'
/** Iterations of another function for each ms of a block: a tenth of it or two. */
const COMPANY_PER_MS = 2e4

/**
 * The code of each form around the body of a loop of `n` iterations.
 * @type {Record<string, (body: string[]) => string[]>}
 */
const FORMS = {
  for: (body) => ['function handle (n) {', '  let acc = 1', '  for (let i = 0; i < n; i++) {', ...deeper(body), '  }', '  return acc', '}'],
  forOf: (body) => ['function handle (n) {', '  let acc = 1', '  const all = Array.from({ length: n }, (_, k) => k)', '  for (const i of all) {', ...deeper(body), '  }', '  return acc', '}'],
  while: (body) => ['function handle (n) {', '  let acc = 1', '  let i = 0', '  while (i < n) {', ...deeper(body), '    i++', '  }', '  return acc', '}'],
  doWhile: (body) => ['function handle (n) {', '  let acc = 1', '  let i = 0', '  do {', ...deeper(body), '    i++', '  } while (i < n)', '  return acc', '}'],
  forEach: (body) => ['function handle (n) {', '  let acc = 1', '  const all = Array.from({ length: n }, (_, k) => k)', '  all.forEach((i) => {', ...deeper(body), '  })', '  return acc', '}'],
  map: (body) => ['function handle (n) {', '  const all = Array.from({ length: n }, (_, k) => k)', '  const found = all.map((i) => {', '    let acc = i', ...deeper(body), '    return acc', '  })', '  return found.length', '}'],
  nested: (body) => ['function handle (n) {', '  let acc = 1', '  const columns = Math.ceil(Math.sqrt(n))', '  for (let row = 0; row * columns < n; row++) {', '    for (let i = row * columns; i < Math.min(n, (row + 1) * columns); i++) {', ...deeper(deeper(body)), '    }', '  }', '  return acc', '}'],
  recursion: (body) => ['function handle (n, from = 0) {', '  if (n > 1) {', '    const half = n >> 1', '    return handle(half, from) + handle(n - half, from + half)', '  }', '  const i = from', '  let acc = 1', ...body, '  return acc', '}'],
  generator: (body) => ['function * steps (n) {', '  let acc = 1', '  for (let i = 0; i < n; i++) {', ...deeper(body), '    yield acc', '  }', '}', '', 'function handle (n) {', '  let sum = 0', '  for (const each of steps(n)) sum += each', '  return sum', '}'],
  tryCatch: (body) => ['function handle (n) {', '  let acc = 1', '  for (let i = 0; i < n; i++) {', '    try {', ...deeper(deeper(body)), '    } catch (error) {', '      acc = error.message.length', '    }', '  }', '  return acc', '}'],
  afterAwait: (body) => ['async function handle (n) {', '  let acc = 1', '  await pause()', '  for (let i = 0; i < n; i++) {', ...deeper(body), '  }', '  return acc', '}'],
  classMethod: (body) => ['class Report {', '  constructor () {', '    this.rows = []', '  }', '', '  build (n) {', '    let acc = 1', '    for (let i = 0; i < n; i++) {', ...deeper(deeper(body)), '    }', '    this.rows.push(acc)', '    return acc', '  }', '}', '', 'function handle (n) {', '  return new Report().build(n)', '}'],
  branches: (body) => ['function handle (n) {', '  let acc = 1', '  for (let i = 0; i < n; i++) {', '    if (acc === 0.5) {', '      acc = 2', '      continue', '    }', ...deeper(body), '    if (acc > 1e15) acc = 1', '  }', '  return acc', '}'],
  helper: (body) => ['function step (i) {', '  let acc = i', ...body, '  return acc', '}', '', 'function handle (n) {', '  let sum = 0', '  for (let i = 0; i < n; i++) sum += step(i)', '  return sum', '}'],
  arrow: (body) => ['const handle = (n) => {', '  let acc = 1', '  for (let i = 0; i !== n; i += 1) {', ...deeper(body), '  }', '  return acc', '}'],
  once: (body) => ['function handle (n) {', '  let acc = 1', '  const i = n', ...body, '  return acc', '}']
}

/** @param {string[]} lines */
const deeper = (lines) => lines.map((line) => `  ${line}`)

/** Numbers from 0 to 1, the same ones for a seed (mulberry32). @param {number} seed */
function randomOf (seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6D2B79F5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** @param {number} seed @param {number} index of the program @returns {Design} */
exports.draw = (seed, index) => {
  const random = randomOf(seed * 100003 + index)
  for (let i = 0; i < 3; i++) random()
  /** @template T @param {readonly T[]} list */
  const one = (list) => list[Math.floor(random() * list.length)]
  const kind = one(kinds)
  const form = one(Object.keys(FORMS))
  const callMs = form === 'once' ? 90 + random() * 200 : 0.005 * 6000 ** random()
  const isWhole = form === 'once' || random() < 0.35
  const fillers = isWhole ? 0 : 1 + Math.floor(random() * 4)
  return {
    seed,
    index,
    kind: kind.name,
    form,
    place: one(PLACES),
    callMs,
    blockMs: 110 + random() * 220,
    // A filler has at most two thirds of the marked line's time.
    share: isWhole ? 1 : Math.max(1 / (1 + fillers * 0.66), 0.3) + random() * 0.3,
    fillers,
    before: Math.floor(random() * (fillers + 1)),
    style: one(STYLES),
    isAliased: kind.alias !== undefined && random() < 0.2,
    hasDecoy: kind.decoy !== undefined && random() < 0.25,
    company: random() < 0.25 ? 1 + Math.floor(random() * 2) : 0,
    isCompanyPacked: random() < 0.5
  }
}

/** The marked line, which may have several rows. @param {Design} design @param {Kind} kind @param {number} size */
function marked ({ style, isAliased }, kind, size) {
  const sized = (/** @type {string} */ text) => text.replaceAll('SIZE', `${size}`)
  if (kind.statement !== undefined) return [sized(kind.statement)]
  const text = sized(kind.call)
  const call = isAliased ? text.replace(String(kind.alias), 'alias') : text
  if (style === 'declares') return [`const made = ${call}`]
  if (style === 'assigns') return [`last = ${call}`]
  if (style === 'tests') return [`if (${call}) acc++`]
  if (style === 'wraps') return [`acc += Number(${call} !== undefined)`]
  return call.startsWith('(') ? ['const made =', `  ${call}`] : ['const made = [', `  ${call}`, ']']
}

/** The line of a company's function that takes its time. @param {number} n */
const companion = (n) => [`function other${n} (times) {`, `  let h = ${n}`, '  for (let k = 0; k < times; k++) h = (Math.imul(h, 33) + k) | 0', '  return h', '}', '']

/**
 * The text of a program. With `isTimed`, each line of the loop's body measures its own time: `times[0]` of the marked
 * one, then those of the fillers.
 * @param {Design} design @param {Sizes} sizes @param {boolean} [isTimed] @returns {Program}
 */
exports.write = (design, { size, filler, iterations }, isTimed = false) => {
  const kind = exports.kindOf(design)
  const timed = (/** @type {number} */ at, /** @type {string[]} */ rows) =>
    isTimed ? rows.map((row, i) => `${i === 0 ? 'begin(); ' : ''}${row}${i === rows.length - 1 ? `; end(${at})` : ''}`) : rows
  const hot = timed(0, marked(design, kind, size)).map((row) => `${row} // MARK`)
  const fill = Array.from({ length: design.fillers }, (_, k) =>
    timed(k + 1, [`for (let k = 0; k < ${filler}; k++) acc = (Math.imul(acc, 3${k}) + k) | 0`])[0])
  const declares = hot[0].includes('const made')
  const rest = [...fill.slice(design.before), ...(declares ? ['if (made === null) acc++'] : [])]
  const body = [...(design.hasDecoy ? [`if (acc === 0.25) last = ${kind.decoy}`] : []), ...fill.slice(0, design.before), ...hot, ...rest]
  const company = Math.round(design.blockMs * COMPANY_PER_MS)
  const companions = Array.from({ length: design.company }, (_, n) => companion(n)).flat()
  const isPacked = design.isCompanyPacked && design.company > 0
  const rows = [
    "'use strict'",
    ...(isTimed ? ['const { begin, end } = globalThis.bakeoffTimes'] : []),
    'const pause = () => new Promise((resolve) => setImmediate(resolve))',
    ...(kind.package === undefined ? [] : [`const pkg = require('${kind.package.name}')`]),
    ...(isPacked ? [`const beside = require('${COMPANY}')`] : []),
    ...(kind.helper ?? []).map((row) => row.replaceAll('SIZE', `${size}`)),
    ...kind.setup(size),
    ...(design.isAliased ? [`const alias = ${kind.alias}`] : []),
    'let last = null',
    '',
    ...(isPacked ? [] : companions),
    ...FORMS[design.form](body),
    '',
    `exports.block = ${design.form === 'afterAwait' ? 'async ' : ''}function block (n = ${iterations}) {`,
    ...(design.hasDecoy ? [`  last = ${kind.decoy}`] : []),
    ...Array.from({ length: design.company }, (_, n) => `  if (n === ${iterations}) last = ${isPacked ? 'beside.' : ''}other${n}(${company})`),
    `  last = ${design.form === 'afterAwait' ? 'await ' : ''}handle(n)`,
    '  return last',
    '}'
  ]
  const packages = {
    ...(kind.package && { [kind.package.name]: kind.package.text(size) }),
    ...(isPacked && { [COMPANY]: companions.map((row) => row.replace(/^function (\w+)/, 'exports.$1 = function $1')).join('\n') })
  }
  return { text: `${rows.map((row) => row.replace(/ \/\/ (?:MARK|HOT)$/, '')).join('\n')}\n`, packages, ...truthIn(rows, kind) }
}

/** @param {string[]} rows @param {Kind} kind @returns {Pick<Program, 'lines' | 'functions'>} */
function truthIn (rows, kind) {
  const ending = (/** @type {string} */ mark) => rows.flatMap((row, i) => row.endsWith(mark) ? [i + 1] : [])
  const [calls, hot] = [ending('// MARK'), ending('// HOT')]
  const lines = hot.length === 0 ? calls : kind.isEither ? [...hot, ...calls] : hot
  return { lines, functions: lines.map((line) => around(rows, line)) }
}

/**
 * The first and last line of the outermost function around a line.
 * @param {string[]} rows @param {number} line @returns {[number, number]}
 */
function around (rows, line) {
  const first = rows.findLastIndex((row, i) => i < line && /^(?:async )?(?:function|class|const handle)/.test(row))
  const last = rows.findIndex((row, i) => i >= line - 1 && /^\}/.test(row))
  return [first + 1, last + 1]
}

/** @param {Design} design */
exports.kindOf = ({ kind }) => /** @type {Kind} */ (kinds.find(({ name }) => name === kind))
exports.FORMS = FORMS
exports.PLACES = PLACES
exports.STYLES = STYLES
exports.deeper = deeper
exports.marked = marked
exports.randomOf = randomOf
exports.truthIn = truthIn
