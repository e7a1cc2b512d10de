'use strict'

// Work of the worker threads. Each task blocks its thread for about half a second. `// here:` marks its lines.

const crypto = require('node:crypto')
const { gunzipSync, gzipSync } = require('node:zlib')
const { marked } = require('marked')

const MS = 500
const until = () => Date.now() + MS

const ORDERS = JSON.stringify(Array.from({ length: 60000 }, (_, id) => ({ id, name: `order ${id}`, lines: [id, id + 1] })))
const PAGE = '# Orders\n\n- *one* order\n- [two](https://example.com) `orders`\n\n> and more\n\n'.repeat(1500)
const PACKED = gzipSync(Buffer.alloc(60 << 20))

exports.countPrimes = function countPrimes () {
  let count = 0
  const endMs = until()
  for (let n = 3; Date.now() < endMs; n += 2) {
    let isPrime = true
    for (let d = 3; d * d <= n; d += 2) if (n % d === 0) isPrime = false // here: countPrimes
    if (isPrime) count++
  }
  return count
}

exports.parseOrders = function parseOrders () {
  let count = 0
  for (const endMs = until(); Date.now() < endMs;) {
    const orders = JSON.parse(ORDERS) // here: parseOrders
    count += orders.length
  }
  return count
}

exports.hashPassword = function hashPassword () {
  const salt = crypto.randomBytes(16)
  return crypto.pbkdf2Sync('secret', salt, 400000, 64, 'sha512').toString('hex') // here: hashPassword
}

exports.unpack = function unpack () {
  let bytes = 0
  for (const endMs = until(); Date.now() < endMs;) {
    bytes += gunzipSync(PACKED).length // here: unpack
  }
  return bytes
}

exports.matchPattern = function matchPattern () {
  const text = `${'a'.repeat(25)}!`
  let isFound = false
  for (const endMs = until(); Date.now() < endMs;) {
    isFound ||= /^(a+)+$/.test(text) // here: matchPattern
  }
  return isFound
}

exports.sortRows = function sortRows () {
  const rows = Array.from({ length: 200000 }, (_, i) => ({ key: (i * 7919) % 200003 }))
  for (const endMs = until(); Date.now() < endMs;) {
    rows.toSorted((a, b) => a.key - b.key) // here: sortRows
  }
  return rows.length
}

exports.allocateRows = function allocateRows () {
  /** @type {object[]} */
  let kept = []
  for (const endMs = until(); Date.now() < endMs;) {
    kept.push({ a: [1, 2], b: {} }) // here: allocateRows
    if (kept.length > 500000) kept = []
  }
  return kept.length
}

exports.renderPage = function renderPage () {
  let chars = 0
  for (const endMs = until(); Date.now() < endMs;) {
    const html = marked(PAGE) // here: renderPage
    chars += `${html}`.length
  }
  return chars
}
