'use strict'

/** Of the application's worker thread, as reports have it. */
exports.THREAD = 'reports'
/** Of what a report is about that says nothing of threads. */
exports.MAIN = 'main'
