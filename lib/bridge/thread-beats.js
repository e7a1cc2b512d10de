'use strict'

const { getEnvironmentData, setEnvironmentData } = require('node:worker_threads')

/** Node.js hands environment data to every worker thread that is started afterwards. */
const KEY = 'loopwatch.beats.1'

/** @typedef {{ threshold: number, beatPeriod: number, calmPeriod: number }} BeatOptions ms */

/**
 * An idle worker thread beats, and is looked at, this often: eight of them wake a sleeping process 80 times a second.
 */
exports.CALM_MS = 100

/** Has worker threads that are started from now on beat, if they run the preload. @param {BeatOptions} options */
exports.wantBeats = ({ threshold, beatPeriod, calmPeriod }) =>
  setEnvironmentData(KEY, { threshold, beatPeriod, calmPeriod })

/** Those that are started from now on do not. */
exports.unwantBeats = () => setEnvironmentData(KEY, undefined)

/** Whether and how this thread is to beat. @returns {BeatOptions | null} */
exports.wantedBeats = () => {
  const found = /** @type {any} */ (getEnvironmentData(KEY))
  const times = [found?.threshold, found?.beatPeriod, found?.calmPeriod]
  return times.every(Number.isFinite) ? found : null
}
