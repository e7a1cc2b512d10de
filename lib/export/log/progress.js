'use strict'

const { MS_PER_S } = require('../../util/units')

/** A block that lasts has a line after so many seconds, */
const MARKS_S = [1, 5, 15, 60]
/** and then each so many: who reads the log in the morning finds it, and not one line a second since. */
const EACH_S = 60
/** A start loads modules for a second or two. Of one that takes longer, lines say so before its end. */
const STARTUP_S = 5

/** Which of a block's reports, one a second, have a line. */
class Progress {
  /** When the next line of a block in progress is due, by its id. @type {Map<string, number>} */
  #nextS = new Map()

  /**
   * @param {{ id: string, durationMs: number, startup: boolean }} record of a block in progress
   */
  isDue ({ id, durationMs, startup }) {
    const lastedS = durationMs / MS_PER_S
    if (lastedS < (this.#nextS.get(id) ?? (startup ? STARTUP_S : MARKS_S[0]))) return false
    this.#nextS.set(id, MARKS_S.find((mark) => mark > lastedS) ?? (Math.floor(lastedS / EACH_S) + 1) * EACH_S)
    return true
  }

  /** @param {string} id of a block that is over */
  ended (id) {
    this.#nextS.delete(id)
  }
}

exports.Progress = Progress
