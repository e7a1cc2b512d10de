'use strict'

/** Of the service's worker thread, as its metrics and records have it. */
exports.THREAD = 'checksums'
