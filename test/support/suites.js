'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { VERSIONS } = require('./nodes')

const TEST = path.join(__dirname, '..')

/** One version is enough for tools, scenarios and what is released; the agent is tested on each. */
const FOLDERS = { unit: 'every', promises: 'every', agent: 'every', tools: 'once', scenarios: 'once', release: 'once' }

/** A folder of this name, wherever it is, runs on every version; tools that profile run on two lines of Node.js. */
const MARKED = { 'every-version': 'every', 'two-versions': 'two' }
const SECOND_VERSION = 24

/** A file whose verdict hangs on timing says so by its name, and runs while nothing else does. */
const ALONE = '.alone.test.js'

/** @typedef {{ file: string, isAlone: boolean }} TestFile path below test/ */

/** On which versions a file runs, by the folders it is in. @param {string} file @returns {string} */
function versionsOf (file) {
  const [folder, ...below] = file.split(path.sep)
  const mark = below.find((name) => name in MARKED)
  return mark === undefined
    ? FOLDERS[/** @type {keyof FOLDERS} */ (folder)]
    : MARKED[/** @type {keyof MARKED} */ (mark)]
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
 * @param {boolean} isFirst whether it is the version that runs everything
 * @returns {TestFile[]}
 */
exports.filesOn = (version, isFirst) => exports.filesIn(Object.keys(FOLDERS)).filter(({ file }) => {
  const versions = versionsOf(file)
  return isFirst || versions === 'every' || (versions === 'two' && version === SECOND_VERSION)
})

/**
 * The versions in the order in which they run: the one that runs this first, the newest last.
 * @param {number} current
 */
exports.versionsFrom = (current) => [current, ...VERSIONS.filter((version) => version !== current)]
