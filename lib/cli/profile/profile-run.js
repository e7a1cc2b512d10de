'use strict'

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { IS_WINDOWS, poll, signal, signalGroup } = require('../common/signals')
const { entryPoint } = require('../../tables/entry-points')
const { codedError } = require('../../tables/errors')

/** @import { LoopwatchError } from '../../tables/errors' */

const PRELOAD = entryPoint('profilePreload')
const SCRIPT = /\.[cm]?[jt]sx?$/
const NODE = /^node(js)?(\.exe)?$/
const TAIL_CHARACTERS = 2000
/** Until an application that does not end is killed. The tool's code in it writes its data meanwhile. */
const STOP_MS = 8000

/**
 * @typedef {{ event: 'started', pid: number } | { event: 'port', port: number, host: string, atMs: number } |
 *   { event: 'exit', code: number } | { event: 'failed', reason: string } | { event: 'cluster' | 'written' }} Event
 */

/**
 * @typedef {{ node: string, args: string[] }} Target Node.js, its flags, the script and its arguments
 * @typedef {{ file: string, args: string[], cwd: string, env: Record<string, string> }} Command
 */

/** The application, alone or under a tool, with our preload in it. */
class ProfileRun {
  #events
  #stopFile
  #child
  #tail = ''
  wasKilled = false
  /** @type {Promise<string | null>} how the child ended; null = exit code 0 */
  closed

  /**
   * @param {Command} command @param {object} setup
   * @param {string} setup.work folder for the events and what else is gone after the run
   * @param {'beforeExit' | 'exit'} setup.ending event with which stop() ends the application
   * @param {string | null} [setup.cpuProfile] file into which the application profiles itself
   */
  constructor ({ file, args, cwd, env }, { work, ending, cpuProfile = null }) {
    this.#events = path.join(work, 'events')
    this.#stopFile = cpuProfile === null ? null : path.join(work, 'stop')
    const setup = { events: this.#events, ending, cpu: cpuProfile && { file: cpuProfile, stop: this.#stopFile } }
    this.#child = spawn(file, args, {
      cwd,
      env: { ...process.env, ...env, __LOOPWATCH_PROFILE_RUN: JSON.stringify(setup) },
      stdio: ['inherit', 'pipe', 'pipe'],
      // Only we receive Ctrl-C: an application that ends at once would leave no report.
      detached: !IS_WINDOWS
    })
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      this.#child[name].on('data', (data) => {
        this.#tail = (this.#tail + data).slice(-TAIL_CHARACTERS)
        process[name].write(data)
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

  /** @template {Event['event']} E @param {E} name @returns {Extract<Event, { event: E }> | undefined} */
  event (name) {
    if (!fs.existsSync(this.#events)) return undefined
    // The last line may be half written.
    const lines = fs.readFileSync(this.#events, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line)).find(({ event }) => event === name)
  }

  /** @template {Event['event']} E @param {E} name @param {number} ms @param {() => boolean} [isOver] to end early */
  async waitFor (name, ms, isOver = () => false) {
    await poll(() => {
      // In this order: an ended process has written all its events.
      const wasOver = this.isOver
      return this.event(name) !== undefined || wasOver || isOver()
    }, ms)
    return this.event(name)
  }

  get isOver () {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Kills the application after `ms`. The tool goes on with its report. @param {number} [ms] */
  async stop (ms = STOP_MS) {
    const pid = this.event('started')?.pid
    if (pid === undefined || !signal(pid, 0)) return
    if (this.#stopFile !== null) {
      fs.writeFileSync(this.#stopFile, '')
      await Promise.race([this.waitFor('written', STOP_MS * 3), this.closed])
      signal(pid, 'SIGTERM')
    } else {
      signal(pid, IS_WINDOWS ? 'SIGINT' : 'SIGURG')
    }
    if (await poll(() => !signal(pid, 0), ms)) return
    this.wasKilled = true
    signal(pid, 'SIGKILL')
  }

  kill () {
    signalGroup(this.#child, 'SIGKILL')
  }
}

/**
 * Starts the application itself, with our preload and others.
 * @param {Target} target @param {{ preloads?: string[], env?: Record<string, string> }} [extra] @returns {Command}
 */
exports.applicationCommand = ({ node, args }, { preloads = [], env = {} } = {}) => ({
  file: node, args: [...[PRELOAD, ...preloads].flatMap((file) => ['--require', file]), ...args], cwd: process.cwd(), env
})

/** @param {string[]} command `node [flags] app.js [args]`, or a script @returns {Target} @throws {LoopwatchError} */
exports.parseTarget = (command) => {
  const [first = '', ...rest] = command
  const isNode = NODE.test(path.basename(first)) && rest.length > 0
  if (!isNode && !SCRIPT.test(first)) throw codedError('LOOPWATCH_ERR_TARGET', command.join(' '))
  const [script, ...args] = isNode ? rest : command
  // A missing script would be profiled as one that does nothing.
  if (!script.startsWith('-') && !['', '.js', '.json', '.node'].some((ending) => fs.existsSync(script + ending))) {
    throw codedError('LOOPWATCH_ERR_START', `there is no file ${path.resolve(script)}`)
  }
  return {
    // Our Node.js, unless the command names one by its path.
    node: isNode && first !== path.basename(first) ? path.resolve(first) : process.execPath,
    // clinic takes the script's folder for the application's.
    args: [fs.existsSync(script) ? path.resolve(script) : script, ...args]
  }
}

exports.PRELOAD = PRELOAD
exports.ProfileRun = ProfileRun
