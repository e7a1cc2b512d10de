'use strict'

// How often what a scenario says of two figures is wrong, where the true ratio is known.
const test = require('node:test')
const assert = require('node:assert/strict')
const { contrast, ratioCells } = require('../../../scenarios/harness/report/contrast')

/**
 * Noise of one run, as a deviation of logarithms, from the results in the READMEs of cluster-http and goroutines. These
 * are 95% intervals of five runs, so it is ln(high / low) / 2 * sqrt(5) / 2.776.
 */
const NOISES = Object.entries({
  'cluster-http, cpu, one process': [163, 181],
  'cluster-http, empty, one process': [20890, 29105],
  'goroutines, Atomics.add': [22.6, 45.4]
}).map(([of, [low, high]]) => ({ of, deviation: Math.log(high / low) / 2 * Math.sqrt(5) / 2.776 }))
const RATIOS = [0.8, 0.9, 1, 1.1, 1.25]
const REPEATS = [3, 4, 5, 6, 7, 8, 9, 10]
const COMPARISONS = 500
const ALLOWED = 0.05
/** What a share of 5 % may be off by chance in so many comparisons: 2.6 deviations, as fifteen shares are looked at. */
const BY_CHANCE = 2.6 * Math.sqrt(ALLOWED * (1 - ALLOWED) / (COMPARISONS * REPEATS.length))

/** The same numbers in every run of the test (mulberry32). @param {number} seed */
function seeded (seed) {
  return () => {
    seed = (seed + 0x6D2B79F5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Box and Muller's. @param {() => number} random */
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/**
 * Runs of two ways in turn: the machine's ups and downs are in both, its own noise in each.
 * @param {() => number} random @param {{ ratio: number, deviation: number, repeats: number, strayShare: number }} as
 * strayShare: runs that something else disturbed, with three times the noise
 */
function simulate (random, { ratio, deviation, repeats, strayShare }) {
  const own = () => normal(random) * deviation * (random() < strayShare ? 3 : 1)
  const rounds = Array.from({ length: repeats }, () => normal(random) * deviation)
  return [ratio, 1].map((middle) => ({ samples: rounds.map((round) => middle * Math.exp(round + own())) }))
}

/** @param {string} answer @param {number} ratio */
const isWrong = (answer, ratio) =>
  (answer === 'more' && ratio <= 1) || (answer === 'less' && ratio >= 1) || (answer === 'same' && (ratio < 0.9 || ratio > 1.1))

for (const strayShare of [0, 0.1]) {
  test(`each answer about two figures is wrong in one of twenty comparisons at most${strayShare === 0 ? '' : ', even if something else disturbs runs'}`, (t) => {
    const random = seeded(20261127)
    for (const { of, deviation } of NOISES) {
      for (const ratio of RATIOS) {
        /** @type {Record<string, number>} */
        const shares = { more: 0, less: 0, same: 0, unclear: 0 }
        for (const repeats of REPEATS) {
          for (let i = 0; i < COMPARISONS; i++) {
            const [a, b] = simulate(random, { ratio, deviation, repeats, strayShare })
            shares[contrast(a, b)] += 1 / COMPARISONS / REPEATS.length
          }
        }
        const wrong = Object.keys(shares).reduce((sum, each) => sum + (isWrong(each, ratio) ? shares[each] : 0), 0)
        const text = `${of} (${deviation.toFixed(3)}), ratio ${ratio}: ${Object.entries(shares).map(([answer, share]) => `${answer} ${(share * 100).toFixed(1)}%`).join(', ')}; wrong ${(wrong * 100).toFixed(2)}%`
        t.diagnostic(text)
        assert.ok(wrong <= ALLOWED + BY_CHANCE, text)
      }
    }
  })
}

test('the suggested number of repeats is enough in four of five cases', (t) => {
  const random = seeded(20261128)
  const [{ deviation }] = NOISES
  let told = 0
  let asked = 0
  for (const ratio of RATIOS) {
    for (let i = 0; i < COMPARISONS; i++) {
      const [a, b] = simulate(random, { ratio, deviation, repeats: 4, strayShare: 0 })
      const said = /^unclear, about ([\d,]+) repeats would tell$/.exec(ratioCells(a, b)[2])
      if (said === null) continue
      const [more, than] = simulate(random, { ratio, deviation, repeats: Number(said[1].replace(',', '')), strayShare: 0 })
      asked++
      if (contrast(more, than) !== 'unclear') told++
    }
  }
  const text = `${told} of ${asked} told`
  t.diagnostic(text)
  assert.ok(asked > COMPARISONS / 4 && told > 0.8 * asked, text)
})
