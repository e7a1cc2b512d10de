'use strict'

/**
 * Characters of source maps. Decoded, a map takes about ten times its text; together they must fit the watchdog's heap.
 */
exports.MAP_CHARS = 4 * 1024 * 1024
