'use strict'

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { codedError } = require('../errors')
const { diagnosisReport, inWords } = require('../tools/diagnose/diagnosis-report')
const { judge } = require('../tools/diagnose/judge')
const { readMetrics } = require('../tools/diagnose/latency')
const { openFile } = require('../tools/open')
const { choosePort } = require('../tools/port')
const { findProfiler } = require('../tools/profile/find-profiler')
const { ProfileRun } = require('../tools/profile/profile-run')
const { parseTarget } = require('../tools/profile/target')
const { makeOutput, makeReport, observe } = require('./profile')
const { watchSignals } = require('./signals')

const REGISTER = path.join(__dirname, '..', 'register.js')
const ANSWER_MS = 10000

/** @typedef {import('./profile').Flags & { tool: string }} Flags */

/** The agent and load, then the tool that the agent's evidence points to, in one report. @param {string[]} command @param {Flags} flags */
exports.diagnose = async (command, flags) => {
  const target = parseTarget(command)
  const output = makeOutput(flags.output, 'diagnosis')
  const run = await runUnderAgent(target, output, flags)
  const { latencies, utilization } = readMetrics(run.metrics)
  const verdict = judge({ blocks: run.blocks, durationMs: run.durationMs, utilization, p50Ms: run.load?.p50Ms ?? null })
  const words = inWords(verdict, run.durationMs)
  process.stdout.write(`\n${words}\n\n`)
  const wanted = flags.tool === 'auto' ? verdict.tool : flags.tool === 'none' ? null : flags.tool
  const tool = wanted === null || run.isCut ? null : await deeper(wanted, command, output, flags)
  const file = path.join(output, 'diagnosis.html')
  fs.writeFileSync(file, diagnosisReport({ command: [path.basename(target.node), ...target.args].join(' '), verdict, latencies, tool, ...run }))
  process.stdout.write(`\nreport: ${file}\n`)
  if (flags.open) openFile(file)
}

/** @param {{ node: string, args: string[] }} target @param {string} output @param {Flags} flags */
async function runUnderAgent (target, output, flags) {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-diagnose-'))
  const port = await choosePort({ flag: '--port', usual: 0 })
  const token = randomBytes(16).toString('hex')
  const run = new ProfileRun({
    profiler: { needs: 'clinic', args: () => [], ending: 'exit', outlivesKill: true, fault: () => null },
    script: null,
    target,
    cwd: process.cwd(),
    output,
    work,
    agent: { register: REGISTER, env: { LOOPWATCH_PORT: String(port), LOOPWATCH_TOKEN: token, LOOPWATCH_LOG: 'false', LOOPWATCH_REQUESTS: 'on', LOOPWATCH_KEEP: '1000' } }
  })
  const signals = watchSignals(() => run.kill())
  const ask = async (/** @type {string} */ route) => {
    const response = await fetch(`http://127.0.0.1:${port}${route}`, { headers: { authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(ANSWER_MS) })
    return response.text()
  }
  const startMs = performance.now()
  try {
    const load = await observe(run, 'diagnose', flags, signals)
    const durationMs = performance.now() - startMs
    if (run.event('cluster')) throw codedError('LOOPWATCH_ERR_CLUSTER', 'diagnose')
    // Its watchdog answers also where the application is stuck for good.
    const [blocks, tree, metrics] = await Promise.all(['/blocks', '/flame', '/metrics'].map(ask)).catch(() => {
      throw codedError('LOOPWATCH_ERR_NO_REPORT', 'diagnose', `the application ended before its agent could be asked (exit code ${run.event('exit')?.code}): --seconds has to end it while it runs`, run.tail)
    })
    return { blocks: JSON.parse(blocks), tree: JSON.parse(tree), metrics, load, durationMs, isCut: signals.isOver }
  } finally {
    await run.stop()
    run.kill()
    signals.stop()
    signals.release()
    fs.rmSync(work, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** @param {string} wanted @param {string[]} command @param {string} output @param {Flags} flags */
async function deeper (wanted, command, output, flags) {
  let name = wanted
  try {
    if (wanted !== 'cpu' && wanted !== '0x') findProfiler('clinic')
  } catch (error) {
    // A flame graph can be had without it, what the others show cannot.
    if (wanted !== 'flame') return { name, href: null, reason: error.message }
    name = 'cpu'
  }
  process.stderr.write(`running it again under ${name}\n`)
  try {
    const file = await makeReport(name, command, { ...flags, output })
    return { name, href: path.relative(output, file).split(path.sep).map(encodeURIComponent).join('/'), reason: null }
  } catch (error) {
    return { name, href: null, reason: error.message }
  }
}
