'use strict'

const { openBeat } = require('../bridge/beat')
const { nowMs } = require('../util/clock')

/** @import { WorkerData } from './watchdog' */

/** Time between two looks while the host has not turned its loop, and how long that may take without an outpost. */
const STARTING_LOOK_MS = 100
const STARTING_MS = 800
/** A beat this late is worth the modules of an outpost: they have to be there when it turns out to be a block. */
const LATE_MS = 5

/**
 * Stands in for the outpost, whose 20 modules take as long as a small server takes to begin: it reads the heartbeat,
 * and calls `onLate` at the first that is late.
 * @param {Pick<WorkerData, 'memory' | 'begunAtMs'>} data @param {() => void} onLate
 */
exports.keepLookout = ({ memory, begunAtMs }, onLate) => {
  const beat = openBeat(memory)
  const look = () => {
    const now = nowMs()
    const { beats, atMs, periodMs } = beat.read()
    const isStarting = beats <= 1
    const lateAtMs = isStarting ? begunAtMs + STARTING_MS : atMs + periodMs + LATE_MS
    if (now >= lateAtMs) onLate()
    else timer = setTimeout(look, Math.ceil(isStarting ? STARTING_LOOK_MS : lateAtMs - now))
  }
  let timer = setTimeout(look, STARTING_LOOK_MS)
  return {
    /** No question has been put. */
    leave: () => {
      clearTimeout(timer)
      return null
    }
  }
}
