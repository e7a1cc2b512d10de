'use strict'

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { entryPoint } = require('../../tables/entry-points')
const { codedError, codedErrorFrom } = require('../../tables/errors')
const { conclusion, diagnosisReport, inWords } = require('./report')
const { diagnosisMarkdown } = require('./markdown')
const { judge } = require('./judge')
const { readSecondRun, withLines } = require('./second-run')
const { readMetrics, utilizationOf } = require('./latency')
const { ask } = require('../common/endpoint')
const { openFile } = require('../common/open')
const { choosePort } = require('../common/port')
const { findProfiler } = require('../profile/find-profiler')
const { ProfileRun } = require('../profile/profile-run')
const { parseTarget } = require('../profile/target')
const { makeOutput, makeReport, observe } = require('../profile/profile')
const { watchSignals } = require('../common/interruption')

const REGISTER = entryPoint('register')
/** The application has this long for its own `exit` listeners. Everything is known by then. */
const STOP_MS = 1000
/** In a run this long, all blocks still fit the agent's memory. */
const LISTEN_MS = 30000
/** A block settles up to half a second after its end. */
const SETTLED_MS = 600

/** They would move the agent, send its blocks to somebody, end the run or hide a cause. */
const NOT_FROM_OUTSIDE = { LOOPWATCH_HOST: '127.0.0.1', LOOPWATCH_DIR: '', LOOPWATCH_NOTIFY: '', LOOPWATCH_STUCK: '', LOOPWATCH_ON_STUCK: '', LOOPWATCH_GC: '' }
const OURS = { LOOPWATCH_ONLY: '*', LOOPWATCH_SKIP: '', LOOPWATCH_LOG: 'false', LOOPWATCH_REQUESTS: 'on', LOOPWATCH_PROFILE: 'on', LOOPWATCH_KEEP: '1000' }

/** @typedef {import('../profile/profile').Flags & { tool: string, format?: 'text' | 'md' }} Flags */
/** @typedef {{ blocks: import('../../types').BlockRecord[], metrics: string }} Young */

/** Runs the agent under load, then the tool that fits. @param {string[]} command @param {Flags} flags */
exports.diagnose = async (command, flags) => {
  const target = parseTarget(command)
  const output = makeOutput(flags.output, 'diagnosis')
  const run = await runUnderAgent(target, output, flags)
  const { early, load } = run
  const { latencies, loop, totals } = readMetrics(run.metrics)
  const utilization = utilizationOf(loop, early === null ? undefined : readMetrics(early.metrics).loop)
  const first = judge({ ...run, early: early?.blocks, totals, utilization, p50Ms: load?.p50Ms ?? null })
  const told = flags.format === 'md' ? process.stderr : process.stdout
  told.write(`\n${inWords(first, run.durationMs, load)}\n\n`)
  const wanted = flags.tool === 'auto' ? first.tool : flags.tool === 'none' ? null : flags.tool
  const tool = wanted === null || run.isCut ? null : await deeper(wanted, command, output, flags)
  const { sites, notes } = tool?.compare?.(first.sites, run.durationMs) ?? { sites: first.sites, notes: [] }
  const verdict = { ...first, sites }
  withLines(run.tree, sites)
  const words = conclusion(verdict, run.durationMs, load, notes)
  if (notes.length > 0) told.write(`\nBy both runs: ${words.join('\n')}\n`)
  const name = [path.basename(target.node), ...target.args].join(' ')
  if (flags.format === 'md') {
    process.stdout.write(diagnosisMarkdown({ command: name, told: words, sites, latencies }))
  }
  const file = path.join(output, 'diagnosis.html')
  fs.writeFileSync(file, diagnosisReport({
    command: name, verdict, latencies, tool, durationMs: run.durationMs, tree: run.tree, load, notes
  }))
  told.write(`\nreport: ${file}\n`)
  if (flags.open) openFile(file)
}

/** The agent replaces a tool. @type {import('../profile/profilers').Profiler} */
const NO_TOOL = { needs: 'clinic', args: () => [], ending: 'exit', outlivesKill: true, fault: () => null }

/** @param {{ node: string, args: string[] }} target @param {string} output @param {Flags} flags */
async function runUnderAgent (target, output, flags) {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-diagnose-'))
  const port = await choosePort({ flag: '--port', usual: 0 })
  const token = randomBytes(16).toString('hex')
  const env = { ...NOT_FROM_OUTSIDE, ...OURS, LOOPWATCH_PORT: String(port), LOOPWATCH_TOKEN: token }
  const agent = { register: REGISTER, env }
  const run = new ProfileRun({ profiler: NO_TOOL, script: null, target, cwd: process.cwd(), output, work, agent })
  const signals = watchSignals(() => run.kill())
  const answer = (/** @type {string} */ path) => ask(`127.0.0.1:${port}`, path, token).then((response) => response.text())
  const startMs = Date.now()
  try {
    /** @type {Young | null} */
    let early = null
    askEarly(run, answer, signals).then((young) => { early = young }, () => {})
    const load = await observe(run, 'diagnose', flags, signals)
    const sinceMs = run.event('port')?.atMs ?? null
    const durationMs = Date.now() - (sinceMs ?? startMs)
    if (run.event('cluster')) throw codedError('LOOPWATCH_ERR_CLUSTER', 'diagnose')
    // The watchdog answers even if the application is stuck for good.
    const [blocks, tree, metrics] = await Promise.all(['blocks', 'flame', 'metrics'].map(answer)).catch((error) => {
      throw endedEarly(error, run.event('exit')?.code, sinceMs !== null)
    })
    return {
      blocks: JSON.parse(blocks),
      tree: JSON.parse(tree),
      metrics,
      early: /** @type {Young | null} */ (early),
      load,
      sinceMs,
      durationMs,
      isCut: signals.isOver
    }
  } finally {
    await run.stop(STOP_MS)
    run.kill()
    signals.stop()
    signals.release()
    fs.rmSync(work, { recursive: true, force: true, maxRetries: 3 })
  }
}

/**
 * The application's output has said why it ended.
 * @param {unknown} cause why the agent did not answer @param {number | undefined} code @param {boolean} hasListened
 */
function endedEarly (cause, code, hasListened) {
  if (code !== undefined && code !== 0 && !hasListened) return codedErrorFrom(cause, 'LOOPWATCH_ERR_START', `it ended with exit code ${code}, see above`)
  const how = code === undefined ? 'was ended' : `ended with exit code ${code}`
  return codedErrorFrom(cause, 'LOOPWATCH_ERR_NO_REPORT', 'diagnose', `the application ${how} before its agent could be asked: --seconds has to end it while it runs`, '')
}

/**
 * Asks early in the run: at the end of a long one, the agent's memory holds only the latest blocks.
 * @param {ProfileRun} run @param {(path: string) => Promise<string>} answer of the agent
 * @param {ReturnType<typeof watchSignals>} signals
 */
async function askEarly (run, answer, signals) {
  await run.waitFor('port', LISTEN_MS, () => signals.isOver)
  await signals.sleep(SETTLED_MS)
  const [blocks, metrics] = await Promise.all(['blocks', 'metrics'].map(answer))
  return { blocks: JSON.parse(blocks), metrics }
}

/** The second run. @param {string} wanted @param {string[]} command @param {string} output @param {Flags} flags */
async function deeper (wanted, command, output, flags) {
  let name = wanted
  try {
    if (wanted !== 'cpu' && wanted !== '0x') findProfiler('clinic')
  } catch (error) {
    // Without clinic, a flame graph is still possible; the other tools have no substitute.
    if (wanted !== 'flame') return { name, href: null, reason: error.message, compare: null }
    name = 'cpu'
  }
  process.stderr.write(`running it again under ${name}\n`)
  try {
    const file = await makeReport(name, command, { ...flags, output })
    const href = path.relative(output, file).split(path.sep).map(encodeURIComponent).join('/')
    return { name, href, reason: null, compare: readSecondRun(name, path.dirname(file)) }
  } catch (error) {
    return { name, href: null, reason: error.message, compare: null }
  }
}
