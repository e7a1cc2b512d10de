'use strict'

const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const { codedError } = require('../../tables/errors')
const { findTool } = require('../common/tool')

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
      // It is not there: try the next place.
    }
  }
  const onPath = findTool([name], env)
  if (onPath === null) throw codedError('LOOPWATCH_ERR_PROFILER', name)
  // npm links the command to its script. Any node can run that.
  return fs.realpathSync(onPath)
}

const MOST_EMPTY_REPORT_BYTES = 10000

/**
 * @typedef {{ output: string, work: string, node: string, args: string[] }} Run output: absolute folder of the report
 *   and its data; work: the tool's working directory; node: see node-shim.js; args: of the application's node
 * @typedef {object} Profiler
 * @property {'clinic' | '0x' | null} needs package; null = nothing
 * @property {(run: Run) => string[]} args of the tool
 * @property {'beforeExit' | 'exit'} ending event at which the tool's code in the application writes its data
 * @property {boolean} outlivesKill a killed application leaves enough data for a report
 * @property {(output: string) => string | null} fault why the report is worth nothing
 */

/** @param {string} tool @returns {(run: Run) => string[]} */
const clinic = (tool) => ({ output, node, args }) => [tool, '--open=false', `--dest=${output}`, '--', node, ...args]

/** By the name that users type. @type {Record<string, Profiler>} */
const profilers = {
  doctor: {
    needs: 'clinic',
    args: clinic('doctor'),
    ending: 'beforeExit',
    outlivesKill: false,
    fault: (output) => emptyFile(output, /-processstat$/) ?? emptyFile(output, /-traceevent$/)
  },
  flame: {
    needs: 'clinic',
    args: clinic('flame'),
    ending: 'exit',
    outlivesKill: true,
    fault: (output) => emptyFile(output, /-samples$/)
  },
  bubbleprof: {
    needs: 'clinic',
    args: clinic('bubbleprof'),
    ending: 'beforeExit',
    outlivesKill: false,
    fault: (output) => emptyFile(output, /-stacktrace$/) ?? emptyFile(output, /-traceevent$/)
  },
  heapprofiler: {
    needs: 'clinic',
    args: clinic('heapprofiler'),
    ending: 'beforeExit',
    outlivesKill: false,
    fault: (output) => emptyFile(output, /\.clinic-heapprofiler$/)
  },
  '0x': {
    needs: '0x',
    args: ({ output, work, node, args }) => [
      `--output-dir=${path.join(output, '0x')}`, `--working-dir=${work}`, '--write-ticks',
      '--', node, ...args
    ],
    ending: 'exit',
    outlivesKill: true,
    fault: (output) => emptyFile(output, /^ticks\.json$/)
  },
  cpu: {
    needs: null,
    args: ({ args }) => args,
    ending: 'exit',
    outlivesKill: false,
    fault: (output) => emptyFile(output, /\.cpuprofile$/)
  }
}

/** @param {string} output @param {RegExp} name of the data a report is made of */
function emptyFile (output, name) {
  const file = filesIn(output).find((each) => name.test(path.basename(each)))
  if (file === undefined) return 'the tool wrote no data'
  // An empty list or object means no data.
  return fs.statSync(file).size <= 2 ? `its data is empty (${path.basename(file)})` : null
}

/**
 * @param {Profiler} profiler @param {string} output
 * @returns {{ file: string, fault: null } | { file: null, fault: string }}
 */
function reportOf ({ fault }, output) {
  const empty = fault(output)
  if (empty !== null) return { file: null, fault: empty }
  const file = filesIn(output).find((each) => each.endsWith('.html'))
  if (file === undefined) return { file: null, fault: 'the tool made no report from its data' }
  const { size } = fs.statSync(file)
  return size > MOST_EMPTY_REPORT_BYTES ? { file, fault: null } : { file: null, fault: `its report has ${size} bytes` }
}

/** @param {string} folder */
function filesIn (folder) {
  return fs.readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
}

exports.profilers = profilers
exports.reportOf = reportOf
