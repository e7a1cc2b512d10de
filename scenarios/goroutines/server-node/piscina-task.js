'use strict'

const { kernels } = require('../kernels')

/** @param {{ kernel: string, steps: number }} task */
module.exports = ({ kernel, steps }) => kernels[kernel](steps)
