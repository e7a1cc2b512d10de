'use strict'

const { figure } = require('../harness/report/format')

/** @typedef {import('../harness/interface').Cell} Cell */

/** Offloading pays where the caller is held for less than this share of what the work would have held it. */
const PAYS_BELOW = 0.5
/** @type {Record<string, string>} */
const names = { pool: 'a warm pool', worker: 'new Worker', fork: 'fork()' }

/**
 * @param {Cell[]} cells
 * @param {string} variant
 * @param {Partial<{ workMs: number, inputKiB: number, parallel: number }>} params
 */
const find = (cells, variant, { workMs = 1, inputKiB = 0, parallel = 1 }) =>
  cells.find(
    (cell) =>
      cell.variant === variant &&
      cell.median !== null &&
      cell.params.workMs === workMs &&
      cell.params.inputKiB === inputKiB &&
      cell.params.parallel === parallel
  )

/** @param {Cell | undefined} cell */
const heldMs = (cell) => cell?.extra.heldMs?.median ?? null

/** From which size on each means pays. @param {Cell[]} cells @param {number[]} works ascending, ms */
function breakEven (cells, works) {
  return Object.keys(names).flatMap((variant) => {
    const measured = works.filter((workMs) => find(cells, variant, { workMs }) && find(cells, 'inline', { workMs }))
    if (measured.length === 0) return []
    const isWorth = (/** @type {number} */ workMs) => Number(heldMs(find(cells, variant, { workMs }))) < PAYS_BELOW * Number(heldMs(find(cells, 'inline', { workMs })))
    // From there on, not once by chance.
    const from = measured.find((workMs, i) => measured.slice(i).every(isWorth)) ?? null
    const costMs = Math.min(...measured.map((workMs) => Number(heldMs(find(cells, variant, { workMs })))))
    return [{ variant, from, costMs, upToMs: Math.max(...measured) }]
  })
}

/**
 * @param {Cell[]} cells
 * @param {(variant: string, cell: Cell) => string | null} describe
 * @param {Parameters<typeof find>[2]} params
 */
const each = (cells, params, describe) => Object.keys(names).flatMap((variant) => {
  const cell = find(cells, variant, params)
  return cell === undefined ? [] : describe(variant, cell) ?? []
}).join(', ')

/**
 * What the cells say in sentences, as far as they were measured.
 * @param {import('../harness/interface').Document} document
 */
exports.findings = ({ cells, environment }) => {
  /** @type {string[]} */
  const sentences = []
  const works = [...new Set(cells.flatMap(({ params }) => typeof params.workMs === 'number' ? params.workMs : []))].sort((a, b) => a - b)
  const verdicts = breakEven(cells, works)
  if (verdicts.length > 0) {
    const texts = verdicts.map(({ variant, from, costMs, upToMs }) => from === null
      ? `${names[variant]} not up to ${upToMs} ms`
      : `${names[variant]} from ${from} ms of work on (it holds the caller for ${figure(costMs)} ms)`)
    const best = verdicts
      .filter(({ from }) => from !== null)
      .sort((a, b) => Number(a.from) - Number(b.from) || a.costMs - b.costMs)[0]
    sentences.push(`On this machine (${environment.cores} cores) offloading pays by ${texts.join(', ')}${best === undefined ? '' : `; the means of choice is ${names[best.variant]}`}. It pays where it holds the caller for less than half of what the work itself would.`)
  }
  const later = each(cells, {}, (variant, cell) => {
    const inline = find(cells, 'inline', {})
    return inline === undefined ? null : `${figure(Number(cell.median) - Number(inline.median))} ms by ${names[variant]}`
  })
  if (later !== '') sentences.push(`The result of 1 ms of work comes later than done inline: ${later}.`)
  const inputKiB = Math.max(0, ...cells.flatMap(({ params }) => typeof params.inputKiB === 'number' ? params.inputKiB : []))
  const sending = inputKiB === 0 ? '' : each(cells, { inputKiB }, (variant, cell) => `${figure(cell.extra.sendMs?.median)} ms by ${names[variant]}`)
  if (sending !== '') sentences.push(`Sending blocks too: ${figure(inputKiB)} KiB of input hold the caller for ${sending}.`)
  const parallel = Math.max(0, ...cells.flatMap(({ params }) => typeof params.parallel === 'number' ? params.parallel : []))
  const starting = parallel < 2 ? '' : each(cells, { workMs: 10, parallel }, (variant, cell) => `${figure(heldMs(cell))} ms by ${names[variant]}`)
  if (starting !== '') sentences.push(`${parallel} at once hold the caller for ${starting}, in one turn of its loop.`)
  return [...sentences, ...topLevel(cells)]
}

/** What the original's tool saw beside what there was. @param {Cell[]} cells */
const topLevel = (cells) => [['fork-at-top-level', 'fork()'], ['worker-at-top-level', 'new Worker()']].flatMap(([variant, name]) => {
  const cell = cells.find((each) => each.variant === variant && each.median !== null)
  if (cell === undefined) return []
  const { startMs, blockedAtBlocks, blockedAtMaxMs, agentStartMs } = cell.extra
  const seen = blockedAtMaxMs === undefined
    ? 'blocked-at reported nothing'
    : `blocked-at reported ${blockedAtBlocks.samples.reduce((sum, count) => sum + count, 0)} blocks in ${cell.samples.length} runs (longest ${figure(blockedAtMaxMs.max)} ms), which is not the start but later callbacks`
  const reported = agentStartMs === undefined ? 'the agent did not either' : `the agent reported the block with the start in it, ${figure(agentStartMs.median)} ms with what else ran before the loop's first turn`
  return [`${name} at the top level took ${figure(startMs.median)} ms; ${seen}; ${reported}.`]
})
