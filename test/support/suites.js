'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { VERSIONS } = require('./nodes')

const TEST = path.join(__dirname, '..')

/** Every test runs on this version. */
const MAIN = 24
/** Where else a test runs, by what it depends on. Node.js 20 has reached its end and keeps the promises. */
const VERSIONS_OF = { code: [], tool: [22], runtime: [22, 26], promise: [20, 22, 26] }
/** What the tests of a folder depend on. */
const FOLDERS = { unit: 'code', promises: 'promise', agent: 'runtime', tools: 'code', scenarios: 'code', release: 'code' }
/** The same of folders below, the deepest first. */
const BELOW = {
  [path.join('unit', 'bridge')]: 'runtime',
  [path.join('unit', 'host')]: 'runtime',
  [path.join('unit', 'watchdog')]: 'runtime',
  [path.join('scenarios', 'every-version')]: 'runtime',
  [path.join('tools', 'two-versions')]: 'tool'
}

/** A file whose verdict hangs on timing says so by its name, and runs while nothing else does. */
const ALONE = '.alone.test.js'

/** @typedef {{ file: string, isAlone: boolean }} TestFile path below test/ */

/** On which versions a file runs beside the main one. @param {string} file @returns {number[]} */
function versionsOf (file) {
  const below = Object.keys(BELOW).find((folder) => file.startsWith(folder + path.sep))
  const dependsOn = below === undefined ? FOLDERS[/** @type {keyof FOLDERS} */ (file.split(path.sep)[0])] : BELOW[below]
  return VERSIONS_OF[/** @type {keyof VERSIONS_OF} */ (dependsOn)]
}

/**
 * The test files of some folders.
 * @param {string[]} folders
 * @returns {TestFile[]}
 */
exports.filesIn = (folders) => folders.flatMap((folder) => fs.readdirSync(path.join(TEST, folder), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js')).sort()
  .map((file) => ({ file: path.join(folder, file), isAlone: file.endsWith(ALONE) })))

/**
 * What runs on a version of Node.js.
 * @param {number} version
 * @returns {TestFile[]}
 */
exports.filesOn = (version) =>
  exports.filesIn(Object.keys(FOLDERS)).filter(({ file }) => version === MAIN || versionsOf(file).includes(version))

/** The versions in the order in which they run. */
exports.inOrder = [MAIN, ...VERSIONS.filter((version) => version !== MAIN)]
exports.MAIN = MAIN
