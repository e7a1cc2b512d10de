'use strict'

const { nowMs } = require('../clock')

const eventLoopUtilization = performance.eventLoopUtilization.bind(performance)

/**
 * Beats into shared memory every `resolution` ms while the loop turns. A gap of `threshold` or
 * more between two beats also goes into a ring, with its exact ends: the watchdog may have been
 * late or asleep, the host itself cannot miss one.
 * @param {import('../bridge/bridge').Bridge} bridge
 * @param {{ resolution: number, threshold: number }} options ms
 * @returns {{ stop: () => void }}
 */
exports.startHeartbeat = ({ beat, lateBeats }, { resolution, threshold }) => {
  let lastAtMs = nowMs()
  let { idle: lastIdleMs, active } = eventLoopUtilization()
  beat.write(lastAtMs, lastIdleMs, active)

  const timer = setInterval(() => {
    const atMs = nowMs()
    const { idle, active } = eventLoopUtilization()
    if (atMs - lastAtMs >= threshold) lateBeats.push(lastAtMs, atMs, idle - lastIdleMs, beat.beats)
    beat.write(atMs, idle, active)
    lastAtMs = atMs
    lastIdleMs = idle
  }, resolution)
  timer.unref()

  return { stop: () => clearInterval(timer) }
}
