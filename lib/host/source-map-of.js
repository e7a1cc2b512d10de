'use strict'

const { findSourceMap } = require('node:module')
const { pathToFileURL } = require('node:url')
const { MAP_CHARS } = require('../util/source-map-size')

/**
 * The source map of a file that was compiled in memory, as far as Node.js has been told to keep those (tsx does,
 * `--enable-source-maps` does): JSON of version 3 without the sources' text, null where there is none.
 * @param {string} file
 */
exports.sourceMapOf = (file) => {
  try {
    const { sources = [], sourceRoot, mappings = '' } = findSourceMap(file)?.payload ?? {}
    // A longer one would be copied for nothing: the watchdog has no room for it.
    if (mappings === '' || mappings.length > MAP_CHARS) return null
    // Its only source is the file itself, whatever loaders make of a path.
    return JSON.stringify({ version: 3, ...(sources.length === 1 ? { sources: [pathToFileURL(file).href] } : { sources, sourceRoot }), names: [], mappings })
  } catch {
    // What a loader has left there may be no map.
    return null
  }
}
