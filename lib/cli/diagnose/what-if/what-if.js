'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { entryPoint } = require('../../../tables/entry-points')
const { watchSignals } = require('../../common/interruption')
const { observe } = require('../../profile/profile')
const { ProfileRun } = require('../../profile/profile-run')
const { costsOf, poolCosts } = require('./costs')
const { leaveWhatIf } = require('./leave')
const { requestsOf } = require('./requests')
const { whatIfSection } = require('./section')
const { inWords, predict, unknown } = require('./verdict')

/** The users of our own load, who wait for their answers. */
const USERS = 10
/** Our own load asks one route alone: what others would wait is told by requests that only the replay has. */
const PROBE_MS = 5
const RESULT_MS = 20000
const POLL_MS = 50
const STOP_MS = 1000

/**
 * @typedef {import('./replay').Costs} Costs
 * @typedef {import('./verdict').Prediction} Prediction
 * @typedef {{ function: string, file: string, line: number, costs: Costs | null, sentence: string }} Which
 * @typedef {Prediction & Which} WhatIf as it is written to what-if.json
 * @typedef {{ name: string, file: string | null, line: number | null }} Site
 */

/**
 * Runs the application once more and says what moving one function to a worker thread would do.
 * @param {Site} site
 * @param {{ node: string, args: string[] }} target
 * @param {string} output
 * @param {Pick<import('../../profile/profile').Flags, 'seconds' | 'onPort'>} flags
 * @param {import('../../profile/profilers').Profiler} profiler that is none
 * @returns {Promise<WhatIf>}
 */
exports.whatIf = async (site, target, output, flags, profiler) => {
  const { prediction, costs } = await measured(site, target, output, flags, profiler)
    .catch((error) => none(error.message))
  const sentence = inWords(site.name, prediction, costs ?? undefined)
  return { function: site.name, file: site.file ?? '', line: site.line ?? 0, ...prediction, costs, sentence }
}

/**
 * Writes what was found beside the report, and for the live page into the folder of records, where there is one.
 * @param {WhatIf} found
 * @param {string} output
 * @param {Pick<import('../../profile/profile').Flags, 'seconds' | 'onPort'> & { dir?: string }} flags
 * @returns {{ sentence: string, section: string }} section: of the report, HTML
 */
exports.writeWhatIf = (found, output, flags) => {
  fs.writeFileSync(path.join(output, 'what-if.json'), `${JSON.stringify(found, null, 2)}\n`)
  if (flags.dir) process.stderr.write(`${leaveWhatIf(found, path.resolve(flags.dir), flags, new Date())}\n`)
  return { sentence: found.sentence, section: whatIfSection(found) }
}

/**
 * @param {Parameters<typeof exports.whatIf>} run
 * @returns {Promise<{ prediction: Prediction, costs: Costs | null }>}
 */
async function measured (...run) {
  const [{ file, line }] = run
  if (file === null || line === null || !path.isAbsolute(file)) return none('its code is in no file of the application')
  const pool = await poolCosts()
  const { result, load } = await record(...run)
  if (result.reason !== null) return none(result.reason)
  const costs = costsOf(result.captures, pool)
  if (costs === null) return none('a request calls it many times: what calls it may be moved')
  const requests = requestsOf(result)
  const users = load === null ? null : USERS
  return { prediction: predict({ requests, users, costs, probeMs: PROBE_MS, measuredP50Ms: load?.p50Ms }), costs }
}

/** @param {string} reason */
const none = (reason) => ({ prediction: unknown(reason), costs: null })

/**
 * @param {Parameters<typeof exports.whatIf>} run
 * @returns {Promise<{ result: any, load: import('../../profile/load').Load | null }>}
 */
async function record (...[{ name, file, line }, target, output, flags, profiler]) {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-what-if-'))
  const marker = (/** @type {string} */ each) => path.join(work, each)
  const env = { LOOPWATCH_WHAT_IF: JSON.stringify({ folder: work, name, file, line }) }
  const agent = { register: entryPoint('whatIfPreload'), env }
  const run = new ProfileRun({ profiler, script: null, target, cwd: process.cwd(), output, work, agent })
  const signals = watchSignals(() => run.kill())
  const capturing = {
    ...signals,
    get isOver () { return signals.isOver || fs.existsSync(marker('captured')) }
  }
  const written = async (/** @type {string} */ name) => {
    for (const end = performance.now() + RESULT_MS; !fs.existsSync(marker(name)); await sleep(POLL_MS)) {
      if (run.isOver || performance.now() > end) throw new Error('the application ended before it could be asked')
    }
  }
  try {
    await observe(run, 'diagnose', flags, capturing)
    fs.writeFileSync(marker('record'), '')
    await written('recording')
    const load = await observe(run, 'diagnose', flags, signals)
    fs.writeFileSync(marker('stop'), '')
    await written('result.json')
    return { result: JSON.parse(fs.readFileSync(marker('result.json'), 'utf8')), load }
  } finally {
    await run.stop(STOP_MS)
    run.kill()
    signals.stop()
    signals.release()
    fs.rmSync(work, { recursive: true, force: true, maxRetries: 3 })
  }
}
