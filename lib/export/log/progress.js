'use strict'

const { MS_PER_S } = require('../../util/units')

/** A block in progress has a line after these times, */
const MARKS_S = [1, 5, 15, 60]
/** and then one each minute, so a block of a whole night is visible in the log but does not fill it. */
const EACH_S = 60
/** Loading modules at start-up takes a second or two. Only if it takes longer, there are lines before its end. */
const STARTUP_S = 5

/** Decides which reports of a block, one a second, have a line. */
class Progress {
  /** When the next line of a block in progress is due, by its id. @type {Map<string, number>} */
  #nextS = new Map()

  /** @param {{ id: string, durationMs: number, startup: boolean }} record of a block in progress */
  isDue ({ id, durationMs, startup }) {
    const lastedS = durationMs / MS_PER_S
    if (lastedS < (this.#nextS.get(id) ?? (startup ? STARTUP_S : MARKS_S[0]))) return false
    this.#nextS.set(id, MARKS_S.find((mark) => mark > lastedS) ?? (Math.floor(lastedS / EACH_S) + 1) * EACH_S)
    return true
  }

  /** @param {string} id of a settled block */
  ended (id) {
    this.#nextS.delete(id)
  }
}

exports.Progress = Progress
