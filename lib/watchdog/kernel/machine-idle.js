'use strict'

const os = require('node:os')

/**
 * How long the machine's CPUs have idled so far, all together; null where that is not known. No thread waits for a CPU
 * while one idles. On systems that count in ticks of 10 to 16 ms it is as coarse.
 * @returns {number | null} ms
 */
exports.machineIdleMs = () => {
  try {
    const cpus = os.cpus()
    return cpus.length === 0 ? null : cpus.reduce((total, { times }) => total + times.idle, 0)
  } catch {
    return null
  }
}
