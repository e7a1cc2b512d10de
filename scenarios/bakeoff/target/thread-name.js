'use strict'

/** Name of the application's worker thread in reports. */
exports.THREAD = 'reports'
/** Name of the thread in reports that do not mention threads. */
exports.MAIN = 'main'
