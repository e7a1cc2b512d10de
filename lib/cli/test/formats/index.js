'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedErrorFrom } = require('../../../tables/errors')
const { isFailing } = require('../offences')
const { markdownReport } = require('../report')
const { githubAnnotations, gitlabReport } = require('./code-hosts')
const { junitReport } = require('./junit')
const { sarifReport } = require('./sarif')
const { version } = require('../../../../package.json')

/** @import { Outcome } from '../report' */

/** A GitLab job names it in `artifacts: reports: codequality:`. */
const GITLAB_FILE = 'gl-code-quality-report.json'

/** With whole records. @param {Outcome} outcome */
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

exports.jsonReport = jsonReport
