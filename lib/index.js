'use strict'

const { run, start, wrap } = require('./host/start')
const { LoopwatchError } = require('./tables/errors')

exports.start = start
exports.run = run
exports.wrap = wrap
exports.LoopwatchError = LoopwatchError
