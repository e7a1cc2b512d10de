'use strict'

const { query } = require('./database')
const { products } = require('./catalogue')

/** @param {import('./router').Input} input */
exports.showOrder = async ({ id }) => {
  await query()
  return { id, lines: [{ product: products[id % products.length], quantity: 2 }] }
}
