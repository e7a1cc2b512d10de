'use strict'

exports.MS_PER_S = 1000
exports.US_PER_MS = 1000
exports.NS_PER_MS = 1e6
