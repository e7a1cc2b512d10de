'use strict'

const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')

const BUILT = path.join(__dirname, 'built')

/**
 * A file of built/. In the package the large ones are compressed: an application installs less.
 * @param {string} name
 * @returns {Buffer}
 */
exports.readBuilt = (name) => {
  const file = path.join(BUILT, name)
  return fs.existsSync(file) ? fs.readFileSync(file) : zlib.brotliDecompressSync(fs.readFileSync(`${file}.br`))
}
