'use strict'

const { styleText } = require('node:util')
const { issueText } = require('../../util/place-text')
const { counted, duration, printable } = require('../../util/sentence')
const { resolveOptions } = require('../../options/table')
const { TEST_OPTIONS } = require('./inside/recorder')
const { isFailing } = require('./offences')
const { NO_STACK } = require('./verdict')

/**
 * @import { Offence } from './offences'
 * @import { KnownCall, RatchetBlock } from './ratchet'
 */

const TESTS_SHOWN = 3

/**
 * @typedef {object} Outcome
 * @property {Offence[]} offences
 * @property {(RatchetBlock | KnownCall)[]} gone known ones that did not occur
 * @property {Record<string, { count: number, longestMs: number }>} passedOver blocks that do not count, by reason
 * @property {number} overMs @property {boolean} hasCpuTimes
 * @property {boolean} isSync whether the run looked for synchronous calls
 * @property {number} processes Node.js processes @property {number} watched of them
 * @property {number} unwatched that should have been
 * @property {number} unwatchedTests processes and worker threads that ran tests, and were not watched
 * @property {boolean} hasWatchedNothing no process was watched, or none that ran tests
 * @property {number} code the command's own @property {boolean} isInterrupted
 */

/** @param {Offence} offence */
exports.placeOf = ({ function: name, file, line, isExact }) =>
  `${isExact ? '' : '≈ '}${name} (${file}${line === null ? '' : `:${line}`})`

/** @param {Offence} offence */
exports.lengthOf = ({ longestMs, count, cause, knownMs, state, call, twin, records }) => {
  const times = count === 1 ? 'once' : `${count} times`
  if (call !== null) return `calls ${call}, ${times}; ${twin} does not block`
  const packageIssue = records[0]?.packageIssue
  const issue = packageIssue ? `; ${issueText(packageIssue)}` : ''
  return `${duration(longestMs)} on the CPU (${cause}), ` +
    `${times}${state === 'longer' && knownMs !== null ? `; ${duration(knownMs)} before` : ''}${issue}`
}

/** The verb before lengthOf(). @param {Offence} offence */
exports.verbOf = ({ call }) => call === null ? 'blocked the event loop for ' : ''

/** @param {Offence['tests'][number]} test */
exports.testName = ({ file, name, others }) => {
  const of = others > 0 ? `, one of ${others + 1} tests that ran concurrently` : ''
  return `${[file, name].filter((part) => part !== null).join(' > ') || 'outside any known file'}${of}`
}

/** @param {Offence} offence */
function paragraph (offence) {
  const { tests, package: owner } = offence
  const shown = tests.slice(0, TESTS_SHOWN).map((test) => `    ${exports.testName(test)}`)
  const rest = tests.length > TESTS_SHOWN ? [`    and ${counted(tests.length - TESTS_SHOWN, 'more test')}`] : []
  return [
    `  ${exports.placeOf(offence)}${owner === null ? '' : `, in ${owner}`}: ${exports.lengthOf(offence)}`,
    ...shown, ...rest
  ]
}

/** Why processes were not watched: which variable they refuse. */
function invalidVariable () {
  try {
    resolveOptions({ ...TEST_OPTIONS, threshold: 50 }, { ...process.env, LOOPWATCH_NOTIFY: '' })
    return 'a LOOPWATCH_… variable has an invalid value'
  } catch (error) {
    return error.message
  }
}

/** Why nothing was watched. @param {Outcome} outcome */
function reasonOf ({ processes, unwatched, unwatchedTests }) {
  if (processes === 0 && unwatchedTests === 0) return 'the command started no Node.js process, or replaced NODE_OPTIONS'
  if (unwatched > 0) return invalidVariable()
  if (unwatchedTests > 0) {
    return 'tests ran where blocks cannot be detected, such as worker threads (docs/tools/test.md in the repository)'
  }
  return 'only tools and compilers ran; --all counts them'
}

/** @param {Outcome} outcome */
exports.headline = (outcome) => {
  const { offences, overMs, hasCpuTimes, isSync, hasWatchedNothing, passedOver } = outcome
  const failing = offences.filter(isFailing)
  const calls = failing.filter(({ call }) => call !== null).length
  const blocks = failing.length - calls
  const what = hasCpuTimes
    ? 'CPU time of the application\'s own code'
    : 'the duration (this system reports no CPU times)'
  const unplaced = NO_STACK in passedOver ? ` (${passedOver[NO_STACK].count} without a known line ignored)` : ''
  const ofBlocks = blocks === 0
    ? hasWatchedNothing
      ? `nothing was watched: ${reasonOf(outcome)}`
      : `no new block above ${duration(overMs)}${unplaced}`
    : `${counted(blocks, 'place')} blocked the event loop: ${what} was above ${duration(overMs)}`
  if (!isSync) return ofBlocks
  return `${ofBlocks}; ` +
    `${calls === 0 ? 'no new synchronous call' : `${counted(calls, 'place')} made a synchronous call`} after startup`
}

/** For people, after the runner's own output. @param {Outcome} outcome @param {boolean} [hasColors] */
exports.textReport = (outcome, hasColors = false) => {
  const { offences, gone, watched, unwatched, unwatchedTests, hasWatchedNothing, isInterrupted } = outcome
  const failing = offences.filter(isFailing)
  const list = (/** @type {Offence['state']} */ state, /** @type {string} */ title) => {
    const some = offences.filter((offence) => offence.state === state)
    return some.length === 0 ? [] : ['', `${title}:`, ...some.flatMap(paragraph)]
  }
  const lines = [
    `loopwatch: ${exports.headline(outcome)}${isInterrupted ? ', until it was interrupted' : ''} ` +
      `(${counted(watched, 'process', 'processes')} watched)`,
    ...(failing.length === 0 ? [] : ['', ...failing.flatMap(paragraph)]),
    ...list('unconfirmed', 'not seen again in the repeated run, so they do not fail'),
    ...list('known', 'known'),
    ...list('allowed', 'allowed'),
    ...(gone.length === 0 ? [] : ['', 'known, but no longer seen (--update removes them):', ...gone.map(goneLine)]),
    ...notCounted(outcome),
    ...(unwatched === 0
      ? []
      : [
          '',
      `${counted(unwatched, 'process', 'processes')} could not be watched: ${invalidVariable()}`
        ]),
    ...(unwatchedTests === 0
      ? []
      : [
          '',
      `${counted(unwatchedTests, 'process or worker thread', 'processes or worker threads')} of the runner could ` +
        'not be watched'
        ])
  ]
  const [first, ...rest] = lines.map(printable)
  const headline = hasColors && hasWatchedNothing ? styleText('red', first, { validateStream: false }) : first
  return `\n${[headline, ...rest].join('\n')}\n`
}

/** @param {Outcome['gone'][number]} known */
function goneLine ({ function: name, within, file, ...rest }) {
  return `  ${name}${within === undefined ? '' : ` within ${within}`} ` +
    `(${file})${'call' in rest ? `: ${rest.call}` : ''}`
}

/** @param {Outcome} outcome */
function notCounted ({ passedOver }) {
  const parts = Object.entries(passedOver).map(([reason, { count, longestMs }]) =>
    `${count} ${reason} (longest: ${duration(longestMs)})`)
  return parts.length === 0 ? [] : ['', `not counted: ${parts.join(', ')}`]
}

/** For the summary of a job. @param {Outcome} outcome */
exports.markdownReport = (outcome) => {
  const cell = (/** @type {string} */ text) => printable(text).replaceAll('|', '\\|').replaceAll('<', '&lt;')
  const rows = outcome.offences.map((offence) =>
    `| ${offence.state} | ${cell(exports.placeOf(offence))} | ${cell(exports.lengthOf(offence))} | ` +
      `${cell(exports.testName(offence.tests[0]))} |`)
  const table = rows.length === 0 ? [] : ['', '| | place | CPU time | test |', '|---|---|---|---|', ...rows]
  return `${['### loopwatch', '', exports.headline(outcome), ...table].join('\n')}\n`
}
