'use strict'

const { MS_PER_S } = require('../../util/units')

/** A block in progress has a line after these times. */
const MARKS_S = [1, 5, 15, 60]
/** Afterwards one line a minute: the log shows a block of a whole night, but is not full of it. */
const EACH_S = 60
/** Loading modules at start-up takes a second or two. Only a longer start has lines before its end. */
const STARTUP_S = 5

/** Decides which of a block's reports, one a second, get a line. */
class Progress {
  /** Next line of each block in progress, by id. @type {Map<string, number>} */
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
exports.STARTUP_S = STARTUP_S
