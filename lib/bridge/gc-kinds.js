'use strict'

/** Kinds of garbage collection, by the number that travels through the ring. */
exports.GC_KINDS = ['minor', 'major', 'incremental', 'weakcb']
