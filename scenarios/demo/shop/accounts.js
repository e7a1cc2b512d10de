'use strict'

const { pbkdf2Sync } = require('node:crypto')

const ITERATIONS = 600000

/**
 * The synchronous one; `pbkdf2` with a callback would do this on another thread.
 * @param {import('./router').Input} input
 */
exports.hashPassword = function hashPassword ({ query }) {
  const hash = pbkdf2Sync(query.get('password') ?? '', 'salt', ITERATIONS, 64, 'sha512')
  return { user: 'ann', session: hash.toString('hex').slice(0, 16) }
}
