'use strict'

const { isFailing } = require('../offences')
const { lengthOf, placeOf, testName } = require('../report')

/** @param {string} text */
const data = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

/** @param {string} text */
const property = (text) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/**
 * A line for each place that fails, which GitHub shows at the code.
 * @param {import('../report').Outcome} outcome
 */
exports.githubAnnotations = ({ offences }) => offences.filter(isFailing).map((offence) => {
  const { file, line, tests } = offence
  const where = file === '' ? '' : `file=${property(file)},${line === null ? '' : `line=${line},`}`
  return `::error ${where}title=${property(offence.call === null ? 'event loop blocked' : 'synchronous call')}::${data(`${placeOf(offence)}: ${lengthOf(offence)}, in ${testName(tests[0])}`)}\n`
}).join('')
