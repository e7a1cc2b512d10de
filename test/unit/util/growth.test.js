'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fc = require('fast-check')
const { growthIn, growthOf } = require('../../../lib/util/growth')
const { makeRecord } = require('../../support/record')

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

test('sizes whose time is close to the least that counts do not keep a claim from being made', () => {
  // A page of mails on a busy machine; fits that add sizes again go back and forth between 15 and 16 of these.
  const sizes = '27704:200 41487:123 59029:129 83015:191 118099:284 165892:290 235976:406 331906:669 460959:763 ' +
    '29315:84 43814:63 62430:101 87669:121 124543:182 175200:237 249189:430 350368:517 486480:689 30747:67 46141:78 ' +
    '65652:105 92323:106 131166:163 184391:260 262221:370 368649:547 512001:780'
  const points = sizes.split(' ').map((pair) => pair.split(':').map(Number)).map(([bytes, ms]) => ({ bytes, ms }))
  assert.equal(growthOf(points, 62.7)?.exponent, 1)
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

const WORK = /** @type {import('../../../lib/types').WorkRecord} */ ({ kind: 'request', name: 'POST /report', attributes: {} })

/**
 * The sentence about nine blocks, whose bodies have 2 to 512 kB.
 * @param {(i: number) => number} msOf @param {(i: number) => object} [differencesOf]
 */
function textOf (msOf, differencesOf = () => ({})) {
  const blocks = Array.from({ length: 9 }, (_, i) => makeRecord({
    durationMs: msOf(i),
    work: WORK,
    request: { ...makeRecord().request, bytesIn: 2048 * 2 ** i },
    ...differencesOf(i)
  }))
  return growthIn(blocks)
}

test('the sentence has the number of blocks, the growth and the largest size', () => {
  const texts = [0, 1, 2, 3].map((exponent) => textOf((i) => 100 * 2 ** (exponent * i)))
  assert.deepEqual(texts, [
    '9 blocks: time does not depend on the body (100 ms at 512 kB)',
    '9 blocks: time grows in proportion to the body (25.6 s at 512 kB)',
    '9 blocks: time grows with the square of the body (6553.6 s at 512 kB)',
    '9 blocks: time grows with the cube of the body (1677721.6 s at 512 kB)'
  ])
  assert.equal(textOf((i) => 1000 * 2 ** (i / 2)), '', 'no exponent that it can name')
})

test('a size that the application gave counts rather than the body of the request', () => {
  const work = { ...WORK, kind: 'job', name: 'import' }
  assert.match(textOf((i) => 1000 * 2 ** i, (i) => ({ work: { ...work, attributes: { size: 1024 * 2 ** i } } })),
    /^9 blocks: time grows in proportion to the size \(.+ at 256 kB\)$/)
})

test('blocks in which the input is in doubt, or of several requests, do not count', () => {
  const { evidence } = makeRecord()
  const share = { work: WORK, request: null, frame: null, weightMs: 100 }
  for (const differences of [
    { work: { ...WORK, exact: false } },
    { evidence: { ...evidence, requests: 2 } },
    { works: [share, share] }
  ]) assert.equal(textOf((i) => 1000 * 2 ** i, () => differences), '', JSON.stringify(differences))
})
