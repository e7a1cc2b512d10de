'use strict'

/** Longest `mappings` of one source map. Its text may be longer, by the sources in it. */
exports.MAPPINGS_CHARS = 4 * 1024 * 1024

/**
 * Memory of a decoded map: 43 MB were measured for 2.25 M characters of mappings. The largest one takes 80 MB of the
 * 256 MB that the watchdog's heap may have.
 */
exports.BYTES_PER_CHAR = 19
/** Memory of all decoded maps that are kept. */
exports.MAPS_BYTES = 128 * 1024 * 1024

/**
 * Larger texts are read after a block has been reported, not before. Reading and decoding a map of this size takes
 * 5 ms, one of the largest 170 ms.
 */
exports.LARGE_BYTES = 128 * 1024
