'use strict'

const { unescape } = require('node:querystring')
const { table } = require('./table')

/** @import { ResolvedOptions as Options } from './table' */

/** Shortest text that is hidden: a shorter one may be part of any word. */
const SECRET_CHARS = 6
const HIDDEN = '(not shown)'

/**
 * Options as others may see them: numbers, switches, words of the table and defaults. Other values may contain a
 * secret, so they are only shown as set.
 * @param {Options} options
 */
exports.shownOptions = (options) => Object.fromEntries(table.map(({ key, type, default: byDefault }) => {
  const value = /** @type {Record<string, unknown>} */ (options)[key]
  const isEmpty = value === undefined ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  if (isEmpty) return [key, 'not set']
  const isPlain = typeof value === 'number' || typeof value === 'boolean' || value === byDefault
  return [key, isPlain || type.words?.some((word) => word === value) ? value : 'set']
}))

/**
 * Removes the secrets of the options from a text, such as a line of code that contains one.
 * @param {Pick<Options, 'token' | 'notify' | 'otlp'>} options @returns {(text: string) => string}
 */
exports.hiderOf = (options) => {
  const secrets = secretsIn(options)
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text)
}

/** The longest first, as one may be part of another. @param {Pick<Options, 'token' | 'notify' | 'otlp'>} options */
function secretsIn ({ token, notify, otlp }) {
  const signals = otlp === false ? [] : Object.values(otlp.signals).flatMap((signal) => signal ?? [])
  const secrets = [
    token ?? '',
    // For Slack and others, the path is the credential.
    ...(notify === undefined ? [] : [notify, new URL(notify).pathname.slice(1), ...credentialsIn(notify)]),
    ...signals.flatMap(({ url, headers }) => [...credentialsIn(url), ...Object.values(headers).flatMap(partsOf)])
  ]
  return [...new Set(secrets)].filter((text) => text.length >= SECRET_CHARS).sort((a, b) => b.length - a.length)
}

/** A header, and its credentials after `Bearer` or `Basic`. @param {string} header */
const partsOf = (header) => [header, ...header.split(' ').slice(1)]

/** The password and the values of the query, encoded as in the URL and decoded. @param {string} url */
function credentialsIn (url) {
  const { password, search } = new URL(url)
  const values = [...search.matchAll(/=([^&]*)/g)].map(([, value]) => value)
  return [password, ...values].flatMap((text) => [text, unescape(text)])
}
