'use strict'

const fs = require('node:fs')

const SOURCE_BYTES = 16 * 1024 * 1024

/**
 * A source or its map; null where there is none that can be read at once.
 * @param {string} file
 */
exports.readSource = (file) => {
  try {
    // Reading a pipe or a device could wait for ever.
    const stat = fs.statSync(file)
    return stat.isFile() && stat.size <= SOURCE_BYTES ? fs.readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}
