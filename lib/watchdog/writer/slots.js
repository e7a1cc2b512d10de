'use strict'

/** Int32 slots of the memory that the watchdog and one of its writers share. */
module.exports = {
  /** What the writer has dealt with, in units that both count; wraps. */
  DONE: 0,
  /** Lines that it has dealt with; wraps. */
  LINES: 1,
  /** Lines of those that could not be written, until the watchdog takes the number. */
  LOST: 2,
  COUNT: 3
}
