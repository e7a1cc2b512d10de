'use strict'

const { isFailing } = require('../offences')
const { headline, lengthOf, placeOf, testName, verbOf } = require('../report')

/**
 * @import { Offence } from '../offences'
 * @import { Outcome } from '../report'
 */

/** XML 1.0 cannot hold them, even escaped. */
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/gu
/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;', '\r': '&#13;', '\t': '&#9;' }

/** @param {string} text */
const escaped = (text) => text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"\n\r\t]/g, (character) => ENTITIES[character])

/** Never empty: some readers reject a suite without a case. @param {Outcome} outcome */
exports.junitReport = (outcome) => {
  const { offences } = outcome
  const failures = offences.filter(isFailing).length
  const isSilent = offences.length === 0 || outcome.hasWatchedNothing
  const cases = [...(isSilent ? [caseOfRun(outcome)] : []), ...offences.map(caseOf)]
  const counts = `tests="${cases.length}" failures="${failures}" errors="${outcome.hasWatchedNothing ? 1 : 0}"`
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="loopwatch" ${counts}>
  <testsuite name="loopwatch" ${counts} skipped="${offences.length - failures}">
${cases.join('\n')}
  </testsuite>
</testsuites>
`
}

/** @param {Outcome} outcome */
function caseOfRun (outcome) {
  const head = `    <testcase classname="loopwatch" name="${escaped(headline(outcome))}" time="0"`
  return outcome.hasWatchedNothing ? `${head}><error type="unwatched"/></testcase>` : `${head}/>`
}

/** @param {Offence} offence */
function caseOf (offence) {
  const { file, line, tests, longestMs, state } = offence
  const place = `${placeOf(offence)} ${verbOf(offence)}${lengthOf(offence)}`
  const body = isFailing(offence)
    ? `<failure type="${offence.call === null ? offence.cause : 'synchronous-call'}" message="${escaped(place)}">${escaped(tests.map(testName).join('\n'))}</failure>`
    : `<skipped message="${escaped(`${state}: ${place}`)}"/>`
  const where = `file="${escaped(file)}"${line === null ? '' : ` line="${line}"`}`
  return `    <testcase classname="${escaped(tests[0].file ?? file)}" name="${escaped(`${tests[0].name ?? '(no test)'}: ${offence.function}`)}" ${where} time="${longestMs / 1000}">${body}</testcase>`
}
