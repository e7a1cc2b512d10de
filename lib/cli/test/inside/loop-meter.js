'use strict'

const fs = require('node:fs')
const { setTimeout } = require('node:timers')
const { between, nowMs } = require('../../../util/clock')
const { threadCpuMs } = require('../../../util/usage')
const { NS_PER_MS } = require('../../../util/units')

const PERIOD_MS = 10
const SCHEDSTAT = '/proc/thread-self/schedstat'

// Taken at load: a test may mock node:fs, and clocks.
const { readSync } = fs
const dateNow = Date.now
const originMs = between(dateNow, nowMs)

/** Wall time that advances evenly, as in records: the system's clock may be adjusted while a test runs. */
const wallMs = () => originMs + nowMs()

/** @typedef {{ startMs: number, endMs: number, cpuMs: number }} Stretch wall time; CPU time surely spent in one turn */

/**
 * Counts exactly how much CPU time this thread spends between two turns. The watchdog measures from outside: on a busy
 * machine it is late, and includes CPU time from before and after a block.
 * @param {number} overMs @param {() => number} heldCpuMs of the agent itself, which is not a block
 * @param {(stretch: Stretch) => void} tell called with each stretch of at least overMs
 * @returns {{ mark: () => void } | null} null without CPU times; mark() says that a turn begins or a test ends now
 */
exports.startMeter = (overMs, heldCpuMs, tell) => {
  const cpuNow = reader()
  if (cpuNow === null) return null
  let last = { atMs: wallMs(), cpuMs: cpuNow() - heldCpuMs(), isMark: true }
  const read = (/** @type {boolean} */ isMark) => {
    const now = { atMs: wallMs(), cpuMs: cpuNow() - heldCpuMs(), isMark }
    // After a timer's reading, the loop may have turned until the next reading was due.
    const cpuMs = now.cpuMs - last.cpuMs - (last.isMark ? 0 : PERIOD_MS)
    if (cpuMs >= overMs) tell({ startMs: last.atMs, endMs: now.atMs, cpuMs })
    last = now
  }
  const timer = setTimeout(() => {
    read(false)
    timer.refresh()
  }, PERIOD_MS).unref()
  return { mark: () => read(true) }
}

/** @returns {(() => number) | null} ms of this thread's CPU time */
function reader () {
  if (!Number.isNaN(threadCpuMs())) return threadCpuMs
  try {
    const fd = fs.openSync(SCHEDSTAT, 'r')
    const bytes = Buffer.alloc(64)
    let lastMs = 0
    const read = () => {
      try {
        lastMs = parseInt(bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0)), 10) / NS_PER_MS
      } catch {
        // For a while, a test has mocked the system's files.
      }
      return lastMs
    }
    return read() > 0 ? read : null
  } catch {
    return null
  }
}

exports.wallMs = wallMs
