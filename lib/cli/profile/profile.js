'use strict'

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { codedError } = require('../../tables/errors')
const { makeOutputFolder, openFile } = require('../common/output')
const { findProfiler, profilers, reportOf, toolCommand } = require('./profilers')
const { applyLoad, loadInWords } = require('./load')
const { ProfileRun, applicationCommand, parseTarget } = require('./profile-run')
const { IS_WINDOWS, signalGroup, watchSignals } = require('../common/signals')
const { MS_PER_S } = require('../../util/units')
const { CPU_PROFILE, writeCpuReport } = require('./cpu-report')

/** @import { Load } from './load' */

/** How long the application may take until it listens. */
const READY_MS = 60000

/** If the tool has not started the application by then, it never will. */
const START_MS = 30000

/**
 * @typedef {{ output: string, seconds?: number, onPort?: boolean | string, deadline: number, open: boolean }} Flags
 *   onPort: true = load on /, /path = load on that, else a command; deadline: seconds that the tool has for its report
 * @typedef {ReturnType<typeof watchSignals>} Signals
 * @typedef {{ run: ProfileRun, output: string, signals: Signals, load: Load | null }} Session output: folder
 */

/** @param {string} name @param {string[]} command @param {Flags} flags */
exports.profile = async (name, command, flags) => {
  if (!Object.hasOwn(profilers, name)) {
    throw codedError('LOOPWATCH_ERR_OPTION', '<tool>', `one of ${Object.keys(profilers).join(', ')}`, name)
  }
  const { needs, ending } = profilers[name]
  const target = parseTarget(command)
  const script = needs === null ? null : findProfiler(needs)
  const file = await exports.runUnderLoad(name, flags, (output, work) => script === null
    ? new ProfileRun(applicationCommand(target), { work, ending, cpuProfile: path.join(output, CPU_PROFILE) })
    : new ProfileRun(toolCommand(name, script, target, { output, work }), { work, ending }),
  async ({ run, output, signals }) => {
    const endedByItself = run.event('exit') !== undefined && !signals.isOver
    if (signals.isOver) {
      process.stderr.write(`\nending the application; ${name} is writing its report (Ctrl-C again to give up)\n`)
    }
    await run.stop()
    const ending = await endingOf(run, name, flags.deadline)
    refuseCluster(run, name)
    if (script === null) writeCpuReport(output, [path.basename(target.node), ...target.args].join(' '))
    const report = checkedReport(run, name, output, ending)
    if (endedByItself) process.exitCode = run.event('exit')?.code
    return report
  })
  process.stdout.write(`\nreport: ${file}\n`)
  if (flags.open) openFile(file)
}

/**
 * Starts a run, waits until its load or time ends, and calls `finish` while it may still be running.
 * @template T @param {string} name @param {Flags} flags @param {(output: string, work: string) => ProfileRun} start
 * @param {(session: Session) => Promise<T>} finish @returns {Promise<T>}
 */
exports.runUnderLoad = async (name, flags, start, finish) => {
  // A folder of its own: nothing is ever overwritten.
  const stamp = new Date().toISOString().replace(/[-:]/g, '').replace(/\..*/, '')
  const output = path.resolve(flags.output, `${name}-${stamp}-${process.pid}`)
  makeOutputFolder('--output', output)
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-profile-'))
  const run = start(output, work)
  const signals = watchSignals(() => run.kill())
  try {
    const load = await observe(run, name, flags, signals)
    refuseCluster(run, name)
    return await finish({ run, output, signals, load })
  } catch (error) {
    // Collected data stays: somebody may use it.
    const isUseless = error.code === 'LOOPWATCH_ERR_CLUSTER' || fs.readdirSync(output).length === 0
    if (isUseless) fs.rmSync(output, { recursive: true, force: true })
    throw error
  } finally {
    run.kill()
    signals.release()
    fs.rmSync(work, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** @param {ProfileRun} run @param {string} name */
function refuseCluster (run, name) {
  if (run.event('cluster')) throw codedError('LOOPWATCH_ERR_CLUSTER', name)
}

/**
 * Waits until the application ends, the time or the load ends, or a signal comes. Returns what our load measured.
 * @param {ProfileRun} run @param {string} name @param {Pick<Flags, 'seconds' | 'onPort'>} flags
 * @param {Signals} signals
 */
async function observe (run, name, { seconds, onPort }, signals) {
  const isOver = () => signals.isOver
  // A signal does not end this wait: an application that has not started cannot be ended, and would run on.
  await Promise.race([run.waitFor('started', START_MS), run.closed])
  if (!run.event('started')) {
    if (run.isOver || signals.isOver) return null
    throw codedError('LOOPWATCH_ERR_NO_REPORT', name, 'it did not start the application within ' +
      `${START_MS / MS_PER_S} s`,
    run.tail)
  }
  const over = [
    run.closed, signals.first,
    run.waitFor('exit', Infinity, isOver), run.waitFor('cluster', Infinity, isOver)
  ]
  if (!onPort) {
    await Promise.race([...over, ...(seconds === undefined ? [] : [signals.sleep(seconds * MS_PER_S)])])
    return null
  }
  return Promise.race([load(run, onPort, seconds, signals), ...over.map((each) => each.then(() => null))])
}

/**
 * @param {ProfileRun} run @param {true | string} onPort @param {number | undefined} seconds @param {Signals} signals
 */
async function load (run, onPort, seconds, signals) {
  const listening = await run.waitFor('port', READY_MS, () => signals.isOver)
  if (listening === undefined) {
    if (!run.isOver && !signals.isOver) {
      process.stderr.write(
        `the application did not listen on a port within ${READY_MS / MS_PER_S} s, so there was no load\n`
      )
    }
    return null
  }
  const { port } = listening
  if (onPort === true || onPort.startsWith('/')) {
    const url = `http://localhost:${port}${onPort === true ? '/' : onPort}`
    const result = await applyLoad(url, (seconds ?? 10) * MS_PER_S, () => signals.isOver)
    process.stderr.write(`load on ${url}: ${loadInWords(result)}\n`)
    return result
  }
  // Its own process group: the shell's children may outlive it.
  const child = spawn(onPort, {
    shell: true,
    detached: !IS_WINDOWS,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PORT: String(port) }
  })
  const ended = new Promise((resolve) => child.once('error', resolve).once('close', resolve))
  const end = () => signalGroup(child, 'SIGTERM')
  const timer = seconds === undefined ? undefined : setTimeout(end, seconds * MS_PER_S)
  await Promise.race([ended, signals.first, run.closed])
  end()
  clearTimeout(timer)
  return null
}

/** @param {ProfileRun} run @param {string} name @param {number} deadlineS @returns how it ended */
async function endingOf (run, name, deadlineS) {
  const ending = await Promise.race([run.closed, sleep(deadlineS * MS_PER_S, undefined, { ref: false })])
  if (ending !== undefined) return ending
  throw codedError('LOOPWATCH_ERR_NO_REPORT', name, `it did not end within ${deadlineS} s (--deadline)`, run.tail)
}

/** @param {ProfileRun} run @param {string} name @param {string} output @param {string | null} ending of the tool */
function checkedReport (run, name, output, ending) {
  const { needs, outlivesKill = false } = profilers[name]
  const { file, fault } = reportOf(profilers[name], output)
  const code = run.event('exit')?.code
  if (file !== null) {
    if (code) process.stderr.write(`the application ended with exit code ${code}\n`)
    return file
  }
  const reasons = [
    fault,
    run.event('failed')?.reason,
    ending !== null && needs !== null && `it ended with ${ending}`,
    run.wasKilled && 'the application was stuck and had to be killed' +
      (outlivesKill ? '' : "; 'loopwatch profile cpu' can profile a loop that is stuck"),
    !run.wasKilled && code !== undefined &&
      `the application ended with exit code ${code}, perhaps before there was anything to profile`,
    !run.event('started') && ending !== null && 'the application was not started'
  ]
  throw codedError('LOOPWATCH_ERR_NO_REPORT', name, reasons.filter(Boolean).join('; '), run.tail)
}
