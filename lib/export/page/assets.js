'use strict'

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { PARTS } = require('./parts')

const BUILT = path.join(__dirname, 'built')

const HEADERS = {
  // Everything from here and nothing inline; script may not even turn a string into markup.
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache'
}

/**
 * A file of the page. Not kept: a browser has it after the first time.
 * @param {keyof typeof PARTS} name
 * @param {string} known ETag of what the browser has
 * @returns {import('../http/server').Reply}
 */
exports.readPart = (name, known) => {
  const body = fs.readFileSync(path.join(BUILT, name))
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const headers = { ...HEADERS, etag, vary: 'accept' }
  return known === etag ? { status: 304, body: '', headers } : { status: 200, type: PARTS[name], body, headers }
}
