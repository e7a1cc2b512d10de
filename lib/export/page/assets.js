'use strict'

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { gunzipSync } = require('node:zlib')

/** @import { Reply } from '../http/server' */

/** Media types of the files that the endpoint serves. source/build.mjs builds and compresses them. */
const PARTS = {
  'index.html': 'text/html; charset=utf-8',
  'runbook.html': 'text/html; charset=utf-8',
  'causes.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8'
}

const HEADERS = {
  // Everything comes from here, nothing is inline. Script may not even turn a string into markup.
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
  'cache-control': 'no-cache',
  vary: 'accept, accept-encoding'
}

/** @param {string} name */
const readCompressed = (name) => fs.readFileSync(path.join(__dirname, `${name}.gz`))

/** @param {string} name */
exports.readText = (name) => gunzipSync(readCompressed(name)).toString()

/**
 * Not kept in memory: a browser has the file after the first time.
 * @param {keyof typeof PARTS} name @param {string} clientEtag of the browser's copy @param {boolean} takesGzip
 * @returns {Reply}
 */
exports.readPart = (name, clientEtag, takesGzip) => {
  const compressed = readCompressed(name)
  // A weak ETag may name both the compressed file and its text.
  const etag = `W/"${createHash('sha256').update(compressed).digest('base64url')}"`
  const headers = { ...HEADERS, etag }
  if (clientEtag === etag) return { status: 304, body: '', headers }
  const type = PARTS[name]
  return takesGzip
    ? { status: 200, type, body: compressed, headers: { ...headers, 'content-encoding': 'gzip' } }
    : { status: 200, type, body: gunzipSync(compressed), headers }
}

exports.PARTS = PARTS
