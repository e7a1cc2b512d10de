import { byId, setText } from '../dom.mjs'
import { clock } from '../format.mjs'
import { isChosen, isFiltered } from '../model/choose.mjs'
import { isMain } from '../model/strip.mjs'
import { asideNote, comparison, verdictOf } from '../model/verdict.mjs'

/**
 * Shows what happened in the range, what is folded away, and the comparison with the baseline.
 * @param {object} what
 * @param {any[]} what.all in memory
 * @param {any[]} what.rows in the range
 * @param {any[]} what.slow incidents in it without a block, oldest first
 * @param {{ fromMs: number, toMs: number }} what.range
 * @param {import('../model/address.mjs').View} what.view
 * @param {number} what.thresholdMs
 * @param {number} what.loops number of processes
 */
export function sayVerdict ({ all, rows, slow, range, view, thresholdMs, loops }) {
  const { base, aside } = view
  const isLoop = (/** @type {any} */ row) => loops > 1 ? row.threadId === 0 : isMain(row)
  const chosen = isFiltered(view) ? rows.filter((row) => isChosen(row, view)) : rows
  const verdict = verdictOf(chosen.filter(isLoop), range, { thresholdMs, loops, isFiltered: isFiltered(view) })
  const others = slow.map(({ startedAt, message }) => ` ${clock(startedAt)}: ${message}.`)
  setText(byId('verdict'), verdict + others.join(''))
  const compared = byId('comparison')
  compared.hidden = base === null
  if (base !== null) setText(compared, comparison(all.filter(isLoop), range, { fromMs: base[0], toMs: base[1] }))
  const note = asideNote(rows, aside)
  byId('aside').hidden = note === ''
  setText(byId('aside-note'), note)
  const button = byId('aside-show')
  button.setAttribute('aria-pressed', `${aside}`)
  setText(button, aside ? 'Hide' : 'Show')
}
