'use strict'

const { describeCaller } = require('../measure/caller-delay')
const { Latency } = require('../measure/latency')
const { median, summarise } = require('../measure/stats')

/** @typedef {import('./cell-process').RunResult} RunResult */

/** The cell as the document has it, from its plan and its runs. */
class CellRuns {
  /** @type {RunResult[]} */
  #results = []
  /** @type {{ failure: string, isOracle: boolean } | null} */
  #failed = null

  /**
   * @param {import('../interface').CellPlan} plan
   * @param {import('../interface').Scenario} scenario
   * @param {number} cores
   */
  constructor (plan, scenario, cores) {
    this.plan = plan
    this.unit = plan.unit ?? scenario.unit
    this.better = plan.better ?? scenario.better
    this.isOversubscribed = (plan.busy ?? plan.workers ?? 1) > cores
  }

  /** One that failed or cannot run here is not tried again. */
  get isDue () {
    return this.#failed === null && typeof this.plan.skipped !== 'string'
  }

  get runs () {
    return this.#results.length
  }

  get failure () {
    return this.#failed?.failure ?? null
  }

  /** @param {import('./cell-process').RunOutcome} outcome */
  add (outcome) {
    if ('result' in outcome) this.#results.push(outcome.result)
    else this.#failed = outcome
  }

  /** @returns {import('../interface').Cell} */
  describe () {
    const { plan, unit, better, isOversubscribed } = this
    // One wrong result and none of the others can be trusted.
    const results = this.#failed === null ? this.#results : []
    const summary = results.length === 0 ? null : summarise(results.map(({ value }) => value))
    const callers = results.flatMap(({ caller }) => caller ?? [])
    const skipped = plan.skipped ?? (this.#failed === null && results.length === 0 ? 'the run was interrupted before it' : null)
    return {
      variant: plan.variant,
      params: plan.params,
      unit,
      better,
      samples: summary?.samples ?? [],
      median: summary?.median ?? null,
      min: summary?.min ?? null,
      max: summary?.max ?? null,
      ci95: summary?.ci95 ?? null,
      latencyMs: latencyOf(results),
      process: processesOf(results),
      caller: callers.length === 0 ? null : describeCaller(callers),
      extra: extrasOf(results),
      oracle: this.#failed?.isOracle ? 'failed' : results.length > 0 ? 'passed' : null,
      error: this.failure,
      skipped,
      oversubscribed: isOversubscribed
    }
  }
}

/** @param {RunResult[]} results */
function latencyOf (results) {
  const latency = new Latency()
  for (const result of results) for (const [ms, count] of result.latency) latency.record(ms, count)
  return latency.percentiles()
}

/** Median CPU time and largest memory of each role. @param {RunResult[]} results */
function processesOf (results) {
  const all = results.flatMap(({ process }) => process)
  return [...new Set(all.map(({ role }) => role))].map((role) => {
    const ofRole = all.filter((each) => each.role === role)
    const cpu = ofRole.flatMap(({ cpuSeconds }) => cpuSeconds ?? [])
    const rss = ofRole.flatMap(({ peakRssBytes }) => peakRssBytes ?? [])
    return {
      role,
      cpuSeconds: cpu.length === 0 ? null : median(cpu),
      peakRssBytes: rss.length === 0 ? null : Math.max(...rss)
    }
  })
}

/** @param {RunResult[]} results */
function extrasOf (results) {
  const keys = new Set(results.flatMap(({ extra }) => Object.keys(extra)))
  return Object.fromEntries([...keys].map((key) => [key, summarise(results.flatMap(({ extra }) => extra[key] ?? []))]))
}

exports.CellRuns = CellRuns
