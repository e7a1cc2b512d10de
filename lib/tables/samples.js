'use strict'

/** A single sample may be anywhere by chance. */
exports.ENOUGH_SAMPLES = 2
/** With this share of several, one clearly has most. */
exports.MOST = 0.75
/** Most stacks in a record, the heaviest. */
exports.STACKS_IN_RECORD = 10
