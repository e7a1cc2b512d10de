'use strict'

const net = require('node:net')

/** Names that no public DNS gives to an attacker's page: one label, or a suffix of private networks. */
const PRIVATE_NAME = /^[^.]+$|\.(localhost|local|internal|svc|cluster\.local)$/

/**
 * Whether a Host header may be answered: an address, a private name or an allowed one. The public name of a page
 * that was rebound to this machine's address (DNS rebinding) is none of these.
 * @param {string | undefined} header
 * @param {string[]} allowed
 */
exports.isHostAllowed = (header, allowed) => {
  if (header === undefined) return false
  const name = header.toLowerCase().replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
  if (net.isIP(name) !== 0) return true
  if (!/^[\w.-]+$/.test(name)) return false
  return PRIVATE_NAME.test(name) || allowed.some((host) => host.toLowerCase() === name)
}

/**
 * Whether a request may be answered by the name that it gives this server: in its Host header, and in its address if
 * that is an absolute one. HTTP/1.0 may leave out the header. Health checks do so, browsers never.
 * @param {Pick<import('node:http').IncomingMessage, 'httpVersion' | 'headers'>} request
 * @param {string | undefined} authority in its address
 * @param {string[]} allowed
 */
exports.isNameAllowed = ({ httpVersion, headers }, authority, allowed) =>
  (exports.isHostAllowed(headers.host, allowed) || (headers.host === undefined && httpVersion === '1.0')) &&
  (authority === undefined || exports.isHostAllowed(authority, allowed))

/**
 * The parts of a request's address: `/path?query`, or `http://authority/path?query` as a proxy sends it.
 * @param {string} url
 */
exports.readAddress = (url) => {
  const [, authority, rest = url] = /^https?:\/\/([^/?]*)([^]*)$/i.exec(url) ?? []
  const [path, query = ''] = rest.split('?', 2)
  return { authority, path: authority !== undefined && path === '' ? '/' : path, query }
}

/**
 * Whether an Authorization header carries the token, compared in constant time.
 * @param {string | undefined} header
 * @param {string | undefined} token undefined = none is needed
 */
exports.isTokenValid = (header, token) => {
  if (token === undefined) return true
  // Loaded only if a token is set: node:crypto takes a megabyte of the thread's memory.
  const { createHash, timingSafeEqual } = require('node:crypto')
  const digest = (/** @type {string} */ text) => createHash('sha256').update(text).digest()
  const given = /^bearer (.*)$/i.exec(header ?? '')?.[1] ?? ''
  return timingSafeEqual(digest(given), digest(token))
}
