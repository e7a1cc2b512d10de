'use strict'

const fs = require('node:fs')
const { KernelFile, MS_PER_TICK } = require('./file')
const { machineIdleMs } = require('./machine-idle')
const { MachineSteal, Steal } = require('./steal')
const { Throttling } = require('./throttling')
const { NS_PER_MS, US_PER_MS } = require('../../util/units')

/** @typedef {{ atMs: number, cpuMs: number | null, runQueueMs: number | null, throttledMs: number | null, stolenMs: number | null, machineIdleMs?: number | null }} Reading */

/**
 * What Linux knows of the host thread: its time on a CPU and waiting for one (schedstat), its cgroup's
 * throttling (cpu.stat), what a hypervisor kept from its CPU. Nulls elsewhere.
 */
class Kernel {
  // The main thread's id is the process's.
  #schedstat = new KernelFile(`/proc/self/task/${process.pid}/schedstat`)
  #hostStat = new KernelFile(`/proc/self/task/${process.pid}/stat`)
  #ownStat = new KernelFile('/proc/thread-self/stat')
  #ownSchedstat = new KernelFile('/proc/thread-self/schedstat')
  #cpuStat = new KernelFile(`${cgroupFolder() ?? '/nonexistent'}/cpu.stat`)
  throttling = new Throttling(() => throttledOf(this.#cpuStat.read()))
  machineSteal = new MachineSteal()
  #steal = new Steal(this.machineSteal, () => processorOf(this.#hostStat.read()))

  /** In calm: throttling may be a little old, and stolen time is not read. @param {number} nowMs @returns {Reading} */
  read (nowMs) {
    return { atMs: nowMs, ...schedOf(this.#schedstat.read()), throttledMs: this.throttling.glance(nowMs), stolenMs: null }
  }

  /** What a block is judged by. @param {Reading} reading of this moment @returns {Reading} */
  precise (reading) {
    return { ...reading, ...idleBeside(reading), throttledMs: this.throttling.read(reading.atMs), stolenMs: this.#steal.read(reading.atMs) }
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
    this.machineSteal.close()
  }
}

/** Asked where the kernel does not say how long a thread waited: it takes longer than all the rest. @param {Reading} reading */
function idleBeside ({ runQueueMs }) {
  return runQueueMs === null ? { machineIdleMs: machineIdleMs() } : {}
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

/** Those after the second one, the name in brackets, which may hold spaces. @param {string} stat a line of /proc/.../stat */
function fieldsOf (stat) {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** The CPU that a thread runs on, or ran on last. @param {string | null} stat */
function processorOf (stat) {
  return stat === null ? null : Number(fieldsOf(stat)[36])
}

/** @param {string | null} stat */
function cpuOf (stat) {
  if (stat === null) return null
  const fields = fieldsOf(stat)
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
exports.idleBeside = idleBeside
exports.schedOf = schedOf
exports.cpuOf = cpuOf
exports.processorOf = processorOf
