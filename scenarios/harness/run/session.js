'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { watchSignals } = require('../../../lib/cli/common/signals')
const { codedError, LoopwatchError } = require('../../../lib/tables/errors')
const { Live, cellName } = require('../measure/live')
const { checkWritable } = require('./output-file')
const { Progress } = require('./progress')
const { checkVariants } = require('../registry')
const { renderMarkdown } = require('../report/markdown')
const { renderReport } = require('../report/report')
const { planOf, runScenario } = require('./run')
const { renderDocument } = require('../report/table')

const EXIT_FAILED = 1
const EXIT_INTERRUPTED = 130

/** @typedef {import('../interface').Scenario} Scenario */
/** @typedef {import('../interface').Document} Document */

/**
 * Wrong variants are reported before anything runs.
 * @param {Scenario[]} scenarios
 * @param {import('./run').Settings} settings
 */
function checkAll (scenarios, settings) {
  checkVariants(scenarios.map((scenario) => ({
    name: scenario.name,
    variants: planOf(scenario, { ...settings, only: [] }, { isListing: true }).cells.map(({ variant }) => variant)
  })), settings.only)
}

/**
 * The cells that a run with these settings measures.
 * @param {Scenario[]} scenarios
 * @param {import('./run').Settings} settings
 */
exports.list = (scenarios, settings) => {
  checkAll(scenarios, settings)
  for (const scenario of scenarios) {
    const { cells } = planOf(scenario, settings, { isListing: true })
    const { repeats, note } = scenario.modes[settings.mode]
    process.stdout.write(`${scenario.name}: ${scenario.title}\n${settings.mode}: ${cells.length} cells, ${settings.repeats ?? repeats} repeats; ${note}\n`)
    for (const { variant, params, skipped } of cells) {
      process.stdout.write(`  ${variant}  ${cellName(params)}${typeof skipped === 'string' ? `  (skipped: ${skipped})` : ''}\n`)
    }
  }
}

/**
 * Runs scenarios one after the other, prints what came of each and writes the files asked for. What
 * was finished is kept when a signal or an error ends it.
 * @param {Scenario[]} scenarios
 * @param {import('./run').Settings} settings
 * @param {{ json?: string, report?: string, format?: 'text' | 'md', port: number }} output
 */
exports.run = async (scenarios, settings, { json, report, format, port }) => {
  if (json !== undefined && report !== undefined && path.resolve(json) === path.resolve(report)) throw codedError('LOOPWATCH_ERR_OPTION', '--report', 'another file than --json', report)
  if (json !== undefined) checkWritable('--json', json)
  if (report !== undefined) checkWritable('--report', report)
  checkAll(scenarios, settings)
  const ending = new AbortController()
  const signals = watchSignals(() => process.exit(EXIT_INTERRUPTED))
  signals.first.then(() => ending.abort())
  const progress = new Progress(process.stderr)
  const live = new Live()
  /** @type {Document[]} */
  const documents = []
  let hasFailed = false
  try {
    const listening = await live.listen(port)
    progress.say('url' in listening ? `live metrics: ${listening.url}` : `no live metrics: ${listening.reason}`)
    for (const scenario of scenarios) {
      if (ending.signal.aborted) break
      // --only may be about the others.
      if (planOf(scenario, settings, { isListing: true }).cells.length === 0) continue
      // The others go on: theirs may be what was waited for.
      const parts = { documents, live, progress, format, signal: ending.signal }
      if (!await runAndPrint(scenario, settings, parts)) hasFailed = true
    }
  } finally {
    live.close()
    signals.release()
    if (documents.length > 0) await writeFiles(documents, scenarios, { json, report })
  }
  if (ending.signal.aborted) process.stderr.write('interrupted: all processes of the scenario have ended; finished runs are above\n')
  hasFailed ||= documents.some(({ cells }) => cells.some(({ error }) => error !== null))
  if (ending.signal.aborted) process.exitCode = EXIT_INTERRUPTED
  else process.exitCode = hasFailed ? EXIT_FAILED : 0
}

/**
 * @param {Scenario} scenario
 * @param {import('./run').Settings} settings
 * @param {{ documents: Document[], live: Live, progress: Progress, format?: string, signal: AbortSignal }} parts
 * documents gets what came of it
 * @returns {Promise<boolean>} false when the scenario itself has failed, which is reported
 */
async function runAndPrint (scenario, settings, { documents, live, progress, format, signal }) {
  try {
    const document = await runScenario(scenario, settings, { live, progress, signal })
    documents.push(document)
    const columns = process.stdout.columns ?? Infinity
    process.stdout.write(format === 'md' ? renderMarkdown(document, scenario) : renderDocument(document, scenario, columns))
    return true
  } catch (error) {
    progress.say(`${scenario.name} failed: ${error instanceof LoopwatchError ? error.message : error.stack ?? error}`)
    return false
  }
}

/**
 * @param {Document[]} documents
 * @param {Scenario[]} scenarios that were asked for
 * @param {{ json?: string, report?: string }} files
 */
async function writeFiles (documents, scenarios, { json, report }) {
  // The shape is by what was asked for, whatever came of it.
  const written = scenarios.length === 1 ? documents[0] : documents
  if (json !== undefined) fs.writeFileSync(json, `${JSON.stringify(written, null, 2)}\n`)
  if (report !== undefined) fs.writeFileSync(report, await renderReport(documents, scenarios))
}
