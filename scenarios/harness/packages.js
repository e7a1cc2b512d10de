'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { dependencies, devDependencies } = require('../../package.json')
const { dependencies: ownDependencies } = require('../package.json')

const SCENARIOS = path.join(__dirname, '..')

/**
 * The versions that scenarios are tested with. They are not peer dependencies: npm would refuse to install the agent,
 * which needs none of them, into an application that has another version of one.
 */
const ranges = /** @type {Record<string, string | undefined>} */ ({
  ...ownDependencies,
  ...devDependencies,
  ...dependencies
})

/**
 * Packages that are missing. They are not dependencies of the agent, which most users install alone.
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
 * Installs what scenarios need from their lock file. Only a checkout has that file: an application that has installed
 * the package decides for itself what else it installs.
 * @param {string[]} packages that are to be used
 * @param {(line: string) => void} say
 */
exports.installMissing = (packages, say) => {
  const isOurs = exports.missingPackages(packages).some((name) => name in ownDependencies)
  if (!isOurs || !fs.existsSync(path.join(SCENARIOS, 'package-lock.json'))) return
  say('installing the packages of scenarios (npm ci in scenarios/), once')
  const { status, stderr } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: SCENARIOS, encoding: 'utf8', shell: process.platform === 'win32' })
  if (status !== 0) say(`npm ci in scenarios/ failed: ${stderr}`)
}

/**
 * Specifiers for npm, such as 'piscina@^5.3.2', or only the name if no version is preferred.
 * @param {string[]} packages
 */
exports.withRanges = (packages) => packages.map((name) => ranges[name] === undefined ? name : `${name}@${ranges[name]}`)
