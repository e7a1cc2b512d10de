'use strict'

const { execSync } = require('node:child_process')

/**
 * Waits for another program; `sleep` stands in for the renderer.
 * @param {import('./router').Input} input
 */
exports.renderInvoicePdf = function renderInvoicePdf ({ id }) {
  execSync('sleep 0.6')
  return { id, pdf: `invoice-${id}.pdf` }
}
