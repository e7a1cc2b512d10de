'use strict'

const fs = require('node:fs')

/** A larger file is not read, unless the caller wants it smaller still. */
const SOURCE_BYTES = 16 * 1024 * 1024

/**
 * The text of a source, its map or its package.json; null where there is none that can be read at once.
 * @param {string} file
 * @param {number} [mostBytes] the text of a larger file is null, too
 */
exports.readSource = (file, mostBytes = SOURCE_BYTES) => {
  try {
    // Reading a pipe or a device could wait for ever.
    const stat = fs.statSync(file)
    return stat.isFile() && stat.size <= mostBytes ? fs.readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}
