'use strict'

const path = require('node:path')
const { BoundedMap } = require('../../util/bounded-map')
const { isText } = require('../../util/validators')
const { readSource } = require('../../util/read-source')

/** @import { PackageRecord } from '../../types' */

/** The most packages that are remembered, in less than 1 MB; fewer ones block. */
const PACKAGES = 200
/** A larger package.json is not read. Old versions of npm wrote the package's readme into it: some 100 kB. */
const FILE_BYTES = 256 * 1024
/** The longest name, version and address that are accepted: npm's own limits, and what any browser accepts. */
const NAME_CHARS = 214
const VERSION_CHARS = 256
const URL_CHARS = 2048

/** By folder; null = no package.json that can be read. @type {BoundedMap<PackageRecord | null>} */
const known = new BoundedMap({ mostItems: PACKAGES })

/** What a package.json says, read once; null if it is missing, broken or too large. @param {string} folder absolute */
exports.packageIn = (folder) => {
  let found = known.get(folder)
  if (found === undefined) {
    found = read(folder)
    known.set(folder, found)
  }
  return found
}

/** @param {string} folder @returns {PackageRecord | null} */
function read (folder) {
  // A source map may name a relative folder, which is not one in this process's working directory.
  const text = path.isAbsolute(folder) ? readSource(path.join(folder, 'package.json'), FILE_BYTES) : null
  if (text === null) return null
  try {
    const { name, version, bugs } = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (!isShort(name, NAME_CHARS)) return null
    return { name, version: isShort(version, VERSION_CHARS) ? version : null, bugs: bugsOf(bugs?.url ?? bugs) }
  } catch {
    // The text is no JSON, or not that of an object.
    return null
  }
}

/** @param {unknown} bugs the page where they are reported */
const bugsOf = (bugs) => isShort(bugs, URL_CHARS) ? /** @type {string} */ (bugs) : null

/** @param {any} text @param {number} mostChars */
function isShort (text, mostChars) {
  return isText(text) && text.length > 0 && text.length <= mostChars
}
