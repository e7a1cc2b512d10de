'use strict'

const PRICES = 8e6
const PAGE = 100

/** A supplier's file: one JSON text of some 40 MB, which is not streamed. */
const priceList = `{"supplier":"Summit & Co","cents":[${'1299,'.repeat(PRICES - 1)}1299]}`

exports.importPriceList = function importPriceList () {
  const { supplier, cents } = JSON.parse(priceList)
  return { supplier, prices: cents.length, highest: Math.max(...cents.slice(0, PAGE)) }
}
