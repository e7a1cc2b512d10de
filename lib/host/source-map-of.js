'use strict'

const { findSourceMap } = require('node:module')

/**
 * The source map of a file that was compiled in memory, as far as Node.js has been told to keep those (tsx does,
 * `--enable-source-maps` does): JSON of version 3 without the sources' text, null where there is none.
 * @param {string} file
 */
exports.sourceMapOf = (file) => {
  try {
    const { sources, sourceRoot, mappings } = findSourceMap(file)?.payload ?? {}
    return mappings === undefined ? null : JSON.stringify({ version: 3, sources, sourceRoot, names: [], mappings })
  } catch {
    // What a loader has left there may be no map.
    return null
  }
}
