'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedError } = require('../../lib/errors')
const { nearest } = require('../../lib/nearest')

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
  if (found === undefined) throw codedError('LOOPWATCH_ERR_SCENARIO', name, nearest(name, known.map((each) => each.name)))
  return found
})

/**
 * Keeps the cells of these variants.
 * @param {string} scenario
 * @param {import('./interface').CellPlan[]} cells
 * @param {string[]} only
 */
exports.pickVariants = (scenario, cells, only) => {
  const variants = [...new Set(cells.map(({ variant }) => variant))]
  for (const name of only) {
    if (!variants.includes(name)) throw codedError('LOOPWATCH_ERR_VARIANT', name, scenario, nearest(name, variants))
  }
  return only.length === 0 ? cells : cells.filter(({ variant }) => only.includes(variant))
}

/**
 * Packages that are not there. They are no dependencies of the agent, which most who install it want alone.
 * @param {string[]} packages
 */
exports.missingPackages = (packages) => packages.filter((name) => {
  try {
    require.resolve(name)
    return false
  } catch (error) {
    // Some packages are for import() only and refuse require().
    return error.code === 'MODULE_NOT_FOUND'
  }
})
