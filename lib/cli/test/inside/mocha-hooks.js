'use strict'

// Mocha loads these root hooks with --require, even in the processes of --parallel.
const { published } = require('./recorder')

/** @typedef {{ currentTest?: { titlePath: () => string[], file?: string } }} MochaContext */

/** @type {number | undefined} */
let running

exports.mochaHooks = {
  /** @this {MochaContext} */
  beforeEach () {
    const { currentTest } = this
    if (currentTest === undefined) return
    running = published()?.begin(currentTest.titlePath().join(' > '), currentTest.file)
  },
  afterEach () {
    if (running !== undefined) published()?.end(running)
    running = undefined
  }
}
