'use strict'

const { capital, contrast, isBelow, told, withInterval } = require('../harness/report/contrast')
const { count, counted, figure } = require('../harness/report/format')

/** @typedef {import('../harness/interface').Cell} Cell */

/** Offloading pays if it blocks the caller for less than this share of what the work would. */
const PAYS_BELOW = 0.5
/** @type {Record<string, string>} */
const names = { pool: 'a warm pool', worker: 'a new thread', fork: 'a new process' }

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
const held = (cell) => cell?.extra.heldMs

/** The amount of work from which each means pays off. @param {Cell[]} cells */
function breakEven (cells) {
  const works = [...new Set(cells.flatMap(({ params }) => typeof params.workMs === 'number' ? params.workMs : []))].sort((a, b) => a - b)
  return Object.keys(names).flatMap((variant) => {
    const measured = works.flatMap((workMs) => {
      const [cell, inline] = [find(cells, variant, { workMs }), find(cells, 'inline', { workMs })]
      const [own, of] = [held(cell), held(inline)]
      return own === undefined || of === undefined ? [] : { workMs, cost: own, isWorth: isBelow(own, of, PAYS_BELOW) }
    })
    if (measured.length === 0) return []
    // From there on, not once by chance.
    const from = measured.find((_, i) => measured.slice(i).every(({ isWorth }) => isWorth)) ?? null
    const least = measured.reduce((a, b) => b.cost.median < a.cost.median ? b : a)
    return [{
      variant,
      from,
      cost: least.cost,
      isKnown: measured.every(({ isWorth }) => isWorth !== null),
      upToMs: Math.max(...measured.map(({ workMs }) => workMs))
    }]
  })
}

/**
 * The means that pays off from the smallest amount of work, with those that do not differ measurably from it.
 * @param {ReturnType<typeof breakEven>} means
 */
function bestOf (means) {
  const [best, ...others] = means.filter(({ from }) => from !== null)
    .sort((a, b) => Number(a.from?.workMs) - Number(b.from?.workMs) || a.cost.median - b.cost.median)
  return best === undefined ? [] : [best, ...others.filter(({ from, cost }) => from?.workMs === best.from?.workMs && contrast(cost, best.cost) !== 'more')]
}

/**
 * From which work on, by what?
 * @param {import('../harness/interface').Document} document
 */
exports.verdict = ({ cells, environment }) => {
  const means = breakEven(cells)
  if (means.length === 0) return topLevel(cells).join(' ') || null
  const [best, ...equals] = bestOf(means)
  const isKnown = means.every((each) => each.isKnown)
  const upTo = count(Math.max(...means.map(({ upToMs }) => upToMs)))
  if (best === undefined) return isKnown ? `Offloading does not pay for work of up to ${upTo} ms.` : `These runs do not show that offloading pays for work of up to ${upTo} ms.`
  return [
    `Hand work of ${best.from?.workMs} ms or more to ${names[best.variant]}: on ${count(environment.cores)} cores it blocks the caller for ${withInterval(best.cost, 'ms')}, less than half as long as the work itself would.`,
    ...equals.map(({ variant, cost }) => told(cost, best.cost, { first: names[variant], second: names[best.variant], more: ['blocks the caller', 'as long as'], what: 'time for which the caller is blocked' }))
  ].join(' ')
}

/**
 * The results of the measured cells in sentences.
 * @param {import('../harness/interface').Document} document
 */
exports.findings = ({ cells }) => [
  ...breakEven(cells).map(({ variant, from, cost, upToMs, isKnown }) => {
    if (from !== null) return `${capital(names[variant])} pays off from ${from.workMs} ms of work: it blocks the caller for ${withInterval(cost, 'ms')}.`
    return isKnown ? `${capital(names[variant])} does not pay for work of up to ${upToMs} ms.` : `These runs do not show that ${names[variant]} pays for work of up to ${upToMs} ms.`
  }),
  ...topLevel(cells)
]

/** @param {Cell} cell @param {Cell} inline how much later its result comes */
const later = (cell, inline) => ['more', 'few'].includes(contrast(cell, inline)) ? `${figure(Number(cell.median) - Number(inline.median))} later` : 'unclear'

/**
 * The cost of each means for the caller.
 * @param {import('../harness/interface').Document} document
 */
exports.tables = ({ cells }) => {
  const largest = (/** @type {string} */ key) => Math.max(0, ...cells.flatMap(({ params }) => typeof params[key] === 'number' ? params[key] : []))
  const [inputKiB, parallel] = [largest('inputKiB'), largest('parallel')]
  const means = breakEven(cells)
  const inline = find(cells, 'inline', {})
  const blocked = (/** @type {import('../harness/interface').Summary | undefined} */ summary) => summary === undefined ? '' : withInterval(summary, 'ms')
  return means.length === 0
    ? []
    : [{
        title: 'How long each means blocks the caller, and how much later the result of 1 ms of work comes',
        head: ['means', 'pays off from', 'blocks for', 'result, ms', `sending ${count(inputKiB)} KiB`, `starting ${count(parallel)} at once`],
        rows: means.map(({ variant, from, cost }) => {
          const one = find(cells, variant, {})
          return [
            names[variant],
            from === null ? '' : `${from.workMs} ms`,
            blocked(cost),
            one === undefined || inline === undefined ? '' : later(one, inline),
            inputKiB === 0 ? '' : blocked(find(cells, variant, { inputKiB })?.extra.sendMs),
            parallel < 2 ? '' : blocked(held(find(cells, variant, { workMs: 10, parallel })))
          ]
        }),
        notes: ['A means pays if it blocks the caller for less than half as long as the work itself would.']
      }]
}

/** The blocks that the original's tool saw, and those that there were. @param {Cell[]} cells */
const topLevel = (cells) => [['fork-at-top-level', 'fork()'], ['worker-at-top-level', 'new Worker()']].flatMap(([variant, name]) => {
  const cell = cells.find((each) => each.variant === variant && each.median !== null)
  if (cell === undefined) return []
  const { startMs, blockedAtBlocks, blockedAtMaxMs, agentStartMs } = cell.extra
  return [
    `At the top level, ${name} took ${figure(startMs.median)} ms.`,
    blockedAtMaxMs === undefined
      ? 'blocked-at reported nothing of it.'
      : `blocked-at reported ${counted(blockedAtBlocks.samples.reduce((sum, each) => sum + each, 0), 'block')} in ${counted(cell.samples.length, 'run')} (longest ${figure(blockedAtMaxMs.max)} ms): later callbacks, not the start.`,
    agentStartMs === undefined ? 'The agent did not report it either.' : `The agent reported a block of ${figure(agentStartMs.median)} ms, which includes the start and what else ran before the first turn of the loop.`
  ].join(' ')
})
