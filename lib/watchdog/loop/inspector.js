'use strict'

const { AGENT } = require('../../util/globals')
const { nowMs } = require('../../util/clock')

/** V8 evaluates this on the host thread at its next interrupt. @param {number | undefined} putAtMs see askHost() */
const question = (putAtMs) => `${AGENT}?.probe?.(${AGENT}.inspector.url(), ${putAtMs})`

/** @typedef {{ Session: typeof import('node:inspector').Session }} Inspector */

/**
 * Asks the host thread's probe. Connecting, asking and disconnecting are posted in one go and run at one interrupt; the
 * answer comes through shared memory. So no session is open while the host runs: it could make an ending process wait
 * for a debugger, or print that it does.
 * @param {boolean} isAgain the question was put before and may be lost: its time then tells the answers apart. A first
 * question always has the same text, which V8 need not compile each time: 20 us instead of 30
 * @returns {string | null} why asking failed
 */
exports.askHost = (isAgain) => evaluate(question(isAgain ? nowMs() : undefined))

exports.askToAbort = () => evaluate(`${AGENT}?.abort?.()`)

/** @param {string} expression */
function evaluate (expression) {
  try {
    // Node.js may be built without inspector.
    const { Session } = /** @type {Inspector} */ (require('node:inspector'))
    const session = new Session()
    session.connectToMainThread()
    session.post('Runtime.evaluate', { expression, silent: true, disableBreaks: true, returnByValue: true })
    session.disconnect()
    return null
  } catch (error) {
    return error.message
  }
}
