'use strict'

const { openBeat } = require('../bridge/beat')
const { nowMs } = require('../util/clock')

/** @import { WorkerData } from './watchdog' */

/** Longest time between two looks. */
const LOOK_MS = 100
/** How long the host may start, without a turn of its loop, before there is an outpost. */
const STARTING_MS = 800
/** A beat this late is worth the modules of an outpost: they have to be there when it turns out to be a block. */
const LATE_MS = 5

/**
 * Stands in for the outpost, whose 20 modules take as long as a small server takes to begin: it reads the heartbeat,
 * and calls `onLate` at the first that is late.
 * @param {Pick<WorkerData, 'memory' | 'options' | 'begunAtMs'>} data @param {() => void} onLate
 */
exports.keepLookout = ({ memory, options, begunAtMs }, onLate) => {
  const startingMs = Math.min(STARTING_MS, options.stuck || Infinity)
  const beat = openBeat(memory)
  const look = () => {
    const now = nowMs()
    const { beats, atMs, periodMs } = beat.read()
    const lateAtMs = beats <= 1 ? begunAtMs + startingMs : atMs + periodMs + LATE_MS
    if (now >= lateAtMs) onLate()
    else timer = setTimeout(look, Math.min(LOOK_MS, Math.ceil(lateAtMs - now)))
  }
  let timer = setTimeout(look, LOOK_MS)
  return {
    /** No question has been put. */
    leave: () => {
      clearTimeout(timer)
      return null
    }
  }
}
