import { sharesOf } from '../../../culprits.js'
import { wordsOf } from '../../../labels.js'
import { duration } from '../format.mjs'

export { asideOf, placeOf, timePartsOf, wordsOf, workOf } from '../../../labels.js'

/** A smaller part of a block is not mentioned. */
export const LEAST_SHARE = 1 / 200

/** The cause of a block, with its time as the culprits have it if that is not the whole block. @param {any} row */
export function sharesIn (row) {
  const [own, ...others] = sharesOf([row])
  if (duration(own.durationMs) === duration(row.durationMs)) return wordsOf(own.cause)
  return [own, ...others.filter(({ durationMs }) => durationMs >= row.durationMs * LEAST_SHARE)]
    .map(({ cause, durationMs }) => `${wordsOf(cause)} ${duration(durationMs)}`).join(', ')
}

/**
 * The words before a place that say which call or generated code took the time. Empty if the place's own code took it.
 * @param {any} row
 */
export function calledBy ({ frame, profile, generated }) {
  if (frame === null) return ''
  if (generated) return `${generated.line === null ? generated.function : 'generated code'}, run by `
  return profile?.call ? `${profile.call}, called in ` : ''
}
