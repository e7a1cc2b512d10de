'use strict'

// What services are blocked by every day: a search in a search, a look into a large object, a compiled module. Each
// lasts until the time is up or for what one call takes. `here:` as in blocks.js.
const { createHash } = require('node:crypto')
const { inspect } = require('node:util')
const { brotliCompressSync } = require('node:zlib')
const { compile } = require('./wasm-loop')

const customers = Array.from({ length: 20000 }, (_, id) => ({ id, name: `name ${id}` }))
const orders = Array.from({ length: 4000 }, (_, i) => ({ customer: i * 7919 % 20000 }))
const tree = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key${i}`, { id: i, tags: ['x', 'y'], nested: { value: i / 7, at: new Date(i) } }]))
const names = Array.from({ length: 20000 }, (_, i) => `Name ${i * 7919 % 20011}`)
const upload = Buffer.alloc(160 * 1024 * 1024, 'some bytes')
const text = Array.from({ length: 60000 }, (_, i) => `${i * i * 7919 % 100003}`).join(' ')
const countTo = compile()

class Price {
  /** @param {number} cents */
  constructor (cents) { this.cents = cents }

  toJSON () { // here: jsonWithToJson
    return { amount: (this.cents / 100).toFixed(2), currency: 'EUR' } // here: jsonWithToJson
  }
}
const prices = Array.from({ length: 20000 }, (_, i) => new Price(i))

exports.blocks = {
  searchInSearch (/** @type {number} */ ms) {
    let found = 0
    for (const end = performance.now() + ms; performance.now() < end;) {
      for (const { customer } of orders.slice(0, 100)) {
        if (customers.find(function isBuyer ({ id }) { return id === customer })) found++ // here: searchInSearch
      }
    }
    return found
  },
  inspectObject (/** @type {number} */ ms) {
    let characters = 0
    const end = performance.now() + ms
    while (performance.now() < end) characters += inspect(tree, { depth: null }).length // here: inspectObject
    return characters
  },
  jsonWithToJson (/** @type {number} */ ms) {
    let characters = 0
    const end = performance.now() + ms
    while (performance.now() < end) characters += JSON.stringify(prices).length // here: jsonWithToJson
    return characters
  },
  sortByLocale (/** @type {number} */ ms) {
    let first = ''
    const end = performance.now() + ms
    while (performance.now() < end) {
      first = names.toSorted(function byLocale (a, b) { return a.localeCompare(b, 'de') })[0] // here: sortByLocale
    }
    return first
  },
  hashUpload () {
    const hash = createHash('sha512')
    hash.update(upload) // here: hashUpload
    return hash.digest('hex')
  },
  brotli () {
    const compressed = brotliCompressSync(text) // here: brotli
    return compressed.length / text.length
  },
  bigInts () {
    const digits = (3n ** 1800000n).toString() // here: bigInts
    return digits.length
  },
  webAssembly (/** @type {number} */ ms) {
    let sum = 0
    const end = performance.now() + ms
    while (performance.now() < end) sum += countTo(20e6) // here: webAssembly
    return sum
  }
}
