'use strict'

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { IS_WINDOWS, POLL_MS, STOP_MS, signal, signalGroup } = require('../common/signals')
const { TAIL_CHARACTERS } = require('../common/tool')
const { entryPoint } = require('../../tables/entry-points')
const { codedError } = require('../../tables/errors')

/** @import { Profiler } from './profilers' */

const PRELOAD = entryPoint('profilePreload')
const SCRIPT = /\.[cm]?[jt]sx?$/
const NODE = /^node(js)?(\.exe)?$/

/**
 * @typedef {{ event: 'started', pid: number } | { event: 'port', port: number, host: string, atMs: number } |
 *   { event: 'exit', code: number } | { event: 'failed', reason: string } | { event: 'cluster' | 'written' }} Event
 */

class ProfileRun {
  #profiler
  #files
  #child
  #tail = ''
  wasKilled = false
  /** @type {Promise<string | null>} how the tool ended; null = exit code 0 */
  closed

  /**
   * @param {{ profiler: Profiler, script: string | null, cwd: string, output: string,
   *   work: string, target: { node: string, args: string[] },
   *   agent?: { register: string, env: Record<string, string> } }} setup
   *   script: of the tool, null = the application profiles itself; output: folder of the report; work: the tool's own;
   *   agent: preload of the agent that the application runs under, instead of a tool
   */
  constructor ({ profiler, script, target, cwd, output, work, agent }) {
    this.#profiler = profiler
    this.#files = { events: path.join(work, 'events'), stop: path.join(work, 'stop') }
    const setup = {
      events: this.#files.events,
      ending: profiler.ending,
      cpu: cpuSetup(script === null && agent === undefined, output, this.#files.stop)
    }
    const [file, args] = commandOf({ profiler, script, target, cwd, output, work, agent })
    this.#child = spawn(file, args, {
      cwd: script === null || IS_WINDOWS ? cwd : work,
      // clinic asks whether it may send statistics, and does nothing if nobody can answer.
      env: {
        ...process.env,
        ...agent?.env,
        NO_INSIGHT: '1',
        NO_UPDATE_NOTIFIER: '1',
        __LOOPWATCH_PROFILE_RUN: JSON.stringify(setup)
      },
      stdio: ['inherit', 'pipe', 'pipe'],
      // Only we receive Ctrl-C: an application that ends at once would leave no report.
      detached: !IS_WINDOWS
    })
    for (const [stream, ours] of /** @type {const} */ ([
      [this.#child.stdout, process.stdout],
      [this.#child.stderr, process.stderr]
    ])) {
      stream.on('data', (data) => {
        this.#tail = (this.#tail + data).slice(-TAIL_CHARACTERS)
        ours.write(data)
      })
    }
    this.closed = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message))
      this.#child.once('close', (code, signal) => resolve(code === 0 ? null : signal ?? `exit code ${code}`))
    })
  }

  get tail () {
    return this.#tail.trim()
  }

  /** @returns {Event[]} */
  get #events () {
    if (!fs.existsSync(this.#files.events)) return []
    // The last line may be half written.
    return fs.readFileSync(this.#files.events, 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line))
  }

  /** @template {Event['event']} E @param {E} name */
  event (name) {
    return /** @type {Extract<Event, { event: E }> | undefined} */ (this.#events.find(({ event }) => event === name))
  }

  /** @template {Event['event']} E @param {E} name @param {number} ms @param {() => boolean} [isOver] to end early */
  async waitFor (name, ms, isOver = () => false) {
    const end = performance.now() + ms
    for (;;) {
      // In this order: an ended process has written all its events.
      const wasOver = this.isOver
      const event = this.event(name)
      if (event !== undefined || wasOver || performance.now() > end || isOver()) return event
      await sleep(POLL_MS)
    }
  }

  get isOver () {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Kills the application after `ms`. The tool goes on with its report. @param {number} [ms] */
  async stop (ms = STOP_MS) {
    const pid = this.event('started')?.pid
    if (pid === undefined || !isAlive(pid)) return
    if (this.#profiler.needs === null) {
      fs.writeFileSync(this.#files.stop, '')
      await Promise.race([this.waitFor('written', STOP_MS * 3), this.closed])
      signal(pid, 'SIGTERM')
    } else {
      signal(pid, IS_WINDOWS ? 'SIGINT' : 'SIGURG')
    }
    const end = performance.now() + ms
    while (isAlive(pid) && performance.now() < end) await sleep(POLL_MS)
    if (!isAlive(pid)) return
    this.wasKilled = true
    signal(pid, 'SIGKILL')
  }

  kill () {
    signalGroup(this.#child, 'SIGKILL')
  }
}

/** @param {number} pid */
function isAlive (pid) {
  return signal(pid, 0)
}

/** @param {boolean} isOwn the application profiles itself @param {string} output @param {string} stop */
function cpuSetup (isOwn, output, stop) {
  return isOwn ? { file: path.join(output, 'profile.cpuprofile'), stop } : null
}

/** @param {ConstructorParameters<typeof ProfileRun>[0]} setup @returns {[file: string, args: string[]]} */
function commandOf ({ profiler, script, target, cwd, output, work, agent }) {
  if (script === null) {
    const register = agent === undefined ? [] : ['--require', agent.register]
    return [target.node, ['--require', PRELOAD, ...register, ...target.args]]
  }
  const node = writeNodeShim({ work, cwd, node: target.node })
  return [process.execPath, [script, ...profiler.args({ output, work, node, args: target.args })]]
}

/** For a POSIX shell. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Writes a `node` for the tools to start. It runs the application in the application's folder (cwd). The tool runs in
 * its own folder (work), and finds there the logs that V8 and Node.js write for it. 0x deletes whatever looks like one.
 * @param {{ work: string, cwd: string, node: string }} setup
 */
const writeNodeShim = ({ work, cwd, node }) => {
  // On Windows, a script is not executable: the tool shares the application's folder.
  if (process.platform === 'win32') return node
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
cd ${quoted(cwd)} || exit 1
traces=${quoted(`${work}/node_trace.\${rotation}.log`)}
exec ${quoted(node)} --trace-event-file-pattern="$traces" --require ${quoted(PRELOAD)} "$@"
`, { mode: 0o755 })
  return file
}

/** @param {string[]} command `node [flags] app.js [args]`, or a script @throws a LoopwatchError */
exports.parseTarget = (command) => {
  const [first, ...rest] = command
  if (first === undefined) throw codedError('LOOPWATCH_ERR_TARGET', '')
  if (NODE.test(path.basename(first)) && rest.length > 0) {
    checkScript(rest[0])
    // Our Node.js, unless the command names one by its path.
    return { node: first === path.basename(first) ? process.execPath : path.resolve(first), args: withWholePath(rest) }
  }
  if (!SCRIPT.test(first)) throw codedError('LOOPWATCH_ERR_TARGET', command.join(' '))
  checkScript(first)
  return { node: process.execPath, args: withWholePath(command) }
}

/** A missing script would be profiled as one that does nothing. @param {string} script or a flag */
function checkScript (script) {
  if (script.startsWith('-') || ['', '.js', '.json', '.node'].some((ending) => fs.existsSync(script + ending))) return
  throw codedError('LOOPWATCH_ERR_START', `there is no file ${path.resolve(script)}`)
}

/** clinic takes the script's folder for the application's. @param {string[]} args */
function withWholePath ([first, ...rest]) {
  return [fs.existsSync(first) ? path.resolve(first) : first, ...rest]
}

exports.ProfileRun = ProfileRun
