'use strict'

const { isFailing } = require('../offences')
const { headline, lengthOf, placeOf, testName, verbOf } = require('../report')
const { fingerprint } = require('./sarif')

/** @import { Outcome } from '../report' */

/** @param {string} text */
const data = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

/** @param {string} text */
const property = (text) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** A line for each place that fails. GitHub shows it at the code. @param {Outcome} outcome */
exports.githubAnnotations = (outcome) => (outcome.hasWatchedNothing ? `::error title=loopwatch::${data(headline(outcome))}\n` : '') + outcome.offences.filter(isFailing).map((offence) => {
  const { file, line, tests } = offence
  const where = file === '' ? '' : `file=${property(file)},${line === null ? '' : `line=${line},`}`
  return `::error ${where}title=${property(offence.call === null ? 'event loop blocked' : 'synchronous call')}::${data(`${placeOf(offence)}: ${lengthOf(offence)}, in ${testName(tests[0])}`)}\n`
}).join('')

/** For merge requests: GitLab's code quality report. @param {Outcome} outcome */
exports.gitlabReport = ({ offences }) => offences.filter(isFailing).map((offence) => ({
  description: `${offence.function} ${verbOf(offence)}${lengthOf(offence)}, in ${testName(offence.tests[0])}`,
  check_name: offence.call === null ? `loopwatch/${offence.cause}` : 'loopwatch/synchronous-call',
  fingerprint: fingerprint(offence),
  severity: 'major',
  location: { path: offence.file, lines: { begin: offence.line ?? 1 } }
}))
