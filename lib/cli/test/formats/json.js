'use strict'

const { isFailing } = require('../offences')
const { version } = require('../../../../package.json')

/**
 * Everything that is known, with whole records.
 * @param {import('../report').Outcome} outcome
 */
exports.jsonReport = ({ offences, ...outcome }) => ({
  version,
  ...outcome,
  blocks: offences.map((offence) => ({ ...offence, fails: isFailing(offence) }))
})
