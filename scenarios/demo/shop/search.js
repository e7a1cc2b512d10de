'use strict'

const { products } = require('./catalogue')

/** Words with single spaces between them. Where one is wrong, each letter before it doubles the time. */
const WORDS = /^(\w+\s?)*$/

/** @param {import('./router').Input} input */
exports.searchProducts = function searchProducts ({ query }) {
  const text = query.get('q') ?? ''
  if (!WORDS.test(text)) return []
  return products.filter(({ name }) => name.includes(text))
}

// V8 interprets an expression when it is first used, some ten times slower, and compiles it for the second time.
WORDS.test('')
