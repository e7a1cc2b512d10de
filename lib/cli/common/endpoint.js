'use strict'

const { codedError, codedErrorFrom } = require('../../tables/errors')
const { printable } = require('../../util/sentence')
const { HOST_AND_PORT } = require('./flags')

const ANSWER_MS = 10000
/** A url that ends so names a path of the endpoint, not where that begins. */
const OWN_PATH = /\/(?:blocks|metrics|healthz|profile|)$/

/**
 * What fetch() says of an address, in the words of somebody who looks for an agent there.
 * @type {Record<string, string>}
 */
const REASONS = {
  ECONNREFUSED: 'nobody listens there. Is the application running, and which address does its log give as "live page"?',
  ENOTFOUND: 'there is no machine of this name',
  ECONNRESET: 'the connection was closed without an answer'
}

/** Whether a text looks like an address rather than a folder. @param {string} text */
exports.isAddress = (text) => /^https?:\/\//i.test(text) || HOST_AND_PORT.test(text.replace(/\/.*$/, ''))

/**
 * Where an endpoint begins.
 * @param {string} text a url, or host:port
 * @returns {URL}
 * @throws {import('../../tables/errors').LoopwatchError} LOOPWATCH_ERR_ADDRESS
 */
exports.addressOf = (text) => {
  const url = /^https?:\/\//i.test(text) ? text : `http://${text}`
  if (!exports.isAddress(text) || !URL.canParse(url)) throw codedError('LOOPWATCH_ERR_ADDRESS', text)
  const base = new URL(url)
  // Behind a proxy the endpoint may be below a path.
  if (!OWN_PATH.test(base.pathname)) base.pathname += '/'
  return base
}

/**
 * Asks an endpoint of an agent.
 * @param {string} text its address, as it was given
 * @param {string} path below it, without a slash in front
 * @param {string} [token]
 * @returns {Promise<Response>} of status 200
 * @throws {import('../../tables/errors').LoopwatchError} LOOPWATCH_ERR_ADDRESS, LOOPWATCH_ERR_SOURCE
 */
exports.ask = async (text, path, token) => {
  const url = new URL(path, exports.addressOf(text))
  const response = await fetch(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(ANSWER_MS)
  }).catch((error) => { throw codedErrorFrom(error, 'LOOPWATCH_ERR_SOURCE', text, printable(reasonOf(error, url))) })
  if (response.status === 401) throw codedError('LOOPWATCH_ERR_SOURCE', text, token === undefined ? 'it asks for its token: --token' : 'it does not take this --token')
  if (!response.ok) throw notOurs(text, `it answered ${response.status}`)
  return response
}

/**
 * The same, with what it answers read as JSON.
 * @param {string} text
 * @param {string} path
 * @param {string} [token]
 * @returns {Promise<unknown>}
 */
exports.askJson = async (text, path, token) => {
  const response = await exports.ask(text, path, token)
  try {
    return await response.json()
  } catch (error) {
    throw notOurs(text, 'what it answered is no JSON', error)
  }
}

/** @param {string} text @param {string} what was seen of it @param {unknown} [cause] of what was seen */
function notOurs (text, what, cause) {
  return codedErrorFrom(cause, 'LOOPWATCH_ERR_SOURCE', text, `this is another server and not the endpoint of an agent: ${what}`)
}

/** @param {any} error of fetch() @param {URL} url */
function reasonOf (error, url) {
  const { cause } = error
  if (error.name === 'TimeoutError') return `no answer within ${ANSWER_MS / 1000} s`
  const refused = exports.refusedPort(error, url.href)
  if (refused !== null) return refused
  // A name that has several addresses gives a cause of many, with a code and without a message.
  return REASONS[cause?.code] ?? (cause?.message || cause?.code || error.message)
}

/**
 * Why fetch() has asked nobody: it has the browsers' list of ports that belong to other protocols, on which an
 * agent may listen. Null if something else is the reason.
 * @param {any} error of fetch()
 * @param {string} url
 */
exports.refusedPort = (error, url) => error.cause?.message === 'bad port'
  ? `fetch() refuses port ${new URL(url).port}, as browsers do: give the agent another one`
  : null

exports.notOurs = notOurs
