'use strict'

const fs = require('node:fs')
const { setTimeout } = require('node:timers')
const { threadCpuMs } = require('../../../host/sense/thread-cpu')
const { NS_PER_MS } = require('../../../util/units')
const { wallMs } = require('./wall-clock')

/** A loop that turns has a reading this often. */
const PERIOD_MS = 10
const SCHEDSTAT = '/proc/thread-self/schedstat'
const BYTES = 64

// Taken at load: a test may replace files.
const { readSync } = fs

/**
 * @typedef {{ startMs: number, endMs: number, cpuMs: number }} Stretch wall time of its ends; CPU time that was
 * certainly spent in one turn of the loop
 */

/**
 * Counts the CPU time of this thread between two moments at which its loop turned, exactly. The watchdog looks from
 * outside: on a busy machine it comes late, and has CPU time of the time before and after a block as well.
 * @param {number} overMs
 * @param {() => number} heldMs for how long the agent has kept the thread so far, which is nobody's block
 * @param {(stretch: Stretch) => void} tell of those in which that much was spent without a turn
 * @returns {{ mark: () => void } | null} null where nobody tells CPU times; mark() = a turn begins or a test ends at
 * this moment
 */
exports.startMeter = (overMs, heldMs, tell) => {
  const cpuNow = reader()
  if (cpuNow === null) return null
  let last = { atMs: wallMs(), cpuMs: cpuNow(), heldMs: heldMs(), isMark: true }
  const read = (/** @type {boolean} */ isMark) => {
    const now = { atMs: wallMs(), cpuMs: cpuNow(), heldMs: heldMs(), isMark }
    // The loop may have turned after a timer's reading, up to when the next was due.
    const cpuMs = now.cpuMs - last.cpuMs - (now.heldMs - last.heldMs) - (last.isMark ? 0 : PERIOD_MS)
    if (cpuMs >= overMs) tell({ startMs: last.atMs, endMs: now.atMs, cpuMs })
    last = now
  }
  const timer = setTimeout(() => {
    read(false)
    timer.refresh()
  }, PERIOD_MS).unref()
  return { mark: () => read(true) }
}

/** @returns {(() => number) | null} CPU time of this thread so far, ms */
function reader () {
  if (!Number.isNaN(threadCpuMs())) return threadCpuMs
  try {
    const fd = fs.openSync(SCHEDSTAT, 'r')
    const bytes = Buffer.alloc(BYTES)
    let lastMs = 0
    const read = () => {
      try {
        lastMs = parseInt(bytes.toString('latin1', 0, readSync(fd, bytes, 0, BYTES, 0)), 10) / NS_PER_MS
      } catch {
        // A test has put other files in place of the system's for a while.
      }
      return lastMs
    }
    return read() > 0 ? read : null
  } catch {
    return null
  }
}
