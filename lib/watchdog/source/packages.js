'use strict'

const path = require('node:path')
const { isText } = require('../../util/validators')
const { readSource } = require('./read-source')

/** Packages that block are few; so many records' worth of them take less than 1 MB. */
const PACKAGES = 200
/** Old versions of npm wrote the package's readme into the file as well: some 100 kB. */
const FILE_BYTES = 256 * 1024
/** npm's own bounds of a name and a version, and as much as any browser takes of an address. */
const NAME_CHARS = 214
const VERSION_CHARS = 256
const URL_CHARS = 2048

/** @typedef {import('../../types').PackageRecord} PackageRecord */

/** By folder, those without a package.json that can be read among them. @type {Map<string, PackageRecord | null>} */
const known = new Map()

/**
 * What a package says of itself in its package.json, read once; null where that is missing, broken or too large.
 * @param {string} folder absolute
 */
exports.packageIn = (folder) => {
  let found = known.get(folder)
  if (found === undefined) {
    if (known.size === PACKAGES) known.clear()
    found = read(folder)
    known.set(folder, found)
  }
  return found
}

/** @param {string} folder @returns {PackageRecord | null} */
function read (folder) {
  // That of a source map may be a name alone, which is no file of this process's working directory.
  const text = path.isAbsolute(folder) ? readSource(path.join(folder, 'package.json'), FILE_BYTES) : null
  if (text === null) return null
  try {
    const { name, version, bugs } = JSON.parse(text.replace(/^\uFEFF/, ''))
    const isNamed = isShort(name, NAME_CHARS)
    return isNamed ? { name, version: isShort(version, VERSION_CHARS) ? version : null, bugs: bugsOf(bugs?.url ?? bugs) } : null
  } catch {
    // No JSON, or none of an object.
    return null
  }
}

/** @param {unknown} bugs the page where they are reported */
const bugsOf = (bugs) => isShort(bugs, URL_CHARS) ? /** @type {string} */ (bugs) : null

/** @param {any} text @param {number} mostChars */
function isShort (text, mostChars) {
  return isText(text) && text.length > 0 && text.length <= mostChars
}
