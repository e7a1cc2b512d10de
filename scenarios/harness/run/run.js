'use strict'

const { CellRuns } = require('./cells')
const { runCell } = require('./cell-process')
const { readEnvironment } = require('../measure/environment')
const { cellName } = require('../measure/live')
const { verdictOf } = require('../report/verdict')

const MS_PER_S = 1000

/**
 * @typedef {object} Settings
 * @property {import('../interface').ModeName} mode
 * @property {number} [repeats] in place of the mode's
 * @property {number} [seconds] in place of the mode's
 * @property {string[]} only variants; none = all
 * @property {Record<string, any>} options of the scenarios themselves
 *
 * @typedef {{ shared: Record<string, unknown>, live: import('../measure/live').Live, signal: AbortSignal }} RunParts
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
 * Runs a scenario: every cell in a fresh process, one repeat of all cells after the other, so that the machine's ups
 * and downs affect all of them.
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
  progress.say(`${scenario.name}, ${settings.mode}: ${mode.note}`)
  progress.begin(scenario, due.length * repeats)
  live.begin(scenario.name, due.map(({ plan }) => plan))
  try {
    const say = (/** @type {string} */ line) => progress.say(line)
    const defer = (/** @type {() => unknown} */ end) => endings.push(end)
    shared = await scenario.setup?.({ ...input, cells: due.map(({ plan }) => plan), signal, say, defer }) ?? {}
    await runCells(scenario, settings, { due, repeats, shared, live, progress, signal })
  } catch (error) {
    // A setup that a signal ends has not failed.
    if (!signal.aborted) throw error
  } finally {
    await endAll([() => scenario.teardown?.(shared), ...endings.reverse()], scenario, progress)
    progress.end()
  }
  return withFindings({
    scenario: scenario.name,
    mode: settings.mode,
    startedAt: startedAt.toISOString(),
    durationSeconds: Math.round((Date.now() - startedAt.getTime()) / MS_PER_S),
    repeats,
    seconds: settings.seconds ?? null,
    interrupted: signal.aborted,
    environment: { ...input.environment, tools: /** @type {any} */ (shared).tools ?? {} },
    cells: cells.map((cell) => cell.describe()),
    verdict: '',
    findings: []
  }, scenario, progress)
}

/**
 * Every cell once, then every cell again, until the repeats are done or a signal comes.
 * @param {import('../interface').Scenario} scenario
 * @param {Settings} settings
 * @param {{ due: CellRuns[], repeats: number, progress: import('./progress').Progress } & RunParts} parts
 */
async function runCells (scenario, settings, { due, repeats, shared, live, progress, signal }) {
  for (let repeat = 1; repeat <= repeats; repeat++) {
    for (const cell of due) {
      if (signal.aborted) return
      const { variant, params } = cell.plan
      progress.step(variant, cellName(params), repeat)
      if (!cell.isDue) continue
      const outcome = await runOnce(scenario, settings, cell.plan, { shared, live, signal })
      // A run that Ctrl-C ends has not failed.
      if (signal.aborted) return
      cell.add(outcome)
      if (cell.failure !== null) progress.say(`${variant} ${cellName(params)} failed: ${cell.failure}`)
    }
  }
}

/**
 * @param {(() => unknown)[]} endings
 * @param {import('../interface').Scenario} scenario
 * @param {import('./progress').Progress} progress
 */
async function endAll (endings, scenario, progress) {
  for (const end of endings) {
    try {
      await end()
    } catch (error) {
      // The others must still be ended, and what was measured is kept.
      progress.say(`${scenario.name}: not all was ended: ${error.stack ?? error}`)
    }
  }
}

/**
 * @param {import('../interface').Document} document
 * @param {import('../interface').Scenario} scenario
 * @param {import('./progress').Progress} progress
 */
function withFindings (document, scenario, progress) {
  try {
    const verdict = verdictOf(document, scenario)
    const findings = scenario.findings(document).filter((sentence) => !verdict.includes(sentence))
    return { ...document, verdict, findings }
  } catch (error) {
    // An hour's figures must not be lost for a sentence about them.
    progress.say(`${scenario.name}: no verdict and no findings: ${error.stack}`)
    return document
  }
}

/**
 * @param {import('../interface').Scenario} scenario
 * @param {Settings} settings
 * @param {import('../interface').CellPlan} cell
 * @param {RunParts} parts
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
