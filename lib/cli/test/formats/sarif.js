'use strict'

const { causes } = require('../../../tables/causes')
const { isFailing, keyOf } = require('../offences')
const { lengthOf, testName, verbOf } = require('../report')
const { createHash } = require('node:crypto')
const { version } = require('../../../../package.json')

/**
 * @import { Offence } from '../offences'
 * @import { Outcome } from '../report'
 */

/** A name of a place that stays the same if the line moves, for SARIF and GitLab. @param {Offence} offence */
exports.fingerprint = (offence) => createHash('sha256').update(keyOf(offence)).digest('hex').slice(0, 32)

/** A `#` or `?` would end the path of a URI. @param {string} file with slashes */
const escaped = (file) => file.split('/').map(encodeURIComponent).join('/')

/** @param {string} file with slashes */
const uriOf = (file) => {
  const drive = /^\w:/.exec(file)?.[0]
  if (drive !== undefined) return `file:///${drive}${escaped(file.slice(drive.length))}`
  return file.startsWith('/') ? `file://${escaped(file)}` : escaped(file)
}

const SYNC_RULE = {
  id: 'synchronous-call',
  shortDescription: { text: 'A synchronous call blocks the event loop' },
  fullDescription: {
    text: 'The event loop stands still while the call waits for a file, a process or a computation that has an ' +
      'asynchronous equivalent'
  }
}

const rules = [...Object.entries(causes).map(([cause, { meaning }]) => ({
  id: `event-loop-block/${cause}`,
  shortDescription: {
    text: `The event loop was blocked (${cause})`
  },
  fullDescription: { text: meaning }
})), SYNC_RULE]

/** @param {Offence} offence */
const ruleOf = ({ call, cause }) => call === null ? `event-loop-block/${cause}` : SYNC_RULE.id

/** SARIF 2.1.0. Each cause is a rule. @param {Outcome} outcome */
exports.sarifReport = ({ offences, hasWatchedNothing }) => ({
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [{
    tool: {
      driver: {
        name: 'loopwatch',
        version,
        rules
      }
    },
    invocations: [{ executionSuccessful: !hasWatchedNothing }],
    results: offences.map((offence) => ({
      ruleId: ruleOf(offence),
      ruleIndex: rules.findIndex(({ id }) => id === ruleOf(offence)),
      level: isFailing(offence) ? 'error' : 'note',
      message: { text: `${offence.function} ${verbOf(offence)}${lengthOf(offence)}, in ${testName(offence.tests[0])}` },
      ...(offence.file !== '' && {
        locations: [{
          physicalLocation: {
            artifactLocation: { uri: uriOf(offence.file) },
            ...(offence.line !== null && { region: { startLine: offence.line } })
          }
        }]
      }),
      partialFingerprints: { 'functionAndFile/v1': exports.fingerprint(offence) },
      ...(['known', 'allowed'].includes(offence.state) && {
        suppressions: [{ kind: 'external', justification: offence.reason ?? 'in the list of known blocks' }]
      })
    }))
  }]
})
