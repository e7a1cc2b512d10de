'use strict'

const { allow, expectNoBlocks, run, start, wrap } = require('./host/start')
const { LoopwatchError } = require('./tables/errors')

exports.start = start
exports.run = run
exports.wrap = wrap
exports.allow = allow
exports.expectNoBlocks = expectNoBlocks
exports.LoopwatchError = LoopwatchError
