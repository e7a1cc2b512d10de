'use strict'

const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')
const { cpuMs, LineClock } = require('./clock')
const { kindOf, write } = require('./program')

/** A call whose time is within this factor of the aimed one is near enough. */
const NEAR = 1.5
/** CPU time that one measurement may take, ms. */
const MEASURE_MS = 25
const WARM_UP_MS = 8
/** The least share of the marked line, and how much more it has than any other. */
const LEAST_SHARE = 0.28
/** A function that the line calls needs more: the other lines are all of one function. */
const HELPER_SHARE = 0.6
const AHEAD = 1.25
/** A call that needs longer than this to be made as long as it should be is not used, ms of wall time. */
const PATIENCE_MS = 1500
/** Iterations of a filler line in a millisecond, to begin with. */
const FILLER_PER_MS = 5e5
const MOST_FILLER = 1e8
const TRIES = 6
const LARGEST_SIZE = 2 ** 26

/**
 * @typedef {import('./program').Design} Design
 * @typedef {import('./program').Program} Program
 * @typedef {import('./program').Sizes} Sizes
 * @typedef {{ aimMs: number, from: number, most: number }} Part its time in an iteration, first and largest size
 * @typedef {object} Plan of a program whose parts are tuned one by one
 * @property {Part[]} parts the marked line first
 * @property {number} blockMs @property {boolean} isOnce one iteration is the block
 * @property {(sizes: PartSizes, isTimed?: boolean) => Program} write
 * @typedef {{ sizes: number[], iterations: number }} PartSizes
 */

const clock = new LineClock()
Object.assign(globalThis, {
  bakeoffTimes: { begin: () => clock.begin(), end: (/** @type {number} */ line) => clock.end(line) }
})

/**
 * Finds sizes for a program by running it without the agent, with a clock around each line of its loop. Null if its
 * marked line does not have its share: then the truth of the program is not known.
 * @param {Design} design @param {string} folder of the program
 * @returns {Promise<{ sizes: Sizes, share: number, next: number } | null>} next: the share of the next largest line
 */
exports.calibrate = async (design, folder) => {
  const isOnce = design.form === 'once'
  const measure = (/** @type {Sizes} */ sizes) => measureLines(write(design, sizes, true), folder)
  let size = kindOf(design).from ?? 1
  let callMs = 0
  const startMs = performance.now()
  for (let tries = 0; tries < 30; tries++) {
    if (performance.now() - startMs > PATIENCE_MS) return null
    callMs = (await measure({ size, filler: 1, iterations: 1 }))[0]
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
    const [markedMs, ...others] = await measure({ size, filler, iterations: 1 })
    const fillers = others.slice(0, design.fillers)
    const restMs = fillers.reduce((sum, ms) => sum + ms, 0)
    const fillerMs = restMs / design.fillers
    const aimedMs = markedMs * ratio
    const isNear = design.fillers === 0 || (fillerMs > aimedMs / NEAR && fillerMs < aimedMs * NEAR)
    if (isNear && markedMs >= AHEAD * Math.max(0, ...fillers)) {
      const found = (/** @type {number} */ n) => ({ size, filler, iterations: isOnce ? 1 : n })
      const written = (/** @type {number} */ n, isTimed = false) => write(design, found(n), isTimed)
      const whole = await measureWhole({ blockMs: design.blockMs, write: written }, [markedMs, ...fillers], folder)
      const isTrue = whole !== null && whole.share >= leastShare && markedMs + restMs > whole.loopMs / 2
      return isTrue ? { sizes: found(whole.iterations), share: whole.share, next: whole.next } : null
    }
    if (tries === TRIES || design.fillers === 0) return null
    filler = Math.min(MOST_FILLER, Math.max(1, Math.round(filler * aimedMs / Math.max(fillerMs, 1e-6))))
  }
}

/**
 * The same for a program of several parts, each of which has a size.
 * @param {Plan} plan @param {string} folder
 * @returns {Promise<{ sizes: PartSizes, share: number, next: number } | null>}
 */
exports.tune = async ({ parts, blockMs, isOnce, write }, folder) => {
  const endMs = performance.now() + PATIENCE_MS * parts.length
  let sizes = parts.map(({ from }) => from)
  while (performance.now() < endMs) {
    const perCall = await measureLines(write({ sizes, iterations: 1 }, true), folder, isOnce)
    const factors = parts.map(({ aimMs }, part) => aimMs / Math.max(perCall[part], 1e-4))
    if (factors.some((factor, part) => factor < 1 / NEAR && sizes[part] === 1)) return null
    if (factors.every((factor) => factor < NEAR && factor > 1 / NEAR)) {
      const [markedMs, ...others] = perCall
      if (markedMs < AHEAD * Math.max(...others)) return null
      const found = (/** @type {number} */ n) => ({ sizes, iterations: isOnce ? 1 : n })
      const written = (/** @type {number} */ n, isTimed = false) => write(found(n), isTimed)
      const whole = await measureWhole({ blockMs, write: written }, perCall, folder, isOnce)
      if (whole === null || whole.share < LEAST_SHARE) return null
      return { sizes: found(whole.iterations), share: whole.share, next: whole.next }
    }
    sizes = sizes.map((size, part) => Math.max(1, Math.round(size * Math.min(8, Math.max(1 / 16, factors[part])))))
    if (sizes.some((size, part) => size > parts[part].most)) return null
  }
  return null
}

/** @param {Program} program with clocks @param {string} folder @returns {(n?: number) => unknown} its block */
function load ({ text, packages }, folder) {
  writePackages(folder, packages)
  const file = path.join(folder, 'timed.cjs')
  fs.writeFileSync(file, text)
  for (const each of Object.keys(require.cache)) if (each.startsWith(folder)) delete require.cache[each]
  return Module.createRequire(file)(file).block
}

/**
 * CPU time of each line in an iteration, the marked one first, once V8 has optimized them.
 * @param {Program} program with clocks @param {string} folder @param {boolean} [isOnce] its block is one iteration
 */
async function measureLines (program, folder, isOnce = false) {
  const { n } = await runLong(load(program, folder), isOnce)
  return clock.ms.map((ms) => ms / n)
}

/**
 * Runs a block until one run is long enough to count.
 * @param {(n?: number) => unknown} block @param {boolean} isOnce
 */
async function runLong (block, isOnce) {
  let n = 1
  let tookMs = 0
  const endMs = cpuMs() + MEASURE_MS + WARM_UP_MS
  do {
    if (tookMs < WARM_UP_MS && tookMs > 0 && !isOnce) {
      n = Math.ceil(n * Math.min(8, Math.max(2, WARM_UP_MS / Math.max(tookMs, 0.01))))
    }
    clock.reset()
    const atMs = cpuMs()
    await block(n)
    tookMs = cpuMs() - atMs
  } while (cpuMs() < endMs)
  return { n, tookMs }
}

/**
 * The same program without clocks: how long an iteration is, how many make a block, and the shares of its
 * lines. Null if the marked line is not ahead in a first block, whose code V8 has not optimized yet.
 * @param {{ blockMs: number, write: (iterations: number, isTimed?: boolean) => Program }} plan
 * @param {number[]} perCall time of its lines, the marked one first @param {string} folder @param {boolean} [isOnce]
 */
async function measureWhole ({ blockMs, write }, perCall, folder, isOnce = false) {
  const { n, tookMs } = await runLong(load(write(1), folder), isOnce)
  const loopMs = tookMs / n
  const sumMs = perCall.reduce((sum, ms) => sum + ms, 0)
  const iterations = Math.max(1, Math.round(blockMs / loopMs))
  const block = load(write(iterations, true), folder)
  clock.reset()
  await block()
  const [share, ...others] = perCall.map((ms) => ms / Math.max(loopMs, sumMs))
  return isTrueCold(clock.ms) ? { iterations, loopMs, share, next: Math.max(0, ...others) } : null
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

/** Writes the program without clocks. @param {Program} program @param {string} folder */
exports.install = (program, folder) => {
  const file = path.join(folder, 'program.cjs')
  fs.writeFileSync(file, program.text)
  writePackages(folder, program.packages)
  return { file, ...program }
}
