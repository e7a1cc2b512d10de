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
  /** host to watchdog: { code }, this process has become the primary of a cluster */
  LEAD: 6
}
