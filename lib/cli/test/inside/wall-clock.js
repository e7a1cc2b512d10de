'use strict'

const { between, nowMs } = require('../../../util/clock')

// Taken at load: a test may mock clocks.
const dateNow = Date.now
const originMs = between(dateNow, nowMs)

/** Advances evenly, as in records: the system's clock is adjusted now and then, even while a test runs. */
exports.wallMs = () => originMs + nowMs()
