'use strict'

// `testEnvironment: 'loopwatch/jest'`: a test that blocks fails. To wrap another environment:
// `module.exports = require('loopwatch/jest').around(require('jest-environment-jsdom').default)`.
const path = require('node:path')
const process = require('../../../util/process')
const jest = require('../inside/jest')
const { startChecker } = require('./checker')

/**
 * @typedef {new (config: any, context: any, ...rest: any[]) => {
 *   handleTestEvent? (event: any, state: any): unknown }} Environment
 */

const checker = startChecker()

/** Tests that block fail. @param {Environment} Base @returns {Environment} */
const around = (Base) => checker === null ? Base : jest.around(Base, checker)

/** @returns {Environment} Jest's own for Node.js */
function nodeEnvironment () {
  const scripts = [process.argv[1] ?? '.', require.main?.filename ?? '.']
  const paths = [process.cwd(), ...scripts.map((script) => path.dirname(script))]
  const { TestEnvironment, default: whole } = require(require.resolve('jest-environment-node', { paths }))
  return TestEnvironment ?? whole
}

module.exports = around(nodeEnvironment())
// On a line of its own: otherwise Node.js does not find the name for `import { around }`.
module.exports.around = around
