'use strict'

const { unwantBeats, wantBeats, CALM_MS } = require('../../bridge/thread-beats')
const { OutsideWatch } = require('./outside-watch')

/** @import { ResolvedOptions } from '../../options/table' */

/**
 * @param {ResolvedOptions} options
 * @param {(message: object) => void} post to the watchdog
 * @param {() => boolean} isOurs whether the worker thread that begins at this moment is the watchdog's
 * @returns {{ known: () => OutsideWatch['known'], profile: (threadId: number) => void, stop: () => void }}
 * `known`: those that are polled from outside
 */
exports.startThreads = (options, post, isOurs) => {
  if (options.threads === 'off') return { known: () => [], profile: () => {}, stop: () => {} }
  wantBeats({ ...options, calmPeriod: Math.max(options.calmPeriod, CALM_MS) })
  const looks = new OutsideWatch(options, post, isOurs)
  return {
    known: () => looks.known,
    profile: (threadId) => { looks.profile(threadId).catch(() => {}) },
    stop: () => {
      looks.stop()
      unwantBeats()
    }
  }
}
