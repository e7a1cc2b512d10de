'use strict'

const { collect } = require('./fault-results')

/** A reporter of node:test for a file: the results as JSON. @param {AsyncIterable<any>} events */
module.exports = async function * faultReporter (events) {
  yield JSON.stringify(await collect(events))
}
