'use strict'

const TIMEOUT_MS = 3000

/** @typedef {import('../../lib/types').BlockRecord} BlockRecord */

/** What the agent has seen so far, or why that cannot be told. @param {string} url of its endpoint */
exports.report = async (url) => {
  try {
    const response = await fetch(`${url}/blocks`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return summary(/** @type {any} */ (await response.json()))
  } catch (error) {
    return `no summary: ${url}/blocks gave no answer: ${error.message}\n`
  }
}

/** @param {number} ms */
const duration = (ms) => ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms)} ms`

/** @param {BlockRecord} block */
const routeOf = ({ request, startup }) => request ? `${request.method} ${request.route}` : startup ? '(start-up)' : '(no request)'

/** @param {BlockRecord} block */
const keyOf = (block) => `${routeOf(block)}\n${block.cause}`

/**
 * What was blocked, as a table: by route and cause, the longest in total first.
 * @param {BlockRecord[]} blocks
 */
function summary (blocks) {
  if (blocks.length === 0) return 'no blocks\n'
  /** @type {Map<string, BlockRecord[]>} */
  const groups = new Map()
  for (const block of blocks) groups.set(keyOf(block), [...groups.get(keyOf(block)) ?? [], block])
  const total = (/** @type {BlockRecord[]} */ group) => group.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const rows = [...groups].sort(([, a], [, b]) => total(b) - total(a)).map(([key, group]) => [
    ...key.split('\n'),
    `${group.length}`,
    duration(total(group)),
    duration(Math.max(...group.map(({ durationMs }) => durationMs))),
    group[0].frame?.function ?? '-'
  ])
  const title = `${blocks.length} ${blocks.length === 1 ? 'block' : 'blocks'}, ${duration(total(blocks))} in all\n\n`
  return title + align([['route', 'cause', 'blocks', 'total', 'longest', 'function'], ...rows], [2, 3, 4])
}

/**
 * @param {string[][]} rows
 * @param {number[]} numeric columns, aligned to the right
 */
function align (rows, numeric) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)))
  return rows.map((row) => '  ' + row.map((cell, i) =>
    numeric.includes(i) ? cell.padStart(widths[i]) : cell.padEnd(widths[i])).join('  ').trimEnd() + '\n').join('')
}
