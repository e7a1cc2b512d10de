'use strict'

// A built-in in the blocks, helpers and callbacks of applications, alone or next to a cheap line or a plain loop.

const { BUILT_INS, CHEAP, chance, hot, kindNamed, programOf, timed } = require('./parts')
const { deeper, FORMS, marked, PLACES, STYLES } = require('../program')

/**
 * @typedef {import('./parts').Named} Named
 * @typedef {import('./parts').Work} Work
 * @typedef {import('../program').Design} Design
 * @typedef {import('../program').Program} Program
 * @typedef {import('../calibrate').PartSizes} PartSizes
 */

/** Places of calls of built-ins. @type {Record<string, (body: string[], call: string) => string[]>} */
const FRAMES = {
  for: (body) => FORMS.for(deeper(body)),
  forOf: (body) => FORMS.forOf(deeper(body)),
  while: (body) => FORMS.while(deeper(body)),
  doWhile: (body) => FORMS.doWhile(deeper(body)),
  forEach: (body) => FORMS.forEach(deeper(body)),
  map: (body) => FORMS.map(deeper(body)),
  once: (body) => FORMS.once(deeper(body)),
  tryInFor: (body) => FORMS.for(deeper(tried(body))),
  tryInForOf: (body) => FORMS.forOf(deeper(tried(body))),
  tryInWhile: (body) => FORMS.while(deeper(tried(body))),
  tryInDo: (body) => FORMS.doWhile(deeper(tried(body))),
  tryAround: (body) => ['function handle (n) {', '  let acc = 1', '  try {', '    for (let i = 0; i < n; i++) {', ...deeper(deeper(deeper(body))), '    }', '  } finally {', '    last = acc', '  }', '  return acc', '}'],
  helper: (body) => ['function step (i) {', '  let acc = i', ...deeper(body), '  return acc', '}', '', 'function handle (n) {', '  let sum = 0', '  for (let i = 0; i < n; i++) sum += step(i)', '  return sum', '}'],
  helperInTry: (body) => ['function step (i) {', '  let acc = i', '  try {', ...deeper(deeper(body)), '  } catch {', '    acc = 0', '  }', '  return acc', '}', '', 'function handle (n) {', '  let sum = 0', '  const all = Array.from({ length: n }, (_, k) => k)', '  for (const i of all) {', '    sum += step(i)', '  }', '  return sum', '}'],
  arrow: (body, call) => [`const made = (i) => ${call}`, '', 'function handle (n) {', '  let acc = 1', '  for (let i = 0; i < n; i++) {', ...deeper(deeper(body)), '    last = made(i)', '  }', '  return acc', '}'],
  chain: (body, call) => ['function handle (n) {', '  let acc = 1', '  const all = Array.from({ length: n }, (_, k) => k)', '  const made = all', '    .filter((i) => i >= 0)', `    .map((i) => ${call}`.replace(/( \/\/ MARK)?$/, ')$1'), '    .filter((each) => each !== null)', '  acc += made.length', '  return acc', '}'],
  oneLineMap: (body, call) => ['function handle (n) {', '  const all = Array.from({ length: n }, (_, k) => k)', `  const made = all.map((i) => ${call}`.replace(/( \/\/ MARK)?$/, ')$1'), '  return made.length', '}']
}
/** Those whose line is a call alone. */
const CALLS_ONLY = ['arrow', 'chain', 'oneLineMap']

/** @param {string[]} body */
const tried = (body) => ['try {', ...deeper(body), '} catch (error) {', '  acc = error.message.length', '}']

/** @typedef {Named & { works: Work[], cheap: string[], before: number }} BuiltIns */

/** A built-in in the blocks, helpers and callbacks of applications, alone or next to a cheap line or a plain loop. */
exports.builtIns = {
  /** @param {number} seed @param {number} index @returns {BuiltIns} */
  draw (seed, index) {
    const { random, one, scaled } = chance(seed, index, 3)
    const kind = kindNamed(one(BUILT_INS))
    const form = one(Object.keys(FRAMES))
    const style = one(STYLES)
    const beside = form === 'chain' || form === 'oneLineMap' ? 'nothing' : one(['nothing', 'cheap', 'loop'])
    const blockMs = 110 + random() * 220
    const aimMs = form === 'once' ? blockMs * (beside === 'loop' ? 0.7 : 1) : scaled(0.01, 30)
    const loopMs = aimMs * (0.15 + random() * 0.6)
    const loop = { kind: kindNamed('plain loop'), style, reps: 1, aimMs: loopMs }
    return {
      seed,
      index,
      kind: `${kind.name} next to ${beside}`,
      form: /** @type {any} */ (form),
      place: one(PLACES),
      style,
      works: [{ kind, style, reps: 1, aimMs }, ...(beside === 'loop' ? [loop] : [])],
      cheap: beside === 'cheap' ? [one(CHEAP)] : [],
      before: Math.round(random()),
      blockMs
    }
  },

  /** @param {BuiltIns} design @param {PartSizes} sizes @param {boolean} [isTimed] */
  write ({ works: [work, ...more], cheap, before, form, style }, { sizes, iterations }, isTimed = false) {
    const [size, filler] = sizes
    const call = isTimed ? `{ begin(); const done = ${work.kind.call}; end(0); return done }` : `${work.kind.call} // MARK`
    const isCall = CALLS_ONLY.includes(form)
    const rows = marked(/** @type {Design} */ ({ style, isAliased: false }), work.kind, size)
    const line = isCall ? [] : timed(hot(rows), 0, isTimed)
    const loop = more.map(() => timed([`for (let k = 0; k < ${filler}; k++) acc = (Math.imul(acc, 31) + k) | 0`], 1, isTimed)[0])
    const beside = [...loop, ...cheap.map((row) => timed([row], 2, isTimed)[0])]
    const body = before ? [...beside, ...line] : [...line, ...beside]
    const how = { isTimed, iterations }
    return programOf(work.kind.setup(size), FRAMES[form](body, call), how)
  }
}
