'use strict'

const { setTimeout: sleep } = require('node:timers/promises')

const QUERY_MS = 3

/** Stands in for a database: an answer that takes a moment and blocks nobody. */
exports.query = () => sleep(QUERY_MS)
