'use strict'

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { entryPoint } = require('../../tables/entry-points')
const { codedError, codedErrorFrom } = require('../../tables/errors')
const { KEEP, verdictOf } = require('./verdict')
const { choosePort } = require('../common/ports')
const { findProfiler, profilers } = require('../profile/profilers')
const { ProfileRun, parseTarget } = require('../profile/profile-run')
const { dropUseless, makeOutput, observe, profile } = require('../profile/profile')
const { takeRecording, writeRecording, view } = require('../record/record')
const { ANSWER_MS } = require('../common/endpoint')
const { POLL_MS, watchSignals } = require('../common/signals')

/** @import { Profiler } from '../profile/profilers' */

const REGISTER = entryPoint('register')
/** The application has this long for its own `exit` listeners. Everything is known by then. */
const STOP_MS = 1000

/** They would move the agent, send its blocks to somebody, end the run or hide a cause. */
const NOT_FROM_OUTSIDE = {
  LOOPWATCH_HOST: '127.0.0.1',
  LOOPWATCH_DIR: '',
  LOOPWATCH_NOTIFY: '',
  LOOPWATCH_OTLP: 'false',
  LOOPWATCH_STUCK: '',
  LOOPWATCH_ON_STUCK: '',
  LOOPWATCH_GC: ''
}
const OURS = {
  LOOPWATCH_ONLY: '*',
  LOOPWATCH_SKIP: '',
  LOOPWATCH_LOG: 'false',
  LOOPWATCH_REQUESTS: 'on',
  LOOPWATCH_PROFILE: 'on',
  LOOPWATCH_KEEP: String(KEEP)
}

/** @typedef {import('../profile/profile').Flags & { tool?: string }} Flags */

/** Shows what blocks an application under load. @param {string[]} command @param {Flags} flags */
exports.diagnose = async (command, flags) => {
  const target = parseTarget(command)
  const { needs = null } = flags.tool === undefined ? {} : profilers[flags.tool]
  if (needs !== null) findProfiler(needs)
  const output = makeOutput(flags.output, 'diagnosis')
  const run = await runUnderAgent(target, output, flags).catch((error) => {
    dropUseless(output, error)
    throw error
  })
  const file = path.join(output, 'diagnosis.loopwatch')
  writeRecording(run.recording, file)
  const { text, tool } = verdictOf(run)
  const hint = flags.tool === undefined && tool !== null ? `for a picture, add --tool ${tool}\n` : ''
  process.stdout.write(`\n${text}\nrecording: ${file}\n${hint}`)
  // Ctrl-C, or a supervisor that ends the command: it must not go on with a second run or a page.
  if (run.isCut) return
  if (flags.tool !== undefined) await profile(flags.tool, command, { ...flags, output })
  if (flags.open) await view(file, { port: 0, open: true })
}

/** The agent replaces a tool. @type {Profiler} */
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
  const startMs = Date.now()
  try {
    const load = await observe(run, 'diagnose', flags, signals)
    const sinceMs = run.event('port')?.atMs ?? null
    if (run.event('cluster')) throw codedError('LOOPWATCH_ERR_CLUSTER', 'diagnose')
    const recording = await recordingOf(run, `127.0.0.1:${port}`, token)
    return { recording, load, sinceMs, startMs, isCut: signals.isOver }
  } finally {
    await run.stop(STOP_MS)
    run.kill()
    signals.stop()
    signals.release()
    fs.rmSync(work, { recursive: true, force: true, maxRetries: 3 })
  }
}

/**
 * The watchdog answers even if the application is stuck for good.
 * @param {ProfileRun} run @param {string} target @param {string} token
 */
async function recordingOf (run, target, token) {
  for (const lastMs = performance.now() + ANSWER_MS; ;) {
    try {
      return await takeRecording(target, token)
    } catch (error) {
      const code = run.event('exit')?.code
      if (code !== undefined || run.isOver) throw endedEarly(error, code, run.event('port') !== undefined)
      // On a busy machine a short run is over before the agent listens.
      if (performance.now() > lastMs) throw error
      await sleep(POLL_MS)
    }
  }
}

/**
 * The application's output has said why it ended.
 * @param {unknown} cause why the agent did not answer @param {number | undefined} code @param {boolean} hasListened
 */
function endedEarly (cause, code, hasListened) {
  if (code !== undefined && code !== 0 && !hasListened) {
    return codedErrorFrom(cause, 'LOOPWATCH_ERR_START', `it ended with exit code ${code}, see above`)
  }
  const how = code === undefined ? 'was ended' : `ended with exit code ${code}`
  return codedErrorFrom(cause, 'LOOPWATCH_ERR_NO_REPORT', 'diagnose', `the application ${how} before its agent ` +
    'could be asked: --seconds has to end it while it runs', '')
}
