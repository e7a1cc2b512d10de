'use strict'

const { allow, expectNoBlocks, run, start, wrap } = require('./host/start')
const { LoopwatchError } = require('./tables/errors')

/**
 * @typedef {import('./host/start').AnyAgent} Agent what start() returns
 * @typedef {import('./options/table').Options} Options
 * @typedef {import('./types').BlockRecord} BlockRecord
 * @typedef {import('./types').WorkRecord} Work
 * @typedef {import('./types').LoopLoadReport} Load
 * @typedef {import('./types').SlowIncident} SlowIncident
 */

exports.start = start
exports.run = run
exports.wrap = wrap
exports.allow = allow
exports.expectNoBlocks = expectNoBlocks
exports.LoopwatchError = LoopwatchError
