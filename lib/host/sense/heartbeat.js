'use strict'

const { setTimeout, clearTimeout } = require('node:timers')
const { nowMs } = require('../../util/clock')
const { minBlockGapMs } = require('../../bridge/beat')
const { addLostIdle, loopTime } = require('./loop-time')
const { RanTime, isToldByKernel, threadCpuMs } = require('./thread-cpu')
const { US_PER_MS } = require('../../util/units')

/** A loop that idled for this share of the time beats in its calm period. */
const CALM_SHARE = 0.9

/**
 * Beats into shared memory every `resolution` ms while the loop turns, every `calmPeriod` ms while it
 * hardly does anything: waking a sleeping process is most of what watching it costs. A gap between two beats that can
 * hide a block also goes into a ring, with its
 * exact ends: the watchdog may have been late or asleep, the host itself cannot miss one.
 * @param {import('../../bridge/memory').Bridge} bridge
 * @param {object} options ms
 * @param {number} options.resolution
 * @param {number} options.calmPeriod
 * @param {number} options.threshold
 * @param {number | null} [options.startMs] when the first turn began that is still going on; null: the loop turns
 *   already
 * @param {() => boolean} [options.isWanted] asked at each beat; false ends the heartbeat
 * @param {(atMs: number, idleMs: number) => void} [options.onLate] told of a beat after a gap that can hide a block,
 *   and how long the loop has idled so far
 * @param {{ load?: import('../shedding/loop-load').LoopLoad, delays?: import('./delays').Delays,
 *   profiler?: import('./profiler').HostProfiler }} [told] of every beat
 * @returns {{ stop: () => void }}
 */
exports.startHeartbeat = (
  { beat, lateBeats, counters },
  { resolution, calmPeriod, threshold, startMs = nowMs(), isWanted = () => true, onLate = () => {} },
  { load, delays, profiler } = {}
) => {
  let periodMs = resolution
  let lastAtMs = startMs ?? nowMs()
  let { idle: lastIdleMs, active } = loopTime()
  const ran = new RanTime()
  const cpuNow = isToldByKernel() ? () => NaN : threadCpuMs
  let lastCpuMs = cpuNow()
  const held = () => counters.get('relayMicros') + counters.get('profileMicros')
  let lastHeldMicros = held()
  beat.write(lastAtMs, lastIdleMs, active, periodMs, lastCpuMs)
  // The first beat stands for code at the top level.
  if (startMs === null) beat.write(lastAtMs, lastIdleMs, active, periodMs, lastCpuMs)

  const onTime = () => {
    if (!isWanted()) return
    const atMs = nowMs()
    if (profiler?.isSampling) {
      countLostIdle(ran, { gapMs: atMs - lastAtMs, idleMs: loopTime().idle - lastIdleMs, periodMs, threshold })
    }
    const { idle, active } = loopTime()
    const cpuMs = cpuNow()
    const gapMs = atMs - lastAtMs
    const heldMicros = held()
    // In which we kept the thread ourselves: no block of the application.
    const heldMs = ((heldMicros - lastHeldMicros) | 0) / US_PER_MS
    lastHeldMicros = heldMicros
    const idleMs = idle - lastIdleMs
    if (gapMs - heldMs >= minBlockGapMs(threshold, periodMs)) {
      lateBeats.push(lastAtMs + heldMs, atMs, idleMs, periodMs, beat.beats, cpuMs - lastCpuMs)
      onLate(atMs, idle)
    }
    const isCalm = idleMs >= gapMs * CALM_SHARE
    const nextPeriodMs = isCalm ? calmPeriod : resolution
    load?.beat(atMs, gapMs, idleMs, periodMs, nextPeriodMs)
    delays?.beat(atMs, gapMs - periodMs)
    profiler?.beat(atMs, active)
    periodMs = nextPeriodMs
    beat.write(atMs, idle, active, periodMs, cpuMs)
    lastAtMs = atMs
    lastCpuMs = cpuMs
    lastIdleMs = idle
    // A timer that has fired can be armed again, which spares the garbage of a new one each beat.
    if (!isCalm) busy.refresh()
    else if (calm !== undefined) calm.refresh()
    else calm = setTimeout(onTime, calmPeriod).unref()
  }
  const busy = setTimeout(onTime, resolution).unref()
  /** @type {NodeJS.Timeout | undefined} */
  let calm

  return {
    stop: () => {
      clearTimeout(busy)
      clearTimeout(calm)
      load?.end()
      ran.close()
    }
  }
}

/**
 * Idle time of the gap since the last beat that libuv has lost by signals, at most as much as the beat was to wait. A
 * gap that can hide a block is left as it is: sleep that is of a block must not count as idle.
 * @param {RanTime} ran
 * @param {{ gapMs: number, idleMs: number, periodMs: number, threshold: number }} gap
 */
function countLostIdle (ran, { gapMs, idleMs, periodMs, threshold }) {
  const ranMs = ran.take()
  if (ranMs === null || gapMs >= minBlockGapMs(threshold, periodMs)) return
  const lostMs = Math.min(periodMs, gapMs - ranMs) - idleMs
  if (lostMs > 0) addLostIdle(lostMs)
}
