'use strict'

/**
 * From how long a gap between two beats on it can hide a block. A beat that is due late in itself
 * (a calm worker thread's) has to be half a threshold overdue: below that, many small turns and one
 * block look the same.
 * @param {number} thresholdMs
 * @param {number} periodMs after which the second beat was due
 */
exports.silenceMs = (thresholdMs, periodMs) => Math.max(thresholdMs, periodMs + thresholdMs / 2)
