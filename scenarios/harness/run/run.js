'use strict'

const { CellRuns } = require('./cells')
const { runCell } = require('./cell-process')
const { readEnvironment } = require('../measure/environment')
const { cellName } = require('../measure/live')

const MS_PER_S = 1000

/**
 * @typedef {object} Settings
 * @property {import('../interface').ModeName} mode
 * @property {number} [repeats] in place of the mode's
 * @property {number} [seconds] in place of the mode's
 * @property {string[]} only variants; none = all
 * @property {Record<string, any>} options of the scenarios themselves
 */

/**
 * The cells of a scenario as these settings choose them.
 * @param {import('../interface').Scenario} scenario
 * @param {Settings} settings
 * @param {{ isListing: boolean }} [purpose]
 */
function planOf (scenario, { mode, options, only }, { isListing } = { isListing: false }) {
  const environment = readEnvironment()
  const input = { mode, options, environment, isListing }
  return { input, cells: scenario.plan(input).filter(({ variant }) => only.length === 0 || only.includes(variant)) }
}

/**
 * Runs a scenario: every cell in a fresh process, one repeat of all cells after the other, so that the
 * machine's ups and downs meet all of them.
 * @param {import('../interface').Scenario} scenario
 * @param {Settings} settings
 * @param {{ live: import('../measure/live').Live, progress: import('./progress').Progress, signal: AbortSignal }} parts
 * @returns {Promise<import('../interface').Document>}
 */
async function runScenario (scenario, settings, { live, progress, signal }) {
  const startedAt = new Date()
  const mode = scenario.modes[settings.mode]
  const { input, cells: plans } = planOf(scenario, settings)
  const repeats = settings.repeats ?? mode.repeats
  const cells = plans.map((plan) => new CellRuns(plan, scenario, input.environment.cores))
  const due = cells.filter(({ isDue }) => isDue)
  /** @type {Record<string, unknown>} */
  let shared = {}
  /** @type {(() => unknown)[]} */
  const endings = []
  progress.begin(scenario, due.length * repeats)
  live.begin(scenario.name, due.map(({ plan }) => plan))
  try {
    shared =
      (await scenario.setup?.({
        ...input,
        cells: due.map(({ plan }) => plan),
        signal,
        say: (line) => progress.say(line),
        defer: (end) => endings.push(end)
      })) ?? {}
    for (let repeat = 1; repeat <= repeats; repeat++) {
      for (const cell of due) {
        if (signal.aborted) break
        progress.step(cell.plan.variant, cellName(cell.plan.params), repeat)
        if (!cell.isDue) continue
        const outcome = await runOnce(scenario, settings, cell.plan, { shared, live, signal })
        // What Ctrl-C ended has not failed.
        if (signal.aborted) break
        cell.add(outcome)
        if (cell.failure !== null) progress.say(`${cell.plan.variant} ${cellName(cell.plan.params)} failed: ${cell.failure}`)
      }
    }
  } catch (error) {
    // What a signal ends in mid-setup has not failed.
    if (!signal.aborted) throw error
  } finally {
    for (const end of [() => scenario.teardown?.(shared), ...endings.reverse()]) {
      try {
        await end()
      } catch (error) {
        // The others must still be ended, and what was measured is kept.
        progress.say(`${scenario.name}: not all was ended: ${error.stack ?? error}`)
      }
    }
    progress.end()
  }
  /** @type {import('../interface').Document} */
  const document = {
    scenario: scenario.name,
    mode: settings.mode,
    startedAt: startedAt.toISOString(),
    durationSeconds: Math.round((Date.now() - startedAt.getTime()) / MS_PER_S),
    repeats,
    seconds: settings.seconds ?? null,
    interrupted: signal.aborted,
    environment: { ...input.environment, tools: /** @type {any} */ (shared).tools ?? {} },
    cells: cells.map((cell) => cell.describe()),
    findings: []
  }
  try {
    document.findings = scenario.findings(document)
  } catch (error) {
    // An hour's figures must not be lost for a sentence about them.
    progress.say(`${scenario.name}: no findings: ${error.stack}`)
  }
  return document
}

/**
 * @param {import('../interface').Scenario} scenario @param {Settings} settings @param {import('../interface').CellPlan}
 * cell
 * @param {{ shared: Record<string, unknown>, live: import('../measure/live').Live, signal: AbortSignal }} parts
 * @returns {Promise<import('./cell-process').RunOutcome>}
 */
async function runOnce (scenario, settings, cell, { shared, live, signal }) {
  const { seconds, warmUpSeconds } = scenario.modes[settings.mode]
  const reporter = live.cell(scenario.name, cell)
  try {
    await scenario.before?.(cell, shared)
    return await runCell({
      cell,
      mode: settings.mode,
      seconds: settings.seconds ?? cell.seconds ?? seconds,
      warmUpSeconds,
      agent: scenario.agent,
      shared
    }, reporter.onMessage, signal)
  } catch (error) {
    return { failure: `${error.stack ?? error}`, isOracle: false }
  } finally {
    reporter.end()
    await scenario.after?.(cell, shared)
  }
}

exports.planOf = planOf
exports.runScenario = runScenario
