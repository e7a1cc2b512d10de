'use strict'

/** Samples that prove something: a single one may be anywhere by chance. */
exports.ENOUGH_SAMPLES = 2
/** Share with which one of several clearly has most. */
exports.MOST = 0.75
/** Most stacks in a record, the heaviest. */
exports.STACKS_IN_RECORD = 10

/** Longest `mappings` of one source map. Its text may be longer, by the sources in it. */
exports.MAPPINGS_CHARS = 4 * 1024 * 1024

/** A decoded map of 2.25 M characters of mappings took 43 MB. The largest takes 80 MB of the watchdog's 256 MB heap. */
exports.BYTES_PER_CHAR = 19
exports.MAPS_BYTES = 128 * 1024 * 1024

/** Size above which a text is read after a block's report. Reading and decoding take 5 ms, for the largest 170 ms. */
exports.LARGE_BYTES = 128 * 1024

/** The label of everything beyond a bound: routes, threads, methods, stacks. */
exports.OTHER = '(other)'
