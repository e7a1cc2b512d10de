'use strict'

const fs = require('node:fs')
const path = require('node:path')

/**
 * Makes a folder with those above it. Node.js' own way never comes back where a file system says that
 * an existing folder is not there, as /proc does (20.20, 26.10).
 * @param {string} dir
 * @param {number} [mode] of each that is made
 */
function makeFolder (dir, mode) {
  try {
    fs.mkdirSync(dir, mode)
  } catch (error) {
    if (error.code === 'EEXIST' && fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return
    const above = path.dirname(dir)
    if (error.code !== 'ENOENT' || above === dir || fs.existsSync(above)) throw error
    makeFolder(above, mode)
    // Another process may have made it meanwhile.
    makeFolder(dir, mode)
  }
}

exports.makeFolder = makeFolder
