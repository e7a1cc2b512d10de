'use strict'

/**
 * Codes of the messages between the host and its watchdog; unknown ones are ignored, so that two
 * versions in one process get along. Nothing that must work during a block travels this way.
 */
module.exports = {
  /** host to watchdog: { code, id, method } */
  CALL: 1,
  /** host to watchdog: { code } */
  STOP: 2,
  /** watchdog to host: { code, url } whenever the endpoint's address is settled or changes */
  LISTENING: 3,
  /** watchdog to host: { code, id, value } */
  REPLY: 4,
  /** watchdog to host: { code, record } of a finished block */
  BLOCK: 5,
  /** watchdog to host: { code, on } follow requests through asynchronous work, or no longer */
  FOLLOW: 6,
  /** watchdog to host: { code, open, seconds, why, ended } a window of origin tracking is wanted, or no longer */
  TRACK: 10,
  /** host to watchdog: { code, open, reason, seconds, why, ended, failure } origin tracking is on, off, or impossible */
  TRACKING: 11,
  /** host to watchdog: { code, startMs, endMs, type, frames } of a slow callback, when it is over */
  ORIGIN: 12
}
