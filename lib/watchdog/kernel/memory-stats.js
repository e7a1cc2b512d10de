'use strict'

const { KernelFile, statOf } = require('../../util/kernel/file')
const { memoryLimitIn, memoryPaths, numberIn } = require('../../util/cgroup')
const { residentBytes } = require('../../util/usage')
const { US_PER_MS } = require('../../util/units')

/** @import { MemoryReading } from '../../types' */

/** Memory figures of the system. A reading takes 20 us, so only blocks have one. */
class MemoryStats {
  /** Opened at the first block. @type {ReturnType<typeof open> | null} */
  #files = null

  /** @returns {MemoryReading} */
  read () {
    const { current, limit, stat, memory, io } = this.#files ??= open()
    return {
      rssBytes: residentBytes(),
      cgroupBytes: numberIn(current.read()),
      cgroupLimitBytes: memoryLimitIn(limit.read()),
      majorFaults: majorFaultsIn(stat.read()),
      memoryStallMs: stallIn(memory.read()),
      ioStallMs: stallIn(io.read())
    }
  }

  close () {
    for (const file of Object.values(this.#files ?? {})) file?.close()
    this.#files = null
  }
}

function open () {
  const [current, limit] = memoryPaths()
  return {
    current: new KernelFile(current),
    limit: new KernelFile(limit),
    stat: new KernelFile(`/proc/self/task/${process.pid}/stat`),
    memory: new KernelFile('/proc/pressure/memory'),
    io: new KernelFile('/proc/pressure/io')
  }
}

/** @param {string | null} stat */
function majorFaultsIn (stat) {
  return stat === null ? null : statOf(stat).majorFaults
}

/** @param {string | null} pressure */
function stallIn (pressure) {
  const [, totalUs = null] = /^some .*total=(\d+)/m.exec(pressure ?? '') ?? []
  return totalUs === null ? null : Number(totalUs) / US_PER_MS
}

exports.MemoryStats = MemoryStats
exports.majorFaultsIn = majorFaultsIn
exports.stallIn = stallIn
