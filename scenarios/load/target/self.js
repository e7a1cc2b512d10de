'use strict'

const { monitorEventLoopDelay } = require('node:perf_hooks')

const MICROS_PER_S = 1e6
const NS_PER_MS = 1e6
const DELAY_RESOLUTION_MS = 5
/** A loop that is active for longer than that has no time to note answers when they come. */
const BUSY = 0.9

/** Watches this process, the driver. @returns {() => import('../interface').Own} */
exports.watchSelf = () => {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  delay.enable()
  const cpu = process.cpuUsage()
  const loop = performance.eventLoopUtilization()
  return () => {
    delay.disable()
    const { user, system } = process.cpuUsage(cpu)
    const { utilization } = performance.eventLoopUtilization(loop)
    return {
      cpuSeconds: (user + system) / MICROS_PER_S,
      utilization,
      // The histogram has whole periods, of which the resolution is no delay.
      delayP99Ms: Math.max(0, delay.percentile(99) / NS_PER_MS - DELAY_RESOLUTION_MS),
      isBottleneck: utilization >= BUSY
    }
  }
}
