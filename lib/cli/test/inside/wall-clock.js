'use strict'

const { between, nowMs } = require('../../../util/clock')

// Taken at load: a test may mock clocks.
const dateNow = Date.now
const originMs = between(dateNow, nowMs)

/**
 * Advances evenly, as in records. The system's clock is adjusted now and then: the times of a running test and of a
 * block in it would not match.
 */
exports.wallMs = () => originMs + nowMs()
