'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fc = require('fast-check')
const { growthOf, growthText } = require('../../../lib/explain/growth')

const THRESHOLD_MS = 50

/** A random number generator with a seed (mulberry32). @param {number} seed */
function randomOf (seed) {
  return () => {
    seed = seed + 0x6D2B79F5 | 0
    let t = Math.imul(seed ^ seed >>> 15, 1 | seed)
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32
  }
}

/**
 * Blocks of a function whose time is a power of the size, with noise; short ones are not recorded.
 * @param {() => number} random
 * @param {{ exponent: number, noise: number, range: number, count: number }} how noise: standard deviation of log(ms)
 */
function blocksOf (random, { exponent, noise, range, count }) {
  const normal = () => Math.sqrt(-2 * Math.log(random() || 1e-9)) * Math.cos(2 * Math.PI * random())
  const baseMs = THRESHOLD_MS * (0.3 + 3 * random())
  const points = []
  for (let i = 0; i < 5 * count && points.length < count; i++) {
    const factor = range ** random()
    // One in ten waits for a CPU as well, or meets a full collection.
    const extra = random() < 0.1 ? 1 + 2 * random() : 1
    const ms = baseMs * factor ** exponent * Math.exp(noise * normal()) * extra
    if (ms >= THRESHOLD_MS) points.push({ bytes: Math.round(1000 * factor), ms })
  }
  return points
}

test('at most 5% of the sentences about growth name a wrong exponent, and most blocks of a wide range get one', () => {
  const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
  const random = randomOf(seed)
  for (const exponent of [0, 1, 2]) {
    let claims = 0
    let wrong = 0
    let runs = 0
    for (const noise of [0.1, 0.2, 0.35]) {
      for (const range of [6, 16, 100]) {
        for (const count of [8, 20, 60]) {
          for (let i = 0; i < 10; i++, runs++) {
            const growth = growthOf(blocksOf(random, { exponent, noise, range, count }), THRESHOLD_MS)
            if (growth === null) continue
            claims++
            if (growth.exponent !== exponent) wrong++
          }
        }
      }
    }
    assert.ok(wrong <= 0.05 * claims, `seed ${seed}, exponent ${exponent}: ${wrong} of ${claims} sentences are wrong`)
    assert.ok(claims > 0.15 * runs, `seed ${seed}, exponent ${exponent}: ${claims} of ${runs} have a sentence`)
  }
})

test('few sizes, sizes close to each other and blocks without a size allow no sentence', () => {
  const point = (/** @type {number} */ i) => ({ bytes: 1000 * 2 ** i, ms: 200 * 2 ** i })
  const points = Array.from({ length: 8 }, (_, i) => point(i))
  assert.equal(growthOf(points, THRESHOLD_MS)?.exponent, 1)
  assert.equal(growthOf(points.slice(1), THRESHOLD_MS), null)
  assert.equal(growthOf(points.map(({ ms }, i) => ({ bytes: 1000 + i, ms })), THRESHOLD_MS), null)
  assert.equal(growthOf(points.map(({ ms }) => ({ bytes: 0, ms })), THRESHOLD_MS), null)
})

test('sizes and times of any kind give an exponent with bounds around it, or none', () => {
  const point = fc.record({ bytes: fc.integer({ min: 0, max: 1e9 }), ms: fc.double({ min: 0, max: 1e6, noNaN: true }) })
  fc.assert(fc.property(fc.array(point, { maxLength: 200 }), (points) => {
    const growth = growthOf(points, THRESHOLD_MS)
    if (growth !== null) assert.ok(growth.low <= growth.high && growth.high - growth.low < 1)
  }))
})

test('the sentence has the number of blocks, the growth and the largest size', () => {
  const points = Array.from({ length: 9 }, (_, i) => ({ bytes: 2048 * 2 ** i, ms: 110 * 4 ** i / 100 + 100 * 4 ** i }))
  const growth = growthOf(points, THRESHOLD_MS)
  assert.ok(growth)
  assert.match(growthText(growth, 'body'), /^\d blocks: time grows with the square of the body \(.+ s at 512 kB\)$/)
})
