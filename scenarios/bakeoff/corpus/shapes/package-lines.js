'use strict'

const fs = require('node:fs')
const path = require('node:path')

/**
 * The lines of a package's file that have this text, as `file:line`: versions move them. None where the package is not
 * installed, as the blocks can then not be run.
 * @param {string} file
 * @param {string} text
 */
exports.linesWith = (file, text) => {
  /** @type {string[]} */
  let lines = []
  try {
    lines = fs.readFileSync(require.resolve(file), 'utf8').split('\n')
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error
  }
  return lines.flatMap((line, i) => line.includes(text) ? [`${path.basename(file)}:${i + 1}`] : [])
}
