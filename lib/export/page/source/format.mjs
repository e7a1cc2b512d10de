import { MS_PER_S } from '../../../util/units.js'

/** @param {number | null | undefined} ms */
export function duration (ms) {
  if (ms === null || ms === undefined) return '–'
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < MS_PER_S) return `${Math.round(ms)} ms`
  const s = ms / MS_PER_S
  return s < 60 ? `${s.toFixed(1)} s` : `${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`
}

/** @param {number | null} ratio */
export function percent (ratio) {
  if (ratio === null) return '–'
  return `${(ratio * 100).toFixed(ratio < 0.1 ? 1 : 0)}%`
}

/** @param {number | null} perSecond */
export function rate (perSecond) {
  if (perSecond === null) return '–'
  return perSecond < 10 ? perSecond.toFixed(1) : `${Math.round(perSecond)}`
}

/** A number with its noun: `1 sample`, `2 samples`. @param {number} count @param {string} noun */
export function counted (count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** @param {string | number} at */
export function clock (at) {
  return new Date(at).toLocaleTimeString([], { hourCycle: 'h23' })
}

/** @param {[number, number]} span Unix ms */
export function spanWords ([from, to]) {
  return `${clock(from)} to ${clock(to)} (${duration(to - from)})`
}

/** @typedef {{ function: string | null, file: string | null, line: number | null, exact?: boolean }} Place */

/** @param {Place} frame */
export function functionOf (frame) {
  return frame.function ?? '(anonymous)'
}
