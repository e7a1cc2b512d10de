'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedError } = require('../../lib/tables/errors')
const { nearest } = require('../../lib/util/nearest')

const ROOT = path.join(__dirname, '..')

/**
 * Every folder of scenarios/ with a scenario.js, by name.
 * @param {string} [root]
 * @returns {import('./interface').Scenario[]}
 */
exports.findScenarios = (root = ROOT) => fs.readdirSync(root).sort()
  .filter((folder) => fs.existsSync(path.join(root, folder, 'scenario.js')))
  .map((folder) => ({ name: folder, ...require(path.join(root, folder, 'scenario.js')).scenario }))

/**
 * @template {{ name: string }} T
 * @param {T[]} known
 * @param {string[]} names
 * @returns {T[]}
 */
exports.pick = (known, names) => names.map((name) => {
  const found = known.find((each) => each.name === name)
  if (found === undefined) throw codedError('LOOPWATCH_ERR_SCENARIO', name, known.map((each) => each.name))
  return found
})

/**
 * Every variant that is asked for must be one of these scenarios'.
 * @param {{ name: string, variants: string[] }[]} scenarios
 * @param {string[]} only
 */
exports.checkVariants = (scenarios, only) => {
  const known = scenarios.flatMap(({ variants }) => variants)
  for (const name of only) {
    if (!known.includes(name)) throw codedError('LOOPWATCH_ERR_VARIANT', name, scenarios.map((each) => each.name).join(', '), nearest(name, known))
  }
}
