'use strict'

const { Health } = require('./health')
const { LogBudget } = require('../export/log/budget')
const { BlockLog } = require('../export/log/log')
const { BlockFile } = require('../store/block-file')
const { nowMs } = require('../util/clock')

/** @typedef {import('../options/table').ResolvedOptions} Options */

/**
 * The log, null where none is wanted, and what tells in it which parts do not work.
 * @param {Options} options
 * @param {(message: object) => void} post to the host
 */
exports.openLog = ({ log: option }, post) => {
  const health = new Health(post)
  const log = option === false ? null : new BlockLog({ log: option, nowMs, onState: health.listener('log') })
  if (log !== null) health.sayIn(log)
  return { health, log }
}

/** Bounds how many blocks of worker threads are filed, to as many as a person would read. */
exports.makeBudget = () => new LogBudget(nowMs())

/**
 * Records on disk, null where none are wanted.
 * @param {Options} options
 * @param {Health} health
 */
exports.openFile = ({ dir }, health) => {
  if (dir === undefined) return null
  return new BlockFile({ dir, name: `blocks-${process.pid}-${Date.now()}`, nowMs, onState: health.listener('dir') })
}

/**
 * Pushes blocks to Pyroscope, null where that is not wanted.
 * @param {Options} options
 * @param {Health} health
 * @param {import('../export/prometheus/metrics').Metrics} metrics
 */
exports.openPyroscope = ({ pyroscope: url, labels }, health, metrics) => {
  if (url === undefined) return null
  // Loaded only then: what pushes is more code than what watches.
  const { PyroscopePush } = require('../export/profiles/pyroscope')
  const onState = health.listener('pyroscope')
  return new PyroscopePush({ url, labels, onState, onLost: (profiles) => metrics.drop('profile', profiles) })
}

/**
 * Posts long blocks while they last, null where that is not wanted.
 * @param {Options} options
 * @param {Health} health
 * @param {import('../export/prometheus/metrics').Metrics} metrics
 */
exports.openNotifier = ({ notify: url, notifyAbove: aboveMs, labels }, health, metrics) => {
  if (url === undefined) return null
  const { Notifier } = require('../export/notify/notify')
  const onState = health.listener('notify')
  return new Notifier({ url, aboveMs, labels, onState, onLost: (messages) => metrics.drop('notification', messages) })
}
