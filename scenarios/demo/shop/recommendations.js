'use strict'

const CUSTOMERS = 3000
const BASKET = 40

/** Purchases of each customer, by product number. */
const baskets = new Uint16Array(CUSTOMERS * BASKET).map((_, i) => i * 7919 % 499)

/**
 * The customer with the most purchases in common: every product against every product, week by week.
 * @param {import('./router').Input} input
 */
exports.recommend = function recommend ({ id }) {
  const own = (id % CUSTOMERS) * BASKET
  let best = { customer: -1, common: -1 }
  for (let customer = 0; customer < CUSTOMERS; customer++) {
    let common = 0
    for (let other = customer * BASKET; other < (customer + 1) * BASKET; other++) {
      for (let mine = own; mine < own + BASKET; mine++) {
        for (let week = 0; week < 52; week++) {
          if ((baskets[other] + week) % 499 === baskets[mine]) common++
        }
      }
    }
    if (common > best.common && customer !== id) best = { customer, common }
  }
  return best
}
