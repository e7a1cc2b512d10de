'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { VERSIONS } = require('./nodes')

const TEST = path.join(__dirname, '..')

/** Every test runs on this version. */
const MAIN = 24
/** Where else those of a folder run. Node.js 20 has reached its end and keeps the promises. */
const FOLDERS = { unit: [], documents: [], promises: [20, 22, 26], agent: [], tools: [], scenarios: [], release: [] }
/** A file that depends on what V8 or Node.js does differently from version to version says so by this comment. */
const RUNTIME = /^\/\/ runtime: \S/m
/** Where else those run, whatever their folder. */
const RUNTIME_VERSIONS = [22, 26]

/** The name of a timing-sensitive file ends in `.alone.test.js`. It runs while nothing else does. */
const ALONE = '.alone.test.js'
/** Folders whose tests measure: with more files at once on two cores their blocks become `starved`. */
const MEASURING = ['promises', 'scenarios', 'tools', 'release']

/**
 * @typedef {object} TestFile
 * @property {string} file path below test/
 * @property {number[]} versions where it runs
 * @property {1 | 2 | 3} atOnce how many such files may run beside each other
 */

/** On which versions a file runs, the main one first. @param {string} file @returns {number[]} */
function versionsOf (file) {
  if (RUNTIME.test(fs.readFileSync(path.join(TEST, file), 'utf8'))) return [MAIN, ...RUNTIME_VERSIONS]
  return [MAIN, ...FOLDERS[/** @type {keyof FOLDERS} */ (file.split(path.sep)[0])]]
}

/**
 * What depends on the runtime asks for the line and the cause of a block, which takes CPU time; the others mostly wait,
 * but four of them at once on two cores starve each other's blocks.
 * @param {string} file
 * @param {number[]} versions
 */
function atOnceOf (file, versions) {
  if (file.endsWith(ALONE)) return 1
  return versions.length > 1 || MEASURING.includes(file.split(path.sep)[0]) ? 2 : 3
}

/**
 * The test files of some folders.
 * @param {string[]} folders
 * @returns {TestFile[]}
 */
exports.filesIn = (folders) => folders.flatMap((folder) => fs.readdirSync(path.join(TEST, folder), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js')).sort().map((file) => path.join(folder, file))
  .map((file) => ({ file, versions: versionsOf(file), atOnce: atOnceOf(file, versionsOf(file)) })))

/**
 * What runs on a version of Node.js.
 * @param {number} version
 * @returns {TestFile[]}
 */
exports.filesOn = (version) =>
  exports.filesIn(exports.folders).filter(({ versions }) => versions.includes(version))

exports.folders = Object.keys(FOLDERS)
/** The versions in the order in which they run. */
exports.inOrder = [MAIN, ...VERSIONS.filter((version) => version !== MAIN)]
exports.MAIN = MAIN
