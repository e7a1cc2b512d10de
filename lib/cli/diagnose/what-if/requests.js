'use strict'

const { US_PER_MS } = require('../../../util/units')

/** Work for nobody that is shorter than this is part of everybody's. */
const JOB_US = 1000

/**
 * @typedef {import('../../../explain/profile/cpu-profile').CpuProfile} CpuProfile
 * @typedef {import('./preload').Interval} Interval
 * @typedef {{ fromUs: number, toUs: number, serviceUs: number, culpritUs: number, leadUs: number | null, route: string
 *   | null }} Seen
 */

/**
 * The requests of a run as a replay wants them, in the order of their first work.
 * @param {object} run
 * @param {Interval[]} run.intervals in which the loop worked, in the order of their time
 * @param {string[]} run.routes of requests, by their number
 * @param {CpuProfile} run.profile
 * @param {{ lineNumber: number, columnNumber?: number, scriptId: string }} run.location of the function
 * @returns {import('./replay').Recorded[]}
 */
exports.requestsOf = ({ intervals, routes, profile, location }) => {
  const busy = busyBefore(intervals)
  /** @type {Map<number, Seen>} */
  const all = new Map()
  const within = timeWithin(profile, location)
  for (const [fromUs, toUs, request] of intervals) {
    if (request < 0 && toUs - fromUs < JOB_US) continue
    const key = request < 0 ? -1 - all.size : request
    const route = routes[request] ?? null
    const known = all.get(key) ?? { fromUs, toUs, serviceUs: 0, culpritUs: 0, leadUs: null, route }
    const { us, firstUs } = within(fromUs, toUs)
    if (firstUs !== null) known.leadUs ??= known.serviceUs + firstUs - fromUs
    all.set(key, { ...known, toUs, serviceUs: known.serviceUs + toUs - fromUs, culpritUs: known.culpritUs + us })
  }
  return [...all.values()].map(({ fromUs, toUs, serviceUs, culpritUs, leadUs, route }) => ({
    startMs: fromUs / US_PER_MS,
    route,
    serviceMs: serviceUs / US_PER_MS,
    culpritMs: Math.min(serviceUs, culpritUs) / US_PER_MS,
    ...(leadUs === null ? {} : { leadMs: leadUs / US_PER_MS }),
    // While the loop worked for others it is the replay that says how long.
    waitMs: Math.max(0, toUs - fromUs - (busy(toUs) - busy(fromUs))) / US_PER_MS
  }))
}

/** How long the loop had worked until a moment. @param {Interval[]} intervals */
function busyBefore (intervals) {
  let sumUs = 0
  const sums = intervals.map(([fromUs, toUs]) => (sumUs += toUs - fromUs) - (toUs - fromUs))
  return (/** @type {number} */ atUs) => {
    const i = indexBefore(intervals.length, (each) => intervals[each][0] <= atUs)
    return i < 0 ? 0 : sums[i] + Math.min(atUs, intervals[i][1]) - intervals[i][0]
  }
}

/**
 * The last index that fits, of such as fit up to one; -1 = none does.
 * @param {number} length @param {(index: number) => boolean} fits
 */
function indexBefore (length, fits) {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (fits(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}

/**
 * How long a function was on the stack between two moments, by the samples of a profile.
 * @param {CpuProfile} profile
 * @param {{ lineNumber: number, columnNumber?: number, scriptId: string }} location
 */
function timeWithin ({ nodes, samples, timeDeltas, startTime }, { lineNumber, columnNumber, scriptId }) {
  const inside = new Set()
  // A parent comes before its children.
  for (const { id, callFrame, children = [] } of nodes) {
    const isThere = callFrame.lineNumber === lineNumber && callFrame.columnNumber === columnNumber
    if (isThere && callFrame.scriptId === scriptId) inside.add(id)
    if (inside.has(id)) for (const child of children) inside.add(child)
  }
  let atUs = startTime
  const times = samples.map((_, i) => (atUs += timeDeltas[i]))
  return (/** @type {number} */ fromUs, /** @type {number} */ toUs) => {
    let us = 0
    /** @type {number | null} */
    let firstUs = null
    const first = Math.max(0, indexBefore(times.length, (each) => times[each] <= fromUs))
    for (let i = first; i < times.length && times[i] < toUs; i++) {
      if (!inside.has(samples[i])) continue
      const [startUs, endUs] = [Math.max(fromUs, times[i]), Math.min(toUs, times[i + 1] ?? toUs)]
      us += Math.max(0, endUs - startUs)
      firstUs ??= startUs
    }
    return { us, firstUs }
  }
}
