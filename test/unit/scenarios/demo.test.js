'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')

const FOLDER = path.join(__dirname, '..', '..', '..', 'scenarios', 'demo')

/** Route, function, cause of what blocks. */
const expected = [
  ['GET /customers/:id/recommendations', 'recommend', 'js'],
  ['GET /search', 'searchProducts', 'js'],
  ['POST /login', 'hashPassword', 'native'],
  ['POST /prices', 'importPriceList', 'native'],
  ['GET /orders/:id/invoice', 'renderInvoicePdf', 'sync-io'],
  ['POST /orders/:id/reservation', 'waitForStockLock', 'sync-io'],
  ['DELETE /sessions', 'expireSessions', 'gc'],
  ['photos:resize', 'resizePhoto', 'js'],
  ['reports:compress', 'compressReport', 'native']
]

test('the README lists every request and job that blocks with its function and cause', () => {
  const readme = fs.readFileSync(path.join(FOLDER, 'README.md'), 'utf8')
  for (const [route, name, cause] of expected) {
    assert.match(readme, new RegExp(`^\\| \`${route}\` \\| \`${name}\` \\|.*\\| \`${cause}\` \\|$`, 'm'))
  }
})
