'use strict'

const { isFailing } = require('../offences')
const { lengthOf, testName, verbOf } = require('../report')
const { fingerprint } = require('./sarif')

/**
 * GitLab's report of code quality, which it shows in merge requests.
 * @param {import('../report').Outcome} outcome
 */
exports.gitlabReport = ({ offences }) => offences.filter(isFailing).map((offence) => ({
  description: `${offence.function} ${verbOf(offence)}${lengthOf(offence)}, in ${testName(offence.tests[0])}`,
  check_name: offence.call === null ? `loopwatch/${offence.cause}` : 'loopwatch/synchronous-call',
  fingerprint: fingerprint(offence),
  severity: 'major',
  location: { path: offence.file, lines: { begin: offence.line ?? 1 } }
}))
