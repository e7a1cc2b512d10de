'use strict'

const { randomBytes } = require('node:crypto')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { entryPoint } = require('../../tables/entry-points')
const { codedErrorFrom } = require('../../tables/errors')
const { KEEP, verdictOf } = require('./verdict')
const { freePort } = require('../common/ports')
const { findProfiler, profilers } = require('../profile/profilers')
const { ProfileRun, applicationCommand, parseTarget } = require('../profile/profile-run')
const { profile, runUnderLoad } = require('../profile/profile')
const { takeRecording, writeRecording, view } = require('../record/record')
const { ANSWER_MS } = require('../common/endpoint')
const { POLL_MS } = require('../common/signals')

/** @import { Flags } from '../profile/profile' */

const REGISTER = entryPoint('register')
/** For the application's own `exit` listeners: the recording is written before. */
const STOP_MS = 1000

/** Options of the agent. Those of the environment would move it, send its blocks to somebody or hide a cause. */
const AGENT_ENV = {
  LOOPWATCH_HOST: '127.0.0.1',
  LOOPWATCH_DIR: '',
  LOOPWATCH_NOTIFY: '',
  LOOPWATCH_OTLP: 'false',
  LOOPWATCH_STUCK: '',
  LOOPWATCH_ON_STUCK: '',
  LOOPWATCH_GC: '',
  LOOPWATCH_ONLY: '*',
  LOOPWATCH_SKIP: '',
  LOOPWATCH_LOG: 'false',
  LOOPWATCH_REQUESTS: 'on',
  LOOPWATCH_PROFILE: 'on',
  LOOPWATCH_KEEP: String(KEEP)
}

/**
 * Runs the application under the agent and a load, records it, and shows the recording.
 * @param {string[]} command @param {Flags & { tool?: string }} flags
 */
exports.diagnose = async (command, flags) => {
  const target = parseTarget(command)
  const { needs = null } = flags.tool === undefined ? {} : profilers[flags.tool]
  if (needs !== null) findProfiler(needs)
  const port = await freePort()
  const token = randomBytes(16).toString('hex')
  const env = { ...AGENT_ENV, LOOPWATCH_PORT: String(port), LOOPWATCH_TOKEN: token }
  const startMs = Date.now()
  const { file, text, tool, isCut } = await runUnderLoad('diagnose', flags, (_, work) =>
    new ProfileRun(applicationCommand(target, { preloads: [REGISTER], env }), { work, ending: 'exit' }),
  async ({ run, output, signals, load }) => {
    const sinceMs = run.event('port')?.atMs ?? null
    const recording = await recordingOf(run, `127.0.0.1:${port}`, token)
    const file = path.join(output, 'diagnosis.loopwatch')
    writeRecording(recording, file)
    await run.stop(STOP_MS)
    return { file, isCut: signals.isOver, ...verdictOf({ recording, load, sinceMs, startMs }) }
  })
  const hint = flags.tool === undefined && tool !== null ? `for a picture, add --tool ${tool}\n` : ''
  process.stdout.write(`\n${text}\nrecording: ${file}\n${hint}`)
  // Ctrl-C, or a supervisor that ends the command: it must not go on with a second run or a page.
  if (isCut) return
  if (flags.tool !== undefined) await profile(flags.tool, command, { ...flags, output: path.dirname(file) })
  if (flags.open) await view(file, { port: 0, open: true })
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
      if (code && !run.event('port')) {
        throw codedErrorFrom(error, 'LOOPWATCH_ERR_START', `it ended with exit code ${code}, see above`)
      }
      if (code !== undefined || run.isOver) {
        const ending = code === undefined ? 'was ended' : `ended with exit code ${code}`
        throw codedErrorFrom(error, 'LOOPWATCH_ERR_NO_REPORT', 'diagnose', `the application ${ending} before its ` +
          'blocks could be read: use a smaller --seconds', '')
      }
      // On a busy machine a short run ends before the agent listens.
      if (performance.now() > lastMs) throw error
      await sleep(POLL_MS)
    }
  }
}
