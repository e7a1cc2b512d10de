'use strict'

const fs = require('node:fs')
const { processUsage } = require('../../harness/measure/usage')

const PERIOD_MS = 200
const KIB = 1024
const MS_PER_S = 1000

/** @param {number} pid @returns {number} 0 where it has gone */
function residentBytes (pid) {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * KIB
  } catch {
    return 0
  }
}

/** @param {number[]} pids */
const cpuSeconds = (pids) => pids.reduce((sum, pid) => sum + (processUsage(pid).cpuSeconds ?? 0), 0)

/**
 * Follows memory and CPU of a server with all its threads and workers, as one who looks at top would.
 * @param {number[]} pids
 */
exports.startSampler = (pids) => {
  const memory = () => pids.reduce((sum, pid) => sum + residentBytes(pid), 0)
  const fromBytes = memory()
  let peakBytes = fromBytes
  let peakCpuPercent = 0
  let last = { ms: performance.now(), cpu: cpuSeconds(pids) }
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, memory())
    const now = { ms: performance.now(), cpu: cpuSeconds(pids) }
    // The kernel counts CPU in hundredths of a second: a shorter gap would round to anything.
    if (now.ms - last.ms < PERIOD_MS * 0.9) return
    peakCpuPercent = Math.max(peakCpuPercent, (now.cpu - last.cpu) / (now.ms - last.ms) * MS_PER_S * 100)
    last = now
  }, PERIOD_MS)
  return () => {
    clearInterval(timer)
    const toBytes = memory()
    return { fromBytes, toBytes, peakBytes: Math.max(peakBytes, toBytes), peakCpuPercent }
  }
}

exports.residentBytes = residentBytes
