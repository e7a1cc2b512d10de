'use strict'

// Root hooks of Mocha: `mocha --require loopwatch/mocha`. A test that blocks fails.
const { startChecker } = require('./checker')

/** @typedef {{ fn?: Function, async?: number, file?: string, fullTitle: () => string }} Test */

const checker = startChecker()
/** A test that is retried is a copy, whose function is in place already. */
const wrapped = new WeakSet()

/**
 * The test's function, and a look at what it did. A hook that fails would end the suite.
 * @param {Test} test
 * @param {Function} fn
 * @param {import('./checker').Checker} checker
 */
function checked (test, fn, checker) {
  const check = (/** @type {number} */ startMs) => checker.check(startMs, test.fullTitle(), test.file)
  /** @this {unknown} @param {(error?: unknown) => void} done */
  function withCallback (done) {
    checker.begin().then((startMs) => fn.call(this, (/** @type {unknown} */ error) => {
      if (error) done(error)
      else check(startMs).then(() => done(), done)
    })).catch(done)
  }
  /** @this {unknown} */
  async function withPromise () {
    const startMs = await checker.begin()
    const value = await fn.call(this)
    await check(startMs)
    return value
  }
  return fn.length > 0 ? withCallback : withPromise
}

exports.mochaHooks = checker === null
  ? {}
  : {
      /** @this {{ currentTest?: Test }} */
      beforeEach () {
        const test = this.currentTest
        if (typeof test?.fn !== 'function' || wrapped.has(test.fn)) return
        test.fn = checked(test, test.fn, checker)
        wrapped.add(test.fn)
      }
    }
