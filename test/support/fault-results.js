'use strict'

const MEASURED = /^measured of "(.*?)": (.*)$/s

/**
 * Says a figure of a fault for the table of faults.
 * @param {import('node:test').TestContext} t
 * @param {string} text
 */
exports.measured = (t, text) => t.diagnostic(`measured of "${t.name}": ${text}`)

/**
 * @typedef {object} Result of one test
 * @property {string} name
 * @property {'passed' | 'failed' | 'skipped'} outcome
 * @property {number} seconds
 * @property {string | null} measured
 */

/**
 * What the runner's events say of each test, by name.
 * @param {AsyncIterable<{ type: string, data: any }>} events
 * @returns {Promise<Result[]>}
 */
exports.collect = async (events) => {
  /** @type {Result[]} */
  const results = []
  /** @type {Map<string, string>} */
  const figures = new Map()
  for await (const { type, data } of events) {
    if (type === 'test:pass' || type === 'test:fail') {
      const outcome = type === 'test:fail' ? 'failed' : data.skip !== undefined && data.skip !== false ? 'skipped' : 'passed'
      results.push({ name: data.name, outcome, seconds: (data.details?.duration_ms ?? 0) / 1000, measured: null })
    }
    const [, name, figure] = type === 'test:diagnostic' ? MEASURED.exec(data.message) ?? [] : []
    if (name !== undefined) figures.set(name, figure)
  }
  return results.map((result) => ({ ...result, measured: figures.get(result.name) ?? null }))
}
