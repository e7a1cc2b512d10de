'use strict'

const { makePaths } = require('../../export/http/paths')
const { codedError, codedErrorFrom } = require('../../tables/errors')
const { printable } = require('../../util/sentence')
const { MS_PER_S } = require('../../util/units')

const HOST_AND_PORT = /^(?:[\w.-]+|\[[\da-f:.]+\]):\d{1,5}$/i
/** Longest wait for an agent's answer. */
const ANSWER_MS = 10000
/** Interval of the questions to an agent that a command watches. */
exports.WATCH_MS = 1000
const paths = Object.keys(makePaths(/** @type {any} */ ({})))
/** Path of an agent's document at the end of an address: the endpoint begins before it. */
const OWN_PATH = new RegExp(`(?:${paths.join('|').replaceAll('.', '\\.').replaceAll(':id', '[\\w.-]+')})$`)

/** Errors of a connection, for somebody who looks for an agent. @type {Record<string, string>} */
const REASONS = {
  ECONNREFUSED: 'nothing is listening there. Is the application running? Its log shows the address as "live page"',
  ENOTFOUND: 'no such host',
  ECONNRESET: 'the connection was closed without a response'
}

/** Whether a text is an address, not a folder. @param {string} text */
exports.isAddress = (text) => /^https?:\/\//i.test(text) || HOST_AND_PORT.test(text.replace(/\/.*$/, ''))

/** @param {string} text a URL, or host:port @throws LOOPWATCH_ERR_ADDRESS */
exports.addressOf = (text) => {
  const url = /^https?:\/\//i.test(text) ? text : `http://${text}`
  if (!exports.isAddress(text) || !URL.canParse(url)) throw codedError('LOOPWATCH_ERR_ADDRESS', text)
  const base = new URL(url)
  // Behind a proxy the endpoint may be below a path.
  base.pathname = OWN_PATH.test(base.pathname) ? base.pathname.replace(OWN_PATH, '/') : `${base.pathname}/`
  return base
}

/**
 * Resolves only with status 200; else throws LOOPWATCH_ERR_ADDRESS or LOOPWATCH_ERR_SOURCE.
 * @param {string} text as the user gave it @param {string} path below it, no slash in front @param {string} [token]
 * @param {AbortSignal[]} [signals] any of them gives up, as does ten seconds without an answer
 */
exports.ask = async (text, path, token, signals = []) => {
  const url = new URL(path, exports.addressOf(text))
  const response = await fetch(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MS), ...signals])
  }).catch((error) => { throw codedErrorFrom(error, 'LOOPWATCH_ERR_SOURCE', text, printable(reasonOf(error, url))) })
  if (response.status === 401) {
    throw codedError('LOOPWATCH_ERR_SOURCE', text,
      token === undefined ? 'it requires a token: --token' : 'it rejects this --token')
  }
  if (!response.ok) throw notOurs(text, `it answered ${response.status}${await errorIn(response)}`)
  return response
}

/** Why an agent refuses a request, such as one to a Host that it does not serve. @param {Response} response */
async function errorIn (response) {
  const { error } = /** @type {any} */ (await response.json().catch(() => null)) ?? {}
  return typeof error === 'string' ? ` (${printable(error).slice(0, 200)})` : ''
}

/** @param {string} text @param {string} path @param {string} [token] @returns {Promise<unknown>} */
exports.askJson = async (text, path, token) => {
  const response = await exports.ask(text, path, token)
  try {
    return await response.json()
  } catch (error) {
    if (error instanceof SyntaxError) throw notOurs(text, 'its response is not JSON', error)
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_SOURCE', text, printable(reasonOf(error, new URL(response.url))))
  }
}

/** @param {string} text @param {string} what it answered @param {unknown} [cause] */
function notOurs (text, what, cause) {
  return codedErrorFrom(cause, 'LOOPWATCH_ERR_SOURCE', text, `this is not the endpoint of a loopwatch agent: ${what}`)
}

/** @param {any} error of fetch() @param {URL} url */
function reasonOf (error, url) {
  const { cause } = error
  if (error.name === 'TimeoutError') return `no response within ${ANSWER_MS / MS_PER_S} s`
  const refused = exports.refusedPort(error, url.href)
  if (refused !== null) return refused
  // With several addresses, the cause collects their errors: it has a code and no message.
  return REASONS[cause?.code] ?? (cause?.message || cause?.code || error.message)
}

/**
 * Like browsers, fetch() refuses ports of other protocols, where an agent may listen.
 * @param {any} error of fetch() @param {string} url
 */
exports.refusedPort = (error, url) => error.cause?.message === 'bad port'
  ? `fetch() refuses port ${new URL(url).port}, as browsers do: give the agent another one`
  : null

exports.ANSWER_MS = ANSWER_MS
exports.notOurs = notOurs
