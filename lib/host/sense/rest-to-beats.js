'use strict'

/**
 * A rest is over after 250 ms. One that seems longer than this many beats is that of a process that was stopped: its
 * beats would take 0.2 s to tell after a night.
 */
const MOST = 1000

/**
 * Tells a rest as the beats of a calm loop, which delays and load are made of: whatever the rest spares, they are to
 * weigh an idle time as much as without it.
 * @param {{ load?: Pick<import('../shedding/loop-load').LoopLoad, 'beat'>, delays?:
 * Pick<import('./delays').Delays, 'beat'> }} told
 * @param {object} rest
 * @param {number} rest.fromMs
 * @param {number} rest.atMs its end
 * @param {number} rest.busyMs of it, at its end
 * @param {number} rest.periodMs of those beats
 * @param {number} rest.punctualMs how late one of them is in an idle loop
 * @param {number} rest.nextPeriodMs
 */
exports.tellAsBeats = ({ load, delays }, { fromMs, atMs, busyMs, periodMs, punctualMs, nextPeriodMs }) => {
  const gapMs = atMs - fromMs
  const { punctual, lateMs } = beatsWithin(gapMs, busyMs, periodMs)
  for (let i = Math.max(1, punctual - MOST + 1); i <= punctual; i++) delays?.beat(fromMs + i * periodMs, punctualMs)
  const restMs = lateMs === null ? gapMs : punctual * periodMs
  const busyAtLastMs = Math.min(busyMs, gapMs - restMs)
  load?.beat(fromMs + restMs, restMs, restMs - (busyMs - busyAtLastMs), restMs, nextPeriodMs)
  if (lateMs === null) return
  load?.beat(atMs, gapMs - restMs, gapMs - restMs - busyAtLastMs, periodMs, nextPeriodMs)
  delays?.beat(atMs, lateMs)
}

/**
 * So many came in time, and one this late; null: none was due in the turn.
 * @param {number} gapMs
 * @param {number} busyMs
 * @param {number} periodMs
 */
function beatsWithin (gapMs, busyMs, periodMs) {
  const punctual = Math.max(0, Math.floor((gapMs - busyMs) / periodMs))
  const lateMs = gapMs - (punctual + 1) * periodMs
  return { punctual, lateMs: lateMs >= 0 ? lateMs : null }
}
