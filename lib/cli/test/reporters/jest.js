'use strict'

// `testEnvironment: 'loopwatch/jest'`: a test that blocks fails. To wrap another environment:
// `module.exports = require('loopwatch/jest').around(require('jest-environment-jsdom').default)`.
const path = require('node:path')
const process = require('../../../util/process')
const { startChecker } = require('./checker')

/**
 * @typedef {{ name: string, parent?: JestNode }} JestNode a test, or a group of tests; the outermost has no parent
 * @typedef {{ name: string, test?: JestNode & { errors: unknown[] } }} JestEvent
 * @typedef {new (config: any, context: any, ...rest: any[]) => {
 *   handleTestEvent? (event: any, state: any): unknown }} Environment
 */

const checker = startChecker()

/** @param {JestNode | undefined} node @returns {string[]} */
const namesOf = (node) => node?.parent === undefined ? [] : [...namesOf(node.parent), node.name]

/** Tests that block fail. @param {Environment} Given @returns {Environment} */
const around = (Given) => class extends Given {
  /** @type {Map<unknown, number>} */
  #running = new Map()
  #file

  /** @param {any} config @param {any} context @param {any[]} rest */
  constructor (config, context, ...rest) {
    super(config, context, ...rest)
    this.#file = context?.testPath
  }

  /** @param {JestEvent} event @param {unknown} state */
  handleTestEvent ({ name, test, ...more }, state) {
    if (name === 'test_start' && checker !== null) this.#running.set(test, checker.begin())
    const goOn = () => super.handleTestEvent?.({ name, test, ...more }, state)
    const startMs = name === 'test_done' ? this.#running.get(test) : undefined
    if (startMs === undefined || test === undefined) return goOn()
    this.#running.delete(test)
    const verdict = checker?.check(startMs, namesOf(test).join(' > '), this.#file)
    return verdict === undefined ? goOn() : verdict.catch((error) => { test.errors.push([error, error]) }).then(goOn)
  }
}

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
