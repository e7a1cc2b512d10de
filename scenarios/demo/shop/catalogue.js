'use strict'

const PRODUCTS = 500
const PAGE = 20
const nouns = ['tent', 'jacket', 'boots', 'backpack', 'stove', 'lantern', 'rope']
const qualities = ['light', 'waterproof', 'children\'s', 'alpine', 'folding']

const products = Array.from({ length: PRODUCTS }, (_, id) => ({
  id,
  name: `${qualities[id % qualities.length]} ${nouns[id % nouns.length]}`,
  cents: 900 + id * 17 % 20000
}))

exports.products = products
exports.listProducts = () => products.slice(0, PAGE)

/** @param {import('./router').Input} input */
exports.showProduct = ({ id }) => products[id] ?? null
