'use strict'

const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const { codedError } = require('../../tables/errors')
const { IS_WINDOWS } = require('../common/signals')
const { PRELOAD } = require('./profile-run')

/** @import { Command, Target } from './profile-run' */

/** The first executable on the PATH. @param {string[]} names @param {NodeJS.ProcessEnv} [env] */
exports.findTool = (names, env = process.env) => {
  const folders = (env.PATH ?? env.Path ?? '').split(path.delimiter).filter(Boolean)
  const files = names.flatMap((name) => folders.map((folder) => path.join(folder, IS_WINDOWS ? `${name}.exe` : name)))
  return files.find((file) => {
    try {
      fs.accessSync(file, fs.constants.X_OK)
      return fs.statSync(file).isFile()
    } catch {
      return false
    }
  }) ?? null
}

/**
 * A package's script: the application's own, else the one next to loopwatch, else the one on the PATH.
 * @param {'clinic' | '0x'} name @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [from]
 */
exports.findProfiler = (name, { cwd = process.cwd(), env = process.env } = {}) => {
  for (const base of [path.join(cwd, 'package.json'), __filename]) {
    try {
      const manifest = createRequire(base).resolve(`${name}/package.json`)
      const { bin } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
      return path.join(path.dirname(manifest), typeof bin === 'string' ? bin : bin[name])
    } catch {
      // The package is not there: try the next place.
    }
  }
  const onPath = exports.findTool([name], env)
  if (onPath === null) throw codedError('LOOPWATCH_ERR_PROFILER', name)
  // npm links the command to its script. Any node can run that.
  return fs.realpathSync(onPath)
}

const MOST_EMPTY_REPORT_BYTES = 10000

/**
 * @typedef {object} Profiler
 * @property {'clinic' | '0x' | null} needs package; null = the application profiles itself
 * @property {'beforeExit' | 'exit'} ending event at which the tool's code in the application writes its data
 * @property {boolean} [outlivesKill] a killed application leaves enough data for a report
 * @property {RegExp[]} data names of the files a report is made of
 */

/** Tools by the name that users type. @type {Record<string, Profiler>} */
const profilers = {
  doctor: { needs: 'clinic', ending: 'beforeExit', data: [/-processstat$/, /-traceevent$/] },
  flame: { needs: 'clinic', ending: 'exit', outlivesKill: true, data: [/-samples$/] },
  bubbleprof: { needs: 'clinic', ending: 'beforeExit', data: [/-stacktrace$/, /-traceevent$/] },
  heapprofiler: { needs: 'clinic', ending: 'beforeExit', data: [/\.clinic-heapprofiler$/] },
  '0x': { needs: '0x', ending: 'exit', outlivesKill: true, data: [/^ticks\.json$/] },
  cpu: { needs: null, ending: 'exit', data: [/\.cpuprofile$/] }
}

/**
 * Starts a tool, which starts the application.
 * @param {string} name @param {string} script of the tool @param {Target} target
 * @param {{ output: string, work: string }} folders output: of the report and its data; work: the tool's working one
 * @returns {Command}
 */
exports.toolCommand = (name, script, target, { output, work }) => {
  const flags = name === '0x'
    ? [`--output-dir=${path.join(output, '0x')}`, `--working-dir=${work}`, '--write-ticks']
    : [name, '--open=false', `--dest=${output}`]
  return {
    file: process.execPath,
    args: [script, ...flags, '--', writeNodeShim(target.node, work), ...target.args],
    cwd: IS_WINDOWS ? process.cwd() : work,
    // clinic asks whether it may send statistics, and does nothing if nobody can answer.
    env: { NO_INSIGHT: '1', NO_UPDATE_NOTIFIER: '1' }
  }
}

/** For a POSIX shell. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Writes a `node` for the tools to start. The application runs in our folder, and the tool in its own, where it finds
 * the logs that V8 and Node.js write for it. 0x deletes whatever looks like one.
 * @param {string} node @param {string} work
 */
function writeNodeShim (node, work) {
  // On Windows, a script is not executable: the tool shares the application's folder.
  if (IS_WINDOWS) return node
  const file = path.join(work, 'bin', 'node')
  fs.mkdirSync(path.dirname(file))
  fs.writeFileSync(file, `#!/bin/sh
for arg do
  shift
  case $arg in
    --prof-process) exec ${quoted(node)} "$arg" "$@" ;;
    --logfile=./*) arg=--logfile=${quoted(work)}/\${arg#--logfile=./} ;;
  esac
  set -- "$@" "$arg"
done
cd ${quoted(process.cwd())} || exit 1
traces=${quoted(`${work}/node_trace.\${rotation}.log`)}
exec ${quoted(node)} --trace-event-file-pattern="$traces" --require ${quoted(PRELOAD)} "$@"
`, { mode: 0o755 })
  return file
}

/**
 * The report's file, or why there is none.
 * @param {Profiler} profiler @param {string} output
 * @returns {{ file: string, fault: null } | { file: null, fault: string }}
 */
exports.reportOf = ({ data }, output) => {
  const files = fs.readdirSync(output, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, path: before, name }) => ({ name, file: path.join(parentPath ?? before, name) }))
  const failed = (/** @type {string} */ fault) => ({ file: null, fault })
  for (const pattern of data) {
    const written = files.find(({ name }) => pattern.test(name))
    if (written === undefined) return failed('the tool wrote no data')
    // An empty list or object means no data.
    if (fs.statSync(written.file).size <= 2) return failed(`its data is empty (${written.name})`)
  }
  const report = files.find(({ name }) => name.endsWith('.html'))
  if (report === undefined) return failed('the tool made no report from its data')
  const { size } = fs.statSync(report.file)
  return size > MOST_EMPTY_REPORT_BYTES ? { file: report.file, fault: null } : failed(`its report has ${size} bytes`)
}

exports.profilers = profilers
