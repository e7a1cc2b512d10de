'use strict'

/** Name of the service's worker thread in its metrics and records. */
exports.THREAD = 'checksums'
