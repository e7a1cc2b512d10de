'use strict'

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { codedError, codedErrorFrom } = require('../../tables/errors')
const { makeFolder } = require('../../util/files')
const { openFile } = require('../common/output')
const { findProfiler, profilers, reportOf } = require('./profilers')
const { applyLoad, loadInWords } = require('./load')
const { ProfileRun, parseTarget } = require('./profile-run')
const { READY_MS } = require('../common/tool')
const { IS_WINDOWS, signalGroup, watchSignals } = require('../common/signals')
const { MS_PER_S } = require('../../util/units')
const { htmlReport, htmlTable } = require('../common/html-report')
const { cpuTree } = require('./cpu-tree')

const HOT = 25

/** If the tool has not started the application by then, it never will. */
const START_MS = 30000

/**
 * @typedef {{ output: string, seconds?: number, onPort?: boolean | string, deadline: number, open: boolean }} Flags
 *   onPort: true = load on /, /path = load on that, else a command; deadline: seconds that the tool has for its report
 */

/** @param {string} name @param {string[]} command @param {Flags} flags */
exports.profile = async (name, command, flags) => {
  const file = await makeReport(name, command, flags)
  process.stdout.write(`\nreport: ${file}\n`)
  if (flags.open) openFile(file)
}

/** The report's file. @param {string} name @param {string[]} command @param {Flags} flags */
async function makeReport (name, command, flags) {
  if (!Object.hasOwn(profilers, name)) {
    throw codedError('LOOPWATCH_ERR_OPTION', 'profile', Object.keys(profilers).join(', '), name)
  }
  const profiler = profilers[name]
  const target = parseTarget(command)
  const script = profiler.needs === null ? null : findProfiler(profiler.needs)
  const output = makeOutput(flags.output, name)
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-profile-'))
  const run = new ProfileRun({ profiler, script, target, cwd: process.cwd(), output, work })
  const signals = watchSignals(() => run.kill())
  try {
    await observe(run, name, flags, signals)
    // Fail before the tool makes a report.
    if (run.event('cluster')) throw codedError('LOOPWATCH_ERR_CLUSTER', name)
    const endedByItself = run.event('exit') !== undefined && !signals.isOver
    if (signals.isOver) {
      process.stderr.write(`\nending the application; ${name} is writing its report (Ctrl-C again to give up)\n`)
    }
    await run.stop()
    const how = await closedWithin(run, name, flags.deadline)
    if (run.event('cluster')) throw codedError('LOOPWATCH_ERR_CLUSTER', name)
    if (script === null) writeCpuReport(output, [path.basename(target.node), ...target.args].join(' '))
    const file = checked(run, name, output, how)
    if (endedByItself) process.exitCode = run.event('exit')?.code
    return file
  } catch (error) {
    run.kill()
    dropUseless(output, error)
    throw error
  } finally {
    signals.stop()
    signals.release()
    fs.rmSync(work, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Nothing is ever overwritten. @param {string} folder @param {string} name */
function makeOutput (folder, name) {
  const stamp = new Date().toISOString().replace(/[-:]/g, '').replace(/\..*/, '')
  const output = path.resolve(folder, `${name}-${stamp}-${process.pid}`)
  try {
    makeFolder(output)
    return output
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_OUTPUT', '--output', folder, error.message)
  }
}

/** Collected data stays: somebody may use it. @param {string} output @param {{ code?: string }} error */
function dropUseless (output, { code }) {
  const isUseless = code === 'LOOPWATCH_ERR_CLUSTER' || fs.readdirSync(output).length === 0
  if (isUseless) fs.rmSync(output, { recursive: true, force: true })
}

/**
 * Waits until the application ends, the time or the load is over, or a signal comes. Returns what our load measured.
 * @param {ProfileRun} run @param {string} name @param {Pick<Flags, 'seconds' | 'onPort'>} flags
 * @param {ReturnType<typeof watchSignals>} signals
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
    await Promise.race([...over, ...(seconds === undefined ? [] : [signals.sleep(seconds * MS_PER_S).catch(() => {})])])
    return null
  }
  return Promise.race([load(run, onPort, seconds, signals), ...over.map((each) => each.then(() => null))])
}

/**
 * @param {ProfileRun} run @param {true | string} onPort @param {number | undefined} seconds
 * @param {ReturnType<typeof watchSignals>} signals
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

/** @param {ProfileRun} run @param {string} name @param {number} deadlineS @returns {Promise<string | null>} its end */
async function closedWithin (run, name, deadlineS) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const late = new Promise((resolve) => { timer = setTimeout(resolve, deadlineS * MS_PER_S, 'late') })
  const how = await Promise.race([run.closed, late])
  clearTimeout(timer)
  if (how === 'late') {
    throw codedError('LOOPWATCH_ERR_NO_REPORT', name, `it did not end within ${deadlineS} s (--deadline)`, run.tail)
  }
  return how
}

/** @param {ProfileRun} run @param {string} name @param {string} output @param {string | null} how it ended */
function checked (run, name, output, how) {
  const { file, fault } = reportOf(profilers[name], output)
  const code = run.event('exit')?.code
  if (file !== null) {
    if (code) process.stderr.write(`the application ended with exit code ${code}\n`)
    return file
  }
  const reasons = [
    fault,
    run.event('failed')?.reason,
    how !== null && profilers[name].needs !== null && `it ended with ${how}`,
    run.wasKilled &&
      'the application was stuck and had to be ' +
        `killed${profilers[name].outlivesKill ? '' : "; 'loopwatch profile cpu' can profile a loop that is stuck"}`,
    !run.wasKilled && code !== undefined &&
      `the application ended with exit code ${code}, perhaps before there was anything to profile`,
    !run.event('started') && how !== null && 'the application was not started'
  ]
  throw codedError('LOOPWATCH_ERR_NO_REPORT', name, reasons.filter(Boolean).join('; '), run.tail)
}

/** profile.html of profile.cpuprofile, if there is one. @param {string} output folder @param {string} command */
const writeCpuReport = (output, command) => {
  const file = path.join(output, 'profile.cpuprofile')
  if (!fs.existsSync(file)) return
  const { tree, hot, durationMs } = cpuTree(JSON.parse(fs.readFileSync(file, 'utf8')))
  const rows = hot.slice(0, HOT).map(({ name, place, selfMs }) =>
    [
      { figure: `${selfMs.toFixed(0)} ms` }, { figure: `${(selfMs / Math.max(tree.value, 1) * 100).toFixed(1)}%` },
      name, place
    ])
  fs.writeFileSync(path.join(output, 'profile.html'), htmlReport({
    title: `CPU profile of ${command}`,
    summary: `${(durationMs / MS_PER_S).toFixed(1)} s, of which the main thread worked ` +
      `${(tree.value / MS_PER_S).toFixed(1)} s; node ${process.versions.node}; profile.cpuprofile opens in Chrome ` +
        'DevTools and VS Code',
    flameTitle: 'Where the time went (lines are where functions begin)',
    tree,
    tail: '<section><h2>Functions by their own ' +
      `time</h2>${htmlTable(['own time', 'share', 'function', 'begins at'], rows)}</section>`
  }))
}

exports.dropUseless = dropUseless
exports.makeOutput = makeOutput
exports.observe = observe
