'use strict'

const { kernels } = require('../../goroutines/kernels')

/** @param {number} steps */
module.exports = (steps) => kernels.int32(steps)
