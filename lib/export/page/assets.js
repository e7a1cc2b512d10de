'use strict'

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')

/** @import { Reply } from '../http/server' */

const BUILT = path.join(__dirname, 'built')

/** A file of built/. @param {string} name */
exports.readBuilt = (name) => fs.readFileSync(path.join(BUILT, name))

/** The script and the style are built from source/. */
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
  'cache-control': 'no-cache'
}

/**
 * Not kept in memory: a browser has the file after the first time.
 * @param {keyof typeof PARTS} name @param {string} known ETag of the browser's copy
 * @returns {Reply}
 */
exports.readPart = (name, known) => {
  const body = exports.readBuilt(name)
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const headers = { ...HEADERS, etag, vary: 'accept' }
  return known === etag ? { status: 304, body: '', headers } : { status: 200, type: PARTS[name], body, headers }
}

exports.PARTS = PARTS
