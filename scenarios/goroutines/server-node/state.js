'use strict'

const { xorshift } = require('../kernels')

const KEYS = 64
const SLOTS = 256
/**
 * Int32s of the memory that threads share: a lock, then either a counter for each key or a table of keys and values.
 */
const LOCK = 0
const BASE = 1

const [FREE, HELD, CONTENDED] = [0, 1, 2]

/**
 * A mutex on one Int32: nobody waits in the kernel, nobody is woken, unless there is contention.
 * @param {Int32Array} memory
 */
function lock (memory) {
  let seen = Atomics.compareExchange(memory, LOCK, FREE, HELD)
  while (seen !== FREE) {
    if (seen === CONTENDED || Atomics.compareExchange(memory, LOCK, HELD, CONTENDED) !== FREE) {
      Atomics.wait(memory, LOCK, CONTENDED)
    }
    seen = Atomics.compareExchange(memory, LOCK, FREE, CONTENDED)
  }
}

/** @param {Int32Array} memory */
function unlock (memory) {
  if (Atomics.exchange(memory, LOCK, FREE) === CONTENDED) Atomics.notify(memory, LOCK, 1)
}

/**
 * Index of a key's value in a table with open addressing. A new key gets a slot, which belongs to the thread that wrote
 * the key.
 * @param {Int32Array} memory
 * @param {number} key
 */
function slotOf (memory, key) {
  const name = key + 1
  for (let i = Math.imul(key, 0x9e3779b1) >>> 24; ; i = (i + 1) % SLOTS) {
    const at = BASE + 2 * i
    const found = Atomics.load(memory, at) || Atomics.compareExchange(memory, at, 0, name)
    if (found === 0 || found === name) return at + 1
  }
}

const THOUGHT = 8
let thought = 1

/** Long compared with reading and writing, so that every run of the control has a thread between the two. */
function think () {
  for (let i = 0; i < THOUGHT; i++) thought = xorshift(thought)
}

/** How a thread adds to the counter of a key. @type {Record<string, (memory: Int32Array, key: number) => void>} */
const ways = {
  // Nothing guards it, and it thinks between reading and writing: the control that loses updates.
  racy: (memory, key) => {
    const seen = memory[BASE + key]
    think()
    memory[BASE + key] = seen + 1
  },
  'atomics-add': (memory, key) => { Atomics.add(memory, BASE + key, 1) },
  'compare-exchange': (memory, key) => {
    let seen = Atomics.load(memory, BASE + key)
    for (;;) {
      const before = Atomics.compareExchange(memory, BASE + key, seen, seen + 1)
      if (before === seen) return
      seen = before
    }
  },
  'futex-mutex': (memory, key) => {
    lock(memory)
    memory[BASE + key]++
    unlock(memory)
  },
  'shared-map': (memory, key) => { Atomics.add(memory, slotOf(memory, key), 1) }
}

/** The sum over all keys. @param {string} way @param {Int32Array} memory */
exports.total = (way, memory) => {
  let sum = 0
  if (way === 'shared-map') for (let i = 0; i < SLOTS; i++) sum += Atomics.load(memory, BASE + 2 * i + 1)
  else for (let key = 0; key < KEYS; key++) sum += Atomics.load(memory, BASE + key)
  return sum
}

exports.allocate = () => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * (BASE + 2 * SLOTS))
exports.KEYS = KEYS
exports.ways = ways
