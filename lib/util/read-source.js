'use strict'

const fs = require('node:fs')

/** A larger file is not read, unless the caller gives another limit. */
const SOURCE_BYTES = 16 * 1024 * 1024

/** The text; null if the file is larger or cannot be read at once. @param {string} file @param {number} [mostBytes] */
exports.readSource = (file, mostBytes = SOURCE_BYTES) => {
  try {
    // Reading a pipe or a device could wait for ever.
    const stat = fs.statSync(file)
    return stat.isFile() && stat.size <= mostBytes ? fs.readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}
