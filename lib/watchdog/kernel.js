'use strict'

const fs = require('node:fs')
const { Throttling } = require('./throttling')

const NS_PER_MS = 1e6
const US_PER_MS = 1e3
/** USER_HZ, the unit of /proc/<pid>/stat, is 100 on every Linux that runs Node.js. */
const MS_PER_TICK = 10

/** @typedef {{ atMs: number, cpuMs: number | null, runQueueMs: number | null, throttledMs: number | null }} Reading */

/** A file of /proc or cgroupfs kept open and read anew from its start each time: 1 us, no allocation of paths. */
class KernelFile {
  /** @type {number | null} */
  #fd = null
  #buffer = Buffer.alloc(4096)

  /** @param {string} path */
  constructor (path) {
    try {
      this.#fd = fs.openSync(path, 'r')
    } catch {
      // Not Linux, not mounted, or not permitted: the reading is null.
    }
  }

  /** @returns {string | null} */
  read () {
    if (this.#fd === null) return null
    try {
      return this.#buffer.toString('latin1', 0, fs.readSync(this.#fd, this.#buffer, 0, this.#buffer.length, 0))
    } catch {
      return null
    }
  }

  close () {
    if (this.#fd !== null) fs.closeSync(this.#fd)
    this.#fd = null
  }
}

/**
 * What Linux knows of the host thread: its time on a CPU and waiting for one (schedstat), and its
 * cgroup's throttling (cpu.stat). Nulls elsewhere.
 */
class Kernel {
  // The main thread's id is the process's.
  #schedstat = new KernelFile(`/proc/self/task/${process.pid}/schedstat`)
  #hostStat = new KernelFile(`/proc/self/task/${process.pid}/stat`)
  #ownStat = new KernelFile('/proc/thread-self/stat')
  #ownSchedstat = new KernelFile('/proc/thread-self/schedstat')
  #cpuStat = new KernelFile(`${cgroupFolder() ?? '/nonexistent'}/cpu.stat`)
  throttling = new Throttling(() => throttledOf(this.#cpuStat.read()))

  /** @param {number} nowMs @returns {Reading} */
  read (nowMs) {
    return { atMs: nowMs, ...schedOf(this.#schedstat.read()), throttledMs: this.throttling.glance(nowMs) }
  }

  /** CPU time of the calling thread so far, to the microsecond. */
  ownCpuMs () {
    const cpuNs = parseInt(this.#ownSchedstat.read() ?? '', 10)
    return cpuNs > 0 ? cpuNs / NS_PER_MS : null
  }

  /** CPU time of the host's and the watchdog's threads so far. */
  cpuSeconds () {
    return { main: cpuOf(this.#hostStat.read()), watchdog: cpuOf(this.#ownStat.read()) }
  }

  close () {
    for (const file of [this.#schedstat, this.#hostStat, this.#ownStat, this.#ownSchedstat, this.#cpuStat]) file.close()
  }
}

/** @param {string | null} cpuStat of version 2 or 1 */
function throttledOf (cpuStat) {
  if (cpuStat === null) return null
  const v2 = /^throttled_usec (\d+)/m.exec(cpuStat)
  if (v2) return Number(v2[1]) / US_PER_MS
  const v1 = /^throttled_time (\d+)/m.exec(cpuStat)
  return v1 ? Number(v1[1]) / NS_PER_MS : null
}

/** @param {string | null} schedstat @returns {{ cpuMs: number | null, runQueueMs: number | null }} */
function schedOf (schedstat) {
  const [cpuNs, runQueueNs] = (schedstat ?? '').split(' ').map(Number)
  // A kernel without CONFIG_SCHED_INFO prints zeros.
  return cpuNs > 0 ? { cpuMs: cpuNs / NS_PER_MS, runQueueMs: runQueueNs / NS_PER_MS } : { cpuMs: null, runQueueMs: null }
}

/** @param {string | null} stat a line of /proc/.../stat */
function cpuOf (stat) {
  if (stat === null) return null
  // The second field, the name in brackets, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { user: Number(fields[11]) * MS_PER_TICK / 1000, system: Number(fields[12]) * MS_PER_TICK / 1000 }
}

/** The folder of this process's cgroup that holds cpu.stat: version 2, else version 1. */
function cgroupFolder () {
  try {
    const lines = fs.readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n').map((line) => (/^(\d+):([^:]*):(.*)$/.exec(line) ?? []).slice(1))
    const v2 = lines.find(([id, controllers]) => id === '0' && controllers === '')
    const v1 = lines.find(([, controllers]) => controllers?.split(',').includes('cpu'))
    const candidates = [
      ...(v2 ? [`/sys/fs/cgroup${v2[2]}`, '/sys/fs/cgroup'] : []),
      ...(v1 ? [`/sys/fs/cgroup/${v1[1]}${v1[2]}`, `/sys/fs/cgroup/${v1[1]}`, `/sys/fs/cgroup/cpu${v1[2]}`] : [])
    ]
    return candidates.find((folder) => fs.existsSync(`${folder}/cpu.stat`)) ?? null
  } catch {
    return null
  }
}

exports.Kernel = Kernel
exports.KernelFile = KernelFile
exports.schedOf = schedOf
exports.cpuOf = cpuOf
