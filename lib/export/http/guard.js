'use strict'

const net = require('node:net')

/** @import { IncomingMessage } from 'node:http' */

/** Names that an attacker's page cannot get in public DNS: one label, or a suffix of private networks. */
const PRIVATE_NAME = /^[^.]+$|\.(localhost|local|internal|svc|cluster\.local)$/

/**
 * Whether a Host header is an IP address, a private name or an allowed name. In a DNS rebinding attack, it is a public
 * name: that name is rebound to this machine's address.
 * @param {string | undefined} header @param {string[]} allowed
 */
exports.isHostAllowed = (header, allowed) => {
  if (header === undefined) return false
  const name = header.toLowerCase().replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
  if (net.isIP(name) !== 0) return true
  if (!/^[\w.-]+$/.test(name)) return false
  return PRIVATE_NAME.test(name) || allowed.some((host) => host.toLowerCase() === name)
}

/**
 * Checks the name in the Host header and in an absolute URL. HTTP/1.0 requests may omit the header: health checks do,
 * browsers never.
 * @param {Pick<IncomingMessage, 'httpVersion' | 'headers'>} request
 * @param {string | undefined} authority of an absolute URL
 * @param {string[]} allowed
 */
exports.isNameAllowed = ({ httpVersion, headers }, authority, allowed) =>
  (exports.isHostAllowed(headers.host, allowed) || (headers.host === undefined && httpVersion === '1.0')) &&
  (authority === undefined || exports.isHostAllowed(authority, allowed))

/** Splits the URL of a request: `/path?query`, or `http://authority/path?query` from a proxy. @param {string} url */
exports.readAddress = (url) => {
  const [, authority, rest = url] = /^https?:\/\/([^/?]*)([^]*)$/i.exec(url) ?? []
  const [path, query = ''] = rest.split('?', 2)
  return { authority, path: authority !== undefined && path === '' ? '/' : path, query }
}

/** @param {string | undefined} header Authorization @param {string | undefined} token undefined: none is required */
exports.isTokenValid = (header, token) => {
  if (token === undefined) return true
  // node:crypto takes a megabyte of the thread's memory, so it is only loaded if a token is set.
  const { createHash, timingSafeEqual } = require('node:crypto')
  const digest = (/** @type {string} */ text) => createHash('sha256').update(text).digest()
  const [, sent = ''] = /^bearer (.*)$/i.exec(header ?? '') ?? []
  return timingSafeEqual(digest(sent), digest(token))
}
