'use strict'

const { getEnvironmentData, setEnvironmentData } = require('node:worker_threads')

/** Node.js hands environment data to every worker thread that is started afterwards. */
const KEY = 'loopwatch.beats.1'

/** @typedef {{ threshold: number, beatPeriod: number, calmPeriod: number }} BeatOptions ms */

/** An idle worker thread beats and is polled this often. Eight of them wake a sleeping process 80 times per second. */
exports.CALM_MS = 100

/** Makes worker threads that are started from now on beat, if they run the preload. @param {BeatOptions} options */
exports.wantBeats = ({ threshold, beatPeriod, calmPeriod }) =>
  setEnvironmentData(KEY, { threshold, beatPeriod, calmPeriod })

exports.unwantBeats = () => setEnvironmentData(KEY, undefined)

/** The options by which this thread has to beat, null if it need not. @returns {BeatOptions | null} */
exports.wantedBeats = () => {
  const options = /** @type {any} */ (getEnvironmentData(KEY))
  const times = [options?.threshold, options?.beatPeriod, options?.calmPeriod]
  return times.every(Number.isFinite) ? options : null
}
