'use strict'

const { start } = require('./host/start')
const { LoopwatchError } = require('./errors')

exports.start = start
exports.LoopwatchError = LoopwatchError
