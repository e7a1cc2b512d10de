'use strict'

const { KernelFile, NOWHERE, statOf } = require('./file')
const { cgroupPaths, numberIn } = require('../../util/cgroup')
const { residentBytes } = require('../../util/usage')
const { US_PER_MS } = require('../../util/units')

/** @import { MemoryReading } from '../../types' */

/** Files of the process's cgroup in version 2, then 1, relative to its folder. */
const CGROUP_FILES = [['memory.current', 'memory.max'], ['memory.usage_in_bytes', 'memory.limit_in_bytes']]
/** A cgroup of version 1 without a limit reports at least this much. */
const NO_LIMIT_BYTES = 2 ** 60

/** Memory figures of the system. A reading takes 20 us, so only blocks have one. */
class MemoryStats {
  /** Opened at the first block. @type {ReturnType<typeof open> | null} */
  #files = null

  /** @returns {MemoryReading} */
  read () {
    const { current, limit, stat, memory, io } = this.#files ??= open()
    const limitBytes = numberIn(limit.read())
    return {
      rssBytes: residentBytes(),
      cgroupBytes: numberIn(current.read()),
      cgroupLimitBytes: limitBytes === null || limitBytes >= NO_LIMIT_BYTES ? null : limitBytes,
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
  const [current = NOWHERE, limit = NOWHERE] = cgroupPaths('memory', CGROUP_FILES)
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
  const found = /^some .*total=(\d+)/m.exec(pressure ?? '')
  return found === null ? null : Number(found[1]) / US_PER_MS
}

exports.MemoryStats = MemoryStats
exports.majorFaultsIn = majorFaultsIn
exports.stallIn = stallIn
