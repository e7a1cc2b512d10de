'use strict'

// What leaves little behind to see: a native call and the work after it, rows of short callbacks in one turn of the
// loop, garbage. `here:` as in ../blocks.js.
const { spawnSync } = require('node:child_process')

const ROWS = 380000
const STATE = 130000
/** Duration of one callback, too short for a block. */
const JOB_MS = 4
const DELAY_MS = 1
const LIVE = 400000

const json = JSON.stringify(Array.from({ length: ROWS }, (_, id) => ({
  id, name: `name ${id}`, nested: { value: id / 7, tags: ['x', 'y'] }
})))
const sessions = new Map()
for (let id = 0; id < STATE; id++) {
  sessions.set(`session ${id}`, { id, cart: [{ sku: 'a', count: id % 7 }], at: new Date(id) })
}
const state = { sessions }

/** @param {{ nested: { value: number } }[]} rows */
function sumUp (rows) {
  let sum = 0
  for (const { nested: { value } } of rows) sum += value
  return sum
}

exports.blocks = {
  parseThenCall () {
    const rows = JSON.parse(json) // here: parseThenCall
    return sumUp(rows)
  },
  cloneThenUse () {
    const copy = structuredClone(state) // here: cloneThenUse
    copy.sessions.delete('session 1')
    return copy
  },
  spawnConverter (/** @type {number} */ ms) {
    const { status } = spawnSync('sleep', [`${ms / 1000}`]) // here: spawnConverter
    if (status !== 0) throw new Error(`the converter ended with ${status}`)
  },
  async microtaskRow (/** @type {number} */ ms) {
    const end = performance.now() + ms
    while (performance.now() < end) await null // here: microtaskRow
  },
  timerRow (/** @type {number} */ ms) {
    return new Promise((resolve) => {
      let left = Math.ceil(ms / JOB_MS)
      function onTimer () {
        const end = performance.now() + JOB_MS
        while (performance.now() < end); // here: timerRow
        if (--left === 0) resolve(undefined)
      }
      for (let i = left; i > 0; i--) setTimeout(onTimer, DELAY_MS)
    })
  },
  immediateRow (/** @type {number} */ ms) {
    return new Promise((resolve) => {
      let left = Math.ceil(ms / JOB_MS)
      function onImmediate () {
        const end = performance.now() + JOB_MS
        while (performance.now() < end); // here: immediateRow
        if (--left === 0) resolve(undefined)
      }
      for (let i = left; i > 0; i--) setImmediate(onImmediate)
    })
  },
  allocationStorm (/** @type {number} */ ms) {
    /** All of it outlives some collections, as what a cache holds does. @type {object[]} */
    const cache = []
    const end = performance.now() + ms
    for (let i = 0; performance.now() < end; i++) {
      cache[i % LIVE] = { key: `key ${i}`, value: [i, { at: i }] } // here: allocationStorm
    }
    return cache.length
  }
}
