'use strict'

const { listProducts, showProduct } = require('./catalogue')
const { recommend } = require('./recommendations')
const { renderInvoicePdf } = require('./invoices')
const { importPriceList } = require('./prices')
const { showOrder } = require('./orders')
const { hashPassword } = require('./accounts')
const { searchProducts } = require('./search')
const { expireSessions } = require('./sessions')
const { waitForStockLock } = require('./stock')
const { query } = require('./database')

/**
 * @typedef {{ id: number, query: URLSearchParams }} Input `id` from the path, NaN where it has none
 * @typedef {(input: Input) => unknown} Handler
 */

/**
 * A handler that first asks the database, as most do: the block then comes after an await.
 * @param {Handler} handler
 * @returns {Handler}
 */
const queried = (handler) => async function afterQuery (input) {
  await query()
  return handler(input)
}

/** @type {Record<string, Handler>} */
const routes = {
  // Healthy
  'GET /': () => ({ shop: 'open' }),
  'GET /products': queried(listProducts),
  'GET /products/:id': queried(showProduct),
  'GET /orders/:id': queried(showOrder),

  // Each of these blocks the event loop, in its own way.
  'GET /search': queried(searchProducts),
  'GET /customers/:id/recommendations': queried(recommend),
  'POST /prices': queried(importPriceList),
  'POST /login': queried(hashPassword),
  'GET /orders/:id/invoice': queried(renderInvoicePdf),
  'POST /orders/:id/reservation': queried(waitForStockLock),
  'DELETE /sessions': queried(expireSessions)
}

const patterns = Object.entries(routes).map(([route, handler]) => {
  const [method, path] = route.split(' ')
  return { method, path: new RegExp(`^${path.replace(/:id/g, '(\\d+)')}$`), handler }
})

/**
 * @param {string} method
 * @param {string} path
 * @returns {{ handler: Handler, id: number } | null}
 */
exports.findRoute = (method, path) => {
  for (const pattern of patterns) {
    const match = pattern.method === method ? pattern.path.exec(path) : null
    if (match) return { handler: pattern.handler, id: Number(match[1]) }
  }
  return null
}
