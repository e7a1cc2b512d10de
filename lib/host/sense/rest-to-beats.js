'use strict'

/**
 * @import { LoopLoad } from '../shedding/loop-load'
 * @import { Delays } from './delays'
 */

/** More beats than this are not reported: the process was stopped (a rest takes 250 ms). A night's would take 0.2 s. */
const MOST = 1000

/**
 * Reports a rest as the beats of a calm loop. Delays and load are made of beats, and idle time has to weigh as much as
 * without the rest. `busyMs` is at the end of the rest. `punctualMs` is how late a beat is in an idle loop.
 * @param {{ load?: Pick<LoopLoad, 'beat'>, delays?:
 * Pick<Delays, 'beat'> }} told
 * @param {{ fromMs: number, atMs: number, busyMs: number, periodMs: number, punctualMs: number,
 * nextPeriodMs: number }} rest
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

/** lateMs is null if no late beat was due. @param {number} gapMs @param {number} busyMs @param {number} periodMs */
function beatsWithin (gapMs, busyMs, periodMs) {
  const punctual = Math.max(0, Math.floor((gapMs - busyMs) / periodMs))
  const lateMs = gapMs - (punctual + 1) * periodMs
  return { punctual, lateMs: lateMs >= 0 ? lateMs : null }
}
