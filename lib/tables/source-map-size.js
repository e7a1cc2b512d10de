'use strict'

/** Longest `mappings` of one source map. Its text may be longer by the sources that it carries. */
exports.MAPPINGS_CHARS = 4 * 1024 * 1024

/**
 * What a decoded map takes: 43 MB were measured of 2.25 M characters of mappings. The largest one takes 80 MB of the
 * 256 that the watchdog's heap may have,
 */
exports.BYTES_PER_CHAR = 19
/** and all that are kept take this much. */
exports.MAPS_BYTES = 128 * 1024 * 1024

/**
 * Larger texts are read after a block has been told, not on the way there. To read and decode a map of this size takes
 * 5 ms, one of the largest 170.
 */
exports.LARGE_BYTES = 128 * 1024
