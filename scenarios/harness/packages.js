'use strict'

const { dependencies, devDependencies } = require('../../package.json')

/**
 * The versions that scenarios are tested with. They are no peer dependencies: npm refuses to install the
 * agent, which needs none of them, into an application that has another version of one.
 */
const ranges = /** @type {Record<string, string | undefined>} */ ({ ...devDependencies, ...dependencies })

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

/**
 * What npm is to install, 'piscina@^5.3.2': the name alone where no version is preferred.
 * @param {string[]} packages
 */
exports.withRanges = (packages) => packages.map((name) => ranges[name] === undefined ? name : `${name}@${ranges[name]}`)
