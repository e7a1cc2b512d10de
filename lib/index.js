'use strict'

const { allow, expectNoBlocks, run, start, wrap } = require('./host/start')
const { LoopwatchError } = require('./tables/errors')

/**
 * @import { AnyAgent as Agent } from './host/start'
 * @import { Options } from './options/table'
 * @import { BlockRecord, LoopLoadReport as Load, SlowIncident, WorkRecord as Work } from './types'
 */

/**
 * what start() returns
 */

exports.start = start
exports.run = run
exports.wrap = wrap
exports.allow = allow
exports.expectNoBlocks = expectNoBlocks
exports.LoopwatchError = LoopwatchError
