'use strict'

/** Route, function, cause of what blocks in the demo. */
exports.demoBlocks = [
  ['GET /customers/:id/recommendations', 'recommend', 'js'],
  ['GET /search', 'searchProducts', 'js'],
  ['POST /login', 'hashPassword', 'native'],
  ['POST /prices', 'importPriceList', 'native'],
  ['GET /orders/:id/invoice', 'renderInvoicePdf', 'sync-io'],
  ['POST /orders/:id/reservation', 'waitForStockLock', 'sync-io'],
  ['DELETE /sessions', 'expireSessions', 'gc']
]

/** Work, function, cause of what blocks in the demo's queue worker. */
exports.demoJobs = [
  ['photos:resize', 'resizePhoto', 'js'],
  ['reports:compress', 'compressReport', 'native']
]
