'use strict'

const { start } = require('./host/start')
const { LoopwatchError } = require('./tables/errors')

exports.start = start
exports.LoopwatchError = LoopwatchError
