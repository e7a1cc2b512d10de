'use strict'

const { causeRow } = require('../../tables/causes')
const { STORM_SHARE } = require('../evidence')
const { garbageOf } = require('../../util/memory-text')
const { median } = require('../../util/statistics')
const { cures } = require('./cures')
const { packageOf } = require('./evidence-view')

/** @import { Detector } from './advice-by-call' */

/** From this number on, requests in one turn are many. */
const MANY = 5
/** Fewer blocks make no trend. */
const TREND_BLOCKS = 6
/** How much longer the last third must be than the first one. */
const GROWN = 1.5
const MICROTASKS = 'node:internal/process/task_queues'
const LOGGERS = new Set(['sonic-boom', 'pino', 'winston', 'bunyan', 'log4js', 'loglevel', 'signale'])
/** stdout or stderr, if it is not a file. */
const FULL_PIPE = /^fd [12] \((?!\/)/
const WRITES = new Set(['writeSync', 'flushSync', 'writeUtf8String', 'writeBuffer', 'writeString'])

/** @type {Detector} */
exports.require = ({ record: { startup }, frames }) => {
  const isLoading = frames.some(({ file, function: name }) => file === 'node:internal/modules/cjs/loader' && /(?:^|\.)(?:require|_load|Module\._load|load)$/.test(name ?? ''))
  return isLoading && !startup
    ? `A module is loaded while the application serves: its files are read and compiled on the loop. ${cures.js.require}`
    : null
}

/** @type {Detector} */
exports.many = ({ record: { cause, evidence } }) => {
  if (cause !== 'many' && evidence.requests < MANY) return null
  return `${evidence.requests > 1 ? `${evidence.requests} requests` : 'Many callbacks'} ran in a row before the loop came round again. ${cures.many.many}`
}

/** @type {Detector} */
exports.allocation = ({ record: { cause, durationMs, evidence: { gcMs, memory } } }) => {
  if (memory?.isHeapFull) return null
  if (!causeRow(cause).blamesAllocation && gcMs < STORM_SHARE * durationMs) return null
  return `The garbage collector took ${Math.round(100 * Math.min(1, gcMs / durationMs))}% of the time. ${cures.gc.allocation}`
}

/** @type {Detector} */
exports.memory = ({ record }) => {
  const { evidence: { memory } } = record
  const reason = memory?.isHeapFull ? garbageOf(record) : null
  return reason === null ? null : `${reason[0].toUpperCase()}${reason.slice(1)}. ${cures.gc.memory}`
}

/** @type {Detector} */
exports.logging = ({ callees, record: { cause, evidence: { sleptIn } } }) => {
  if (causeRow(cause).blamesAllocation) return null
  if (sleptIn?.call === 'write' && FULL_PIPE.test(sleptIn.target ?? '')) {
    return `The reader of ${sleptIn.target} does not keep up, so the thread waits until there is room. ${cures['sync-io'].logging}`
  }
  const isConsole = callees.some(({ file }) => file?.startsWith('node:internal/console/'))
  const logger = callees.map(packageOf).find((name) => name !== null && LOGGERS.has(name))
  const writes = callees.some(({ function: name }) => WRITES.has(name?.split('.').pop() ?? ''))
  if (!(isConsole || (logger !== undefined && writes))) return null
  return `${isConsole ? 'console' : logger} writes synchronously to files, and to terminals and pipes on some systems. ${cures['sync-io'].logging}`
}

/** @type {Detector} */
exports.microtasks = ({ record: { cause, samples }, frames, near }) => {
  const isTurn = frames.some(({ file }) => file === MICROTASKS)
  const awaits = /\bawait\b/.test(near) && /\b(?:for|while)\b/.test(near)
  if (!causeRow(cause).isScript || samples < 2 || !isTurn || !awaits) return null
  return `await yields only to other promises: a loop over values that are already available never lets the event loop run. ${cures.js.microtasks}`
}

/** @type {Detector} */
exports.tls = ({ callees }) => {
  const isContext = callees.some(({ file, function: name }) =>
    /^node:(?:_tls_common|internal\/tls\/)/.test(file ?? '') && /createSecureContext|configSecureContext|SecureContext/.test(name ?? ''))
  return isContext
    ? `Each new secure context reads its certificates again. ${cures.native.tls}`
    : null
}

/** @type {Detector} */
exports.growth = ({ earlier }) => {
  if (earlier.length < TREND_BLOCKS) return null
  const third = Math.floor(earlier.length / 3)
  const durations = earlier.map(({ durationMs }) => durationMs)
  const [first, last] = [durations.slice(0, third), durations.slice(-third)].map(median)
  if (last < GROWN * first || agreement(durations) < 0.5) return null
  return `Its blocks grow: ${Math.round(first)} ms at first, ${Math.round(last)} ms now. ${cures.js.growth}`
}

/** Kendall's tau: the share of pairs that grow minus the share that shrinks. @param {number[]} values */
function agreement (values) {
  const recent = values.slice(-50)
  let sum = 0
  for (const [i, value] of recent.entries()) {
    for (const later of recent.slice(i + 1)) sum += Math.sign(later - value)
  }
  return sum / (recent.length * (recent.length - 1) / 2)
}
