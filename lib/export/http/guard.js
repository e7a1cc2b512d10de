'use strict'

const net = require('node:net')

/** Names that no public DNS gives to an attacker's page: one label, or a suffix of private networks. */
const PRIVATE_NAME = /^[^.]+$|\.(localhost|local|internal|svc|cluster\.local)$/

/**
 * Whether a Host header may be answered: an address, a private name or an allowed one. A page whose
 * public name was rebound to this machine's address (DNS rebinding) is none of these.
 * @param {string | undefined} header
 * @param {string[]} allowed
 */
exports.isHostAllowed = (header, allowed) => {
  if (header === undefined) return false
  const name = header.toLowerCase().replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
  return net.isIP(name) !== 0 || (/^[\w.-]+$/.test(name) && (PRIVATE_NAME.test(name) || allowed.some((host) => host.toLowerCase() === name)))
}

/**
 * Whether a request that names this server so may be answered: by its Host header, which HTTP/1.0 may leave
 * out, as health checks do, and no browser does; and by its address, where that is an absolute one.
 * @param {Pick<import('node:http').IncomingMessage, 'httpVersion' | 'headers'>} request
 * @param {string | undefined} authority of its address
 * @param {string[]} allowed
 */
exports.isNameAllowed = ({ httpVersion, headers }, authority, allowed) =>
  (exports.isHostAllowed(headers.host, allowed) || (headers.host === undefined && httpVersion === '1.0')) &&
  (authority === undefined || exports.isHostAllowed(authority, allowed))

/**
 * The address of a request in its parts: `/path?query`, or `http://authority/path?query`, as through a proxy.
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
 * @param {string | undefined} token undefined = none is asked for
 */
exports.isTokenValid = (header, token) => {
  if (token === undefined) return true
  // Loaded where a token is set only: it is a megabyte of the thread's memory.
  const { createHash, timingSafeEqual } = require('node:crypto')
  const digest = (/** @type {string} */ text) => createHash('sha256').update(text).digest()
  const given = /^bearer (.*)$/i.exec(header ?? '')?.[1] ?? ''
  return timingSafeEqual(digest(given), digest(token))
}
