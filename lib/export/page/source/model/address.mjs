import { COLUMNS } from './culprits.mjs'

/** Lengths of the ranges by name, ms. null: all blocks in memory. @type {Record<string, number | null>} */
export const RANGES = { '1m': 60_000, '5m': 300_000, '10m': 600_000, all: null }

/**
 * @typedef {object} View what the user has chosen to see
 * @property {string} range one of RANGES
 * @property {[number, number] | null} span a part of the range, Unix ms
 * @property {[number, number] | null} base the baseline that the range is compared with, Unix ms
 * @property {string | null} culprit key of a row of the table
 * @property {string | null} cause
 * @property {string} text a part of the id, place, work, cause or thread
 * @property {boolean} aside whether blocks that are not the application's fault are shown too
 * @property {string} sort column of the culprits
 * @property {boolean} ascends
 * @property {string | null} block id of the open one
 */

/** @type {Readonly<View>} */
export const START = Object.freeze({
  range: 'all',
  span: null,
  base: null,
  culprit: null,
  cause: null,
  text: '',
  aside: false,
  sort: 'totalMs',
  ascends: false,
  block: null
})

/** @param {string | null} text `from-to` @returns {[number, number] | null} */
function spanIn (text) {
  const [from, to] = (/^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? []).slice(1).map(Number)
  return from < to ? [from, to] : null
}

/** The view that an address contains. Invalid values are ignored. @param {string} hash @returns {View} */
export function readAddress (hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ''))
  const range = query.get('range') ?? ''
  const sort = query.get('sort') ?? ''
  return {
    range: Object.hasOwn(RANGES, range) ? range : START.range,
    span: spanIn(query.get('span')),
    base: spanIn(query.get('base')),
    culprit: query.get('culprit'),
    cause: query.get('cause'),
    text: query.get('text') ?? '',
    aside: query.get('aside') === '1',
    sort: COLUMNS.includes(sort) ? sort : START.sort,
    ascends: query.get('order') === 'up',
    block: /^[\w.-]{1,64}$/.test(query.get('block') ?? '') ? query.get('block') : null
  }
}

/** @param {View} view @returns {string} `#block=…`, empty if nothing has been chosen */
export function writeAddress (view) {
  const { block, span, base, aside, ascends, ...others } = view
  const values = Object.entries({
    block,
    span: span?.join('-'),
    base: base?.join('-'),
    ...others,
    aside: aside ? '1' : null,
    order: ascends ? 'up' : null
  })
  const initial = /** @type {Record<string, unknown>} */ (START)
  const query = new URLSearchParams(values.flatMap(([name, value]) =>
    value && value !== initial[name] ? [[name, value]] : []))
  return query.size === 0 ? '' : `#${query}`
}
