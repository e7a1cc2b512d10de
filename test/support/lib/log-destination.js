'use strict'

const { LogDestination } = require('../../../lib/export/log/destination')

/** @param {import('node:test').TestContext} t @param {string} target @param {() => number} [nowMs] */
function makeDestination (t, target, nowMs) {
  /** @type {any[]} */
  const states = []
  const destination = new LogDestination(target, (error) => states.push(error), nowMs)
  t.after(() => destination.close())
  return { destination, states }
}

exports.makeDestination = makeDestination
