'use strict'

const part = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A constant token; nobody checks its signature, as nobody does in the original. */
exports.token = [part({ alg: 'HS256', typ: 'JWT' }), part({ sub: '1234567890', name: 'A. Reader', iat: 1516239022 }), 'c2lnbmF0dXJl'].join('.')

/** What is in a token, unverified. @param {string} token @returns {{ sub: string }} */
exports.decode = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
