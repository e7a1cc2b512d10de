'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedErrorFrom } = require('../../../tables/errors')
const { isFailing } = require('../offences')
const { headline, lengthOf, markdownReport, placeOf, testName, verbOf } = require('../report')
const { fingerprint, sarifReport } = require('./sarif')
const { version } = require('../../../../package.json')

/**
 * @import { Offence } from '../offences'
 * @import { Outcome } from '../report'
 */

/** File that a GitLab job names in `artifacts: reports: codequality:`. */
const GITLAB_FILE = 'gl-code-quality-report.json'

/** All of an outcome, with whole records. @param {Outcome} outcome */
const jsonReport = ({ offences, ...outcome }) => ({
  version,
  ...outcome,
  blocks: offences.map((offence) => ({ ...offence, fails: isFailing(offence) }))
})

/**
 * GitHub's and GitLab's files are written if their variables are set.
 * @param {Outcome} outcome @param {{ junit?: string, sarif?: string, json?: string }} flags
 * @param {NodeJS.ProcessEnv} env
 */
exports.writeMachineFormats = (outcome, { junit, sarif, json }, env) => {
  if (junit !== undefined) write('--junit', junit, junitReport(outcome))
  if (sarif !== undefined) write('--sarif', sarif, JSON.stringify(sarifReport(outcome), null, 2))
  if (json !== undefined) write('--json', json, JSON.stringify(jsonReport(outcome), null, 2))
  // GitHub reads stderr too. Another program may parse what the command prints on stdout.
  if (env.GITHUB_ACTIONS === 'true') process.stderr.write(githubAnnotations(outcome))
  if (env.GITHUB_STEP_SUMMARY) write('$GITHUB_STEP_SUMMARY', env.GITHUB_STEP_SUMMARY, markdownReport(outcome), 'a')
  if (env.GITLAB_CI === 'true' && env.CI_PROJECT_DIR) {
    write('$CI_PROJECT_DIR', path.join(env.CI_PROJECT_DIR, GITLAB_FILE), JSON.stringify(gitlabReport(outcome), null, 2))
  }
}

/** @param {string} flag @param {string} file @param {string} text @param {string} [how] */
function write (flag, file, text, how = 'w') {
  try {
    fs.writeFileSync(file, text.endsWith('\n') ? text : `${text}\n`, { flag: how })
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_OUTPUT', flag, file, error.message)
  }
}

/** Characters that XML 1.0 cannot hold, even escaped. */
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/gu
/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;', '\r': '&#13;', '\t': '&#9;' }

/** @param {string} text */
const inXml = (text) => text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"\n\r\t]/g, (character) => ENTITIES[character])

/** A suite with at least one case: some readers reject others. @param {Outcome} outcome */
const junitReport = (outcome) => {
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
  const head = `    <testcase classname="loopwatch" name="${inXml(headline(outcome))}" time="0"`
  return outcome.hasWatchedNothing ? `${head}><error type="unwatched"/></testcase>` : `${head}/>`
}

/** @param {Offence} offence */
function caseOf (offence) {
  const { file, line, tests, longestMs, state } = offence
  const place = `${placeOf(offence)} ${verbOf(offence)}${lengthOf(offence)}`
  const body = isFailing(offence)
    ? `<failure type="${offence.call === null ? offence.cause : 'synchronous-call'}" ` +
      `message="${inXml(place)}">${inXml(tests.map(testName).join('\n'))}</failure>`
    : `<skipped message="${inXml(`${state}: ${place}`)}"/>`
  const where = `file="${inXml(file)}"${line === null ? '' : ` line="${line}"`}`
  return `    <testcase classname="${inXml(tests[0].file ?? file)}" ` +
    `name="${inXml(`${tests[0].name ?? '(no test)'}: ${offence.function}`)}" ${where} ` +
      `time="${longestMs / 1000}">${body}</testcase>`
}

/** @param {string} text of a command to GitHub */
const inCommand = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

/** @param {string} text */
const inProperty = (text) => inCommand(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** A line for each place that fails, which GitHub shows at the code. @param {Outcome} outcome */
const githubAnnotations = (outcome) => (outcome.hasWatchedNothing
  ? `::error title=loopwatch::${inCommand(headline(outcome))}\n`
  : '') + outcome.offences.filter(isFailing).map((offence) => {
  const { file, line, tests } = offence
  const where = file === '' ? '' : `file=${inProperty(file)},${line === null ? '' : `line=${line},`}`
  const title = offence.call === null ? 'event loop blocked' : 'synchronous call'
  const text = `${placeOf(offence)}: ${lengthOf(offence)}, in ${testName(tests[0])}`
  return `::error ${where}title=${inProperty(title)}::${inCommand(text)}\n`
}).join('')

/** For merge requests: GitLab's code quality report. @param {Outcome} outcome */
const gitlabReport = ({ offences }) => offences.filter(isFailing).map((offence) => ({
  description: `${offence.function} ${verbOf(offence)}${lengthOf(offence)}, in ${testName(offence.tests[0])}`,
  check_name: offence.call === null ? `loopwatch/${offence.cause}` : 'loopwatch/synchronous-call',
  fingerprint: fingerprint(offence),
  severity: 'major',
  location: { path: offence.file, lines: { begin: offence.line ?? 1 } }
}))

exports.githubAnnotations = githubAnnotations
exports.gitlabReport = gitlabReport
exports.jsonReport = jsonReport
exports.junitReport = junitReport
