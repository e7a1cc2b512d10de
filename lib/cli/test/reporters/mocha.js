'use strict'

// Root hooks of Mocha: `mocha --require loopwatch/mocha`. A test that blocks fails.
const { startChecker } = require('./checker')

/**
 * @import { Checker } from './checker'
 * @import { Interval } from '../runs'
 */

/** @typedef {{ fn?: Function, file?: string, titlePath: () => string[], timeout: (ms?: number) => any }} Test */

/** Time for the check after a test on a busy machine, added to the test's own timeout. */
const CHECK_MS = 3000

const checker = startChecker()
/** Functions that are wrapped: a retried test is a copy with the same function. */
const wrapped = new WeakSet()
/** @type {Interval} of the test that runs */
let running

/**
 * The check follows the test's function. A hook cannot check: if a hook fails, the suite ends.
 * @param {Function} fn @param {Checker} checker
 */
function checked (fn, checker) {
  const check = () => checker.end(running)
  /** @this {unknown} @param {(error?: unknown) => void} done */
  function withCallback (done) {
    fn.call(this, (/** @type {unknown} */ error) => {
      const verdict = error ? undefined : check()
      if (verdict === undefined) done(error)
      else verdict.then(() => done(), done)
    })
  }
  /** @this {unknown} */
  async function withPromise () {
    const value = await fn.call(this)
    await check()
    return value
  }
  return fn.length > 0 ? withCallback : withPromise
}

exports.mochaHooks = checker === null
  ? {}
  : {
      /** @this {{ currentTest?: Test, timeout: (ms: number) => void }} */
      beforeEach () {
        this.timeout(0)
        const test = this.currentTest
        if (test === undefined) return
        if (typeof test.fn === 'function' && !wrapped.has(test.fn)) {
          test.fn = checked(test.fn, checker)
          wrapped.add(test.fn)
          if (test.timeout() > 0) test.timeout(test.timeout() + CHECK_MS)
        }
        running = checker.begin(test.titlePath().join(' > '), test.file)
      }
    }
