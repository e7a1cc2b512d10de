'use strict'

/**
 * Posts a body to somebody else's server, once. It never throws.
 * @param {URL} target a user and password in it become basic authentication
 * @param {{ type: string, body: string | Uint8Array<ArrayBuffer>, signal: AbortSignal }} what type of the content; the
 * signal ends the wait for an answer
 * @returns {Promise<{ error: Error | null, isFinal: boolean }>} final: it would be refused again
 */
exports.post = async (target, { type, body, signal }) => {
  const { username, password } = target
  const url = new URL(target)
  // fetch() refuses an address with credentials.
  url.username = url.password = ''
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': type, ...(username !== '' && { authorization }) },
      body,
      redirect: 'error',
      signal
    })
    await response.arrayBuffer()
    if (response.ok) return { error: null, isFinal: true }
    const isFinal = response.status < 500 && response.status !== 429 && response.status !== 408
    return { error: new Error(`${url.host} answered ${response.status}`), isFinal }
  } catch (error) {
    const reason = error.cause?.code ?? error.cause?.message ?? error.message
    return { error: new Error(`${url.host}: ${reason}`, { cause: error }), isFinal: false }
  }
}
