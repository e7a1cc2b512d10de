import { causes } from '../../../../tables/causes.js'
import { byId, make } from '../dom.mjs'
import { counted, duration } from '../format.mjs'

/** Shows the number of blocks and the blocked time of each cause. @param {any[]} records of the blocks in the list */
export function showCauses (records) {
  const box = byId('causes')
  if (records.length === 0) {
    box.replaceChildren(make('p', { class: 'empty' }, 'No block, no cause.'))
    return
  }
  /** @type {Map<string, { count: number, ms: number }>} */
  const sums = new Map()
  for (const { cause, durationMs } of records) {
    const sum = sums.get(cause) ?? { count: 0, ms: 0 }
    sums.set(cause, { count: sum.count + 1, ms: sum.ms + durationMs })
  }
  const rows = [...sums].sort(([, a], [, b]) => b.ms - a.ms)
  const mostMs = rows[0][1].ms
  box.replaceChildren(make('ul', { class: 'causes' }, ...rows.map(([cause, { count, ms }]) => {
    const { meaning } = causes[/** @type {import('../../../../tables/causes.js').Cause} */ (cause)] ?? { meaning: '' }
    const bar = make('span', { class: 'bar', 'aria-hidden': 'true' })
    bar.style.inlineSize = `${Math.max(0.5, ms / mostMs * 100)}%`
    return make('li', {},
      make('span', { class: 'cause' }, make('strong', {}, cause), ` ${duration(ms)} in ${counted(count, 'block')}`),
      make('span', { class: 'track', 'aria-hidden': 'true' }, bar),
      make('span', { class: 'quiet' }, meaning))
  })))
}
