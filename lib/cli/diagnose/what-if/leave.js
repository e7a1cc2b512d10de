'use strict'

const { ROUTES, TEXT_CHARS, leavePrediction } = require('../../../store/what-if')

/** @param {string} text */
const short = (text) => text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS - 1).toWellFormed()}…` : text

/** How it was measured. A command of the load may have secrets in it, and so may a query. @param {Flags} flags */
function howOf ({ onPort, seconds }) {
  const forS = seconds === undefined ? '' : ` for ${seconds} s`
  if (!onPort) return `with no load of its own${forS}`
  if (onPort !== true && !onPort.startsWith('/')) return `under a command's load${forS}`
  return `under ten connections on ${onPort === true ? '/' : onPort.split('?')[0]}${forS}`
}

/** @typedef {Pick<import('../../profile/profile').Flags, 'onPort' | 'seconds'>} Flags */

/**
 * Leaves what was found in a folder of block records, for the live page of an agent that writes there.
 * @param {import('./what-if').WhatIf} found
 * @param {string} dir
 * @param {Flags} flags
 * @param {Date} now
 * @returns {string} what was done
 */
exports.leaveWhatIf = ({ function: name, file, line, verdict, reason, routes, workMs, cloningMs }, dir, flags, now) => {
  const p99 = routes.slice(0, ROUTES)
    .map(({ route, before, after }) => ({ work: short(route), beforeMs: before.p99Ms, afterMs: after.p99Ms }))
  const prediction = {
    function: name,
    file,
    line,
    verdict,
    reason: reason === null ? null : short(reason),
    p99,
    workMs,
    cloningMs,
    measuredAt: now.toISOString(),
    how: short(howOf(flags))
  }
  try {
    return `for the live page of an agent with this dir: ${leavePrediction(dir, prediction)}`
  } catch (error) {
    return `the live page will not show it: ${error.message}`
  }
}
