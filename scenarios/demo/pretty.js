'use strict'

const path = require('node:path')
const { prettyFactory, isColorSupported } = require('pino-pretty')
const { causes } = require('../../lib/tables/causes')

const STACK_LINES = 5
const ROOT = path.join(__dirname, '..', '..') + path.sep

/**
 * Lines of the stack down to the outermost of the application; what is below is the same for all.
 * @param {string[]} stack innermost first
 */
function telling (stack) {
  const isApplication = (/** @type {string} */ line) => line.includes(`(${ROOT}`)
  const end = stack.findLastIndex(isApplication)
  return stack.slice(0, Math.min(STACK_LINES, end + 1)).map((line) => `at ${line.replace(ROOT, '')}`)
}

/** What the watchdog measured, in the words of an engineer. @param {any} line */
function evidence ({ durationMs, samples, evidence: { cpuMs, gcMs } }) {
  const ms = (/** @type {number} */ value) => `${Math.round(value)} ms`
  return [
    cpuMs !== null && `${ms(cpuMs)} of ${ms(durationMs)} on the CPU`,
    gcMs >= 1 && `${ms(gcMs)} of it garbage collection`,
    `${samples} stack ${samples === 1 ? 'sample' : 'samples'}`
  ].filter(Boolean).join(', ')
}

/**
 * One line of the shop's output as a person reads it; a finished block with why and where below it.
 * @returns {(line: string) => string}
 */
exports.makePretty = () => prettyFactory({
  colorize: isColorSupported,
  hideObject: true,
  translateTime: 'HH:MM:ss.l',
  ignore: 'pid,hostname,name',
  messageFormat: (/** @type {any} */ line, _, __, { colors }) => {
    if (line.event === 'opened' || line.event === 'lasting') return colors.dim(line.msg)
    if (line.event !== 'settled') return line.msg
    const below = [
      `why: ${causes[/** @type {import('../../lib/tables/causes').Cause} */ (line.cause)].meaning}`,
      `     ${evidence(line)}`,
      ...telling(line.stack ?? [])
    ]
    return [colors.bold(line.msg), ...below.map((text) => colors.dim(`    ${text}`))].join('\n')
  }
})
