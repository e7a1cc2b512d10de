'use strict'

const { between, nowMs } = require('../../../util/clock')

// Taken at load: a test may replace clocks.
const dateNow = Date.now
const originMs = between(dateNow, nowMs)

/**
 * Wall time in ms that goes on evenly, as that of records does. The system's own is set now and then: a test that runs
 * meanwhile, and a block in it, would be told at different times.
 */
exports.wallMs = () => originMs + nowMs()
