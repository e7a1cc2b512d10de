'use strict'

const { work } = require('./work')

/** @param {{ steps: number, input: Uint8Array | null }} task */
module.exports = ({ steps, input }) => ({ value: work(steps), inputBytes: input?.length ?? 0 })
