'use strict'

/** Int32 slots of the memory that the watchdog and one of its writers share. */
module.exports = {
  /** Units that the writer has handled; both sides count them; wraps. */
  DONE: 0,
  /** Lines that it has handled; wraps. */
  LINES: 1,
  /** Lines that it could not write, until the watchdog takes the number. */
  LOST: 2,
  COUNT: 3
}
