'use strict'

// The same work in both languages, with the same value: server-go/kernels.go has its twin.
const { createHash } = require('node:crypto')

const SEED = 0x9e3779b9
const RECORDS = 50
const SORTED = 2000
const GRID = 24
const MOST_STEPS = 100
const HASHED_BYTES = 4096

/** @param {number} x not 0 */
function xorshift (x) {
  x ^= x << 13
  x ^= x >>> 17
  x ^= x << 5
  return x | 0
}

/** The document of the JSON kernel. */
const jsonText = JSON.stringify(Array.from({ length: RECORDS }, (_, i) => ({ id: i, name: `item ${i}`, price: i * 1.5, tags: ['red', 'green', 'blue'], inStock: i % 3 === 0 })))

/** Ten thousand a step, so that a step is never below what a clock can tell. */
const ADDITIONS = 10000

/** @type {Record<string, (steps: number) => string>} */
exports.kernels = {
  // Additions of doubles: each waits four cycles for the one before, as a loop counter beyond 2^31 does in V8.
  float: (steps) => {
    let sum = 0.5
    for (let i = 0; i < steps; i++) for (let k = 0; k < ADDITIONS; k++) sum += 1
    return sum.toFixed(1)
  },
  int32: (steps) => {
    let x = SEED | 0
    for (let i = 0; i < steps; i++) for (let k = 0; k < ADDITIONS; k++) x = xorshift(x)
    return String(x)
  },
  sha256: (steps) => {
    const block = Buffer.alloc(HASHED_BYTES)
    for (let i = 0; i < steps; i++) createHash('sha256').update(block).digest().copy(block)
    return block.toString('hex', 0, 32)
  },
  json: (steps) => {
    let sum = 0
    for (let i = 0; i < steps; i++) {
      for (const { id, price, tags, inStock } of JSON.parse(jsonText)) sum += inStock ? id + price + tags.length : 0
    }
    return sum.toFixed(1)
  },
  sort: (steps) => {
    let x = SEED | 0
    let sum = 0
    for (let i = 0; i < steps; i++) {
      const numbers = []
      for (let k = 0; k < SORTED; k++) numbers.push(x = xorshift(x))
      numbers.sort((a, b) => a - b)
      sum = (sum + numbers[SORTED >> 1]) | 0
    }
    return String(sum)
  },
  mandelbrot: (steps) => {
    let inside = 0
    for (let i = 0; i < steps; i++) {
      for (let row = 0; row < GRID; row++) {
        for (let column = 0; column < GRID; column++) {
          const re = column / GRID * 3 - 2
          const im = row / GRID * 2 - 1
          let [a, b, n] = [0, 0, 0]
          while (n < MOST_STEPS && a * a + b * b <= 4) {
            const next = a * a - b * b + re
            b = 2 * a * b + im
            a = next
            n++
          }
          inside += n
        }
      }
    }
    return String(inside)
  },
  // The original's: nothing but counting, in doubles beyond 2^31.
  empty: (steps) => {
    let i = 0
    for (; i < steps; i++);
    return String(i)
  }
}

const CALIBRATE_MS = 60
/** Whatever else runs makes it slower, never faster: the fastest is closest to what it takes. */
const TRIES = 3

/**
 * How many steps of a kernel take a millisecond here, once compiled.
 * @param {string} name
 */
exports.calibrate = (name) => {
  const kernel = exports.kernels[name]
  let steps = 1
  for (;;) {
    const fromMs = performance.now()
    kernel(steps)
    const tookMs = performance.now() - fromMs
    // Measured again, because V8 may have compiled the code half-way.
    if (tookMs >= CALIBRATE_MS) {
      return steps / Math.min(...Array.from({ length: TRIES }, () => {
        const againMs = performance.now()
        kernel(steps)
        return performance.now() - againMs
      }))
    }
    steps = Math.ceil(steps * Math.min(10, Math.max(1.5, CALIBRATE_MS * 1.2 / Math.max(tookMs, 0.01))))
  }
}

exports.xorshift = xorshift
