'use strict'

const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')
const { kindOf, write } = require('./program')

/** A call whose time is within this factor of the aimed one is near enough. */
const NEAR = 1.5
/** Time that one measurement may take, ms. */
const MEASURE_MS = 25
const WARM_UP_MS = 8
/** The least share of the marked line, and how much more it has than any other. */
const LEAST_SHARE = 0.28
/** A function that the line calls needs more: the other lines are all of one function. */
const HELPER_SHARE = 0.6
const AHEAD = 1.25
/** A call that needs longer than this to be made as long as it should be is not used, ms. */
const PATIENCE_MS = 1500
/** Iterations of a filler line in a millisecond, to begin with. */
const FILLER_PER_MS = 5e5
const MOST_FILLER = 1e8
const TRIES = 6
const LARGEST_SIZE = 2 ** 26

/**
 * @typedef {import('./program').Design} Design
 * @typedef {import('./program').Sizes} Sizes
 */

const times = { ms: [0, 0, 0, 0, 0, 0], atMs: 0 }
Object.assign(globalThis, {
  bakeoffTimes: {
    begin: () => { times.atMs = performance.now() },
    end: (/** @type {number} */ line) => { times.ms[line] += performance.now() - times.atMs }
  }
})

/**
 * Finds sizes for a program by running it without the agent, with a clock around each line of its loop. Null if its
 * marked line does not have its share: then it is no program whose truth is known.
 * @param {Design} design @param {string} folder of the program
 * @returns {Promise<{ sizes: Sizes, share: number } | null>}
 */
exports.calibrate = async (design, folder) => {
  const isOnce = design.form === 'once'
  let size = kindOf(design).from ?? 1
  let callMs = 0
  const startMs = performance.now()
  for (let tries = 0; tries < 30; tries++) {
    if (performance.now() - startMs > PATIENCE_MS) return null
    callMs = (await measure(design, { size, filler: 1, iterations: 1 }, folder)).perCall[0]
    if (callMs > design.callMs / NEAR || size >= LARGEST_SIZE || (isOnce && callMs > 70)) break
    const factor = design.callMs / Math.max(callMs, 1e-4)
    size = Math.ceil(size * Math.min(Math.max(factor * 0.9, 1.3), 16))
  }
  if (isOnce && callMs < 70) return null
  const { helper, isEither } = kindOf(design)
  const leastShare = helper === undefined || isEither ? LEAST_SHARE : HELPER_SHARE
  const ratio = design.fillers === 0 ? 0 : (1 - design.share) / design.share / design.fillers
  let filler = design.fillers === 0 ? 1 : Math.max(1, Math.round(callMs * ratio * FILLER_PER_MS))
  for (let tries = 0; ; tries++) {
    const { perCall: [markedMs, ...others], loopMs } = await measure(design, { size, filler, iterations: 1 }, folder)
    const share = markedMs / loopMs
    const fillers = others.slice(0, design.fillers)
    const restMs = fillers.reduce((sum, ms) => sum + ms, 0)
    const fillerMs = restMs / design.fillers
    const aimedMs = markedMs * ratio
    const isAhead = share >= leastShare && markedMs >= AHEAD * Math.max(0, ...fillers)
    const isNear = design.fillers === 0 || (fillerMs > aimedMs / NEAR && fillerMs < aimedMs * NEAR)
    if (isAhead && isNear && markedMs + restMs > loopMs / 2) {
      const iterations = isOnce ? 1 : Math.max(1, Math.round(design.blockMs / loopMs))
      const sizes = { size, filler, iterations }
      return isTrueCold(await measureCold(design, sizes, folder)) ? { sizes, share } : null
    }
    if (tries === TRIES || design.fillers === 0) return null
    filler = Math.min(MOST_FILLER, Math.max(1, Math.round(filler * aimedMs / Math.max(fillerMs, 1e-6))))
  }
}

/** @param {Design} design @param {Sizes} sizes @param {string} folder @returns {(n?: number) => unknown} its block */
function load (design, sizes, folder) {
  const { text, packages } = write(design, sizes, true)
  writePackages(folder, packages)
  const file = path.join(folder, 'timed.cjs')
  fs.writeFileSync(file, text)
  for (const each of Object.keys(require.cache)) if (each.startsWith(folder)) delete require.cache[each]
  return Module.createRequire(file)(file).block
}

/** @param {Design} design @param {Sizes} sizes @param {string} folder */
async function measure (design, sizes, folder) {
  const block = load(design, sizes, folder)
  let n = 1
  let tookMs = 0
  const endMs = performance.now() + MEASURE_MS + WARM_UP_MS
  // Grows until a run is long enough to count.
  do {
    times.ms.fill(0)
    const atMs = performance.now()
    await block(n)
    tookMs = performance.now() - atMs
    if (tookMs < WARM_UP_MS) n = Math.ceil(n * Math.min(8, Math.max(2, WARM_UP_MS / Math.max(tookMs, 0.01))))
  } while (performance.now() < endMs)
  return { perCall: times.ms.map((ms) => ms / n), loopMs: tookMs / n }
}

/**
 * A first block runs in code that V8 has not optimised yet, where other lines may take longer.
 * @param {Design} design @param {Sizes} sizes @param {string} folder @returns {Promise<number[]>} ms by line
 */
async function measureCold (design, sizes, folder) {
  const block = load(design, sizes, folder)
  times.ms.fill(0)
  await block()
  return [...times.ms]
}

/** @param {number[]} ms the marked line first */
const isTrueCold = ([marked, ...others]) => marked >= AHEAD * Math.max(...others)

/** @param {string} folder @param {Record<string, string>} packages texts by name */
function writePackages (folder, packages) {
  for (const [name, text] of Object.entries(packages)) {
    const home = path.join(folder, 'node_modules', name)
    fs.mkdirSync(home, { recursive: true })
    fs.writeFileSync(path.join(home, 'package.json'), JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
    fs.writeFileSync(path.join(home, 'index.js'), text)
  }
}

/**
 * Writes the program without clocks. @param {Design} design @param {Sizes} sizes @param {string} folder
 */
exports.install = (design, sizes, folder) => {
  const program = write(design, sizes)
  const file = path.join(folder, 'program.cjs')
  fs.writeFileSync(file, program.text)
  writePackages(folder, program.packages)
  return { file, ...program }
}
