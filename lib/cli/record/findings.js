'use strict'

const { findings } = require('../doctor/doctor')
const { parseSamples } = require('../common/metric-samples')

/** @import { Recording } from '../../store/recording' */

const WIDTH = 10

/** A recording that the page saved has none yet. @param {Recording} recording */
exports.findingsOf = ({ findings: known, metrics, process: { pid }, versions: { platform } }) => {
  if (Array.isArray(known)) return { lines: known.map(String) }
  const samples = parseSamples(metrics)
  if (!samples.some(({ name }) => name === 'loopwatch_build_info')) return { lines: [] }
  const { lines } = findings(samples, `process ${pid}`, platform)
  return { lines: lines.map(([head, line]) => `${head.padEnd(WIDTH)}  ${line}`) }
}
