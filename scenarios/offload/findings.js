'use strict'

const { compared, contrast, isBelow, withInterval } = require('../harness/report/contrast')
const { count, counted, figure } = require('../harness/report/format')

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
const held = (cell) => cell?.extra.heldMs

/** From which size on each means pays. @param {Cell[]} cells */
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
 * The means that pays from the smallest work on, with those that cannot be told from it.
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
  if (means.length === 0) return null
  const [best, ...equals] = bestOf(means)
  const isKnown = means.every((each) => each.isKnown)
  if (best === undefined) return `${isKnown ? 'Offloading does not pay' : 'These runs do not show that offloading pays'} up to ${count(Math.max(...means.map(({ upToMs }) => upToMs)))} ms of work, by any means.`
  return `Hand work of ${best.from?.workMs} ms and more to ${names[best.variant]} (on ${count(environment.cores)} cores): that holds the caller for ${withInterval(best.cost, 'ms')}, less than half of what the work would.` +
    equals.map(({ variant, cost }) => ` How long ${names[variant]} holds it over ${names[best.variant]}: ${compared(cost, best.cost)}.`).join('')
}

/**
 * @param {Cell[]} cells
 * @param {(variant: string, cell: Cell) => string | null} describe
 * @param {Parameters<typeof find>[2]} params
 */
const each = (cells, params, describe) => Object.keys(names).flatMap((variant) => {
  const cell = find(cells, variant, params)
  return cell === undefined ? [] : describe(variant, cell) ?? []
}).join('; ')

/**
 * What the cells say in sentences, as far as they were measured.
 * @param {import('../harness/interface').Document} document
 */
exports.findings = ({ cells }) => {
  const means = breakEven(cells)
  const texts = means.map(({ variant, from, cost, upToMs, isKnown }) =>
    from === null
      ? `${names[variant]} not up to ${upToMs} ms${isKnown ? '' : ', as far as these runs can tell'}`
      : `${names[variant]} from ${from.workMs} ms of work on, which holds the caller for ${withInterval(cost, 'ms')}`)
  const largest = (/** @type {string} */ key) => Math.max(0, ...cells.flatMap(({ params }) => typeof params[key] === 'number' ? params[key] : []))
  const [inputKiB, parallel] = [largest('inputKiB'), largest('parallel')]
  const inline = find(cells, 'inline', {})
  const later = inline === undefined ? '' : each(cells, {}, (variant, cell) => laterThan(cell, inline, names[variant]))
  const sending = inputKiB === 0 ? '' : each(cells, { inputKiB }, (variant, cell) => cell.extra.sendMs === undefined ? null : `${withInterval(cell.extra.sendMs, 'ms')} by ${names[variant]}`)
  const starting = parallel < 2 ? '' : each(cells, { workMs: 10, parallel }, (variant, cell) => cell.extra.heldMs === undefined ? null : `${withInterval(cell.extra.heldMs, 'ms')} by ${names[variant]}`)
  return [
    ...(texts.length === 0 ? [] : [`Offloading pays where it holds the caller for less than half of what the work itself would: ${texts.join('; ')}.`]),
    ...(later === '' ? [] : [`When the result of 1 ms of work comes, compared with inline: ${later}.`]),
    ...(sending === '' ? [] : [`Sending blocks too: ${count(inputKiB)} KiB of input hold the caller for ${sending}.`]),
    ...(starting === '' ? [] : [`${count(parallel)} at once hold the caller for ${starting}, in one turn of its loop.`]),
    ...topLevel(cells)
  ]
}

/** @param {Cell} cell @param {Cell} inline @param {string} name */
function laterThan (cell, inline, name) {
  const isLater = ['more', 'few'].includes(contrast(cell, inline))
  return `${name}${isLater ? ` ${figure(Number(cell.median) - Number(inline.median))} ms later, ` : ': '}${compared(cell, inline)}`
}

/** What the original's tool saw beside what there was. @param {Cell[]} cells */
const topLevel = (cells) => [['fork-at-top-level', 'fork()'], ['worker-at-top-level', 'new Worker()']].flatMap(([variant, name]) => {
  const cell = cells.find((each) => each.variant === variant && each.median !== null)
  if (cell === undefined) return []
  const { startMs, blockedAtBlocks, blockedAtMaxMs, agentStartMs } = cell.extra
  const seen = blockedAtMaxMs === undefined
    ? 'blocked-at reported nothing'
    : `blocked-at reported ${counted(blockedAtBlocks.samples.reduce((sum, each) => sum + each, 0), 'block')} in ${counted(cell.samples.length, 'run')} (longest ${figure(blockedAtMaxMs.max)} ms), which is not the start but later callbacks`
  const reported = agentStartMs === undefined ? 'the agent did not either' : `the agent reported the block with the start in it, ${figure(agentStartMs.median)} ms with what else ran before the loop's first turn`
  return [`${name} at the top level took ${figure(startMs.median)} ms; ${seen}; ${reported}.`]
})
