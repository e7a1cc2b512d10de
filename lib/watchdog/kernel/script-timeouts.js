'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { statOf, TASKS } = require('../../util/kernel/file')
const { MS_PER_TICK, NS_PER_MS } = require('../../util/units')

const OWN = '/proc/thread-self'
/** futex(2): threads of libuv's pool and of V8 wait for work in it. */
const FUTEX = /** @type {Record<string, string>} */ ({ x64: '202', arm64: '98', riscv64: '98', loong64: '98' })
/** A thread that ends a script runs for 0.1 ms, then waits. Worker threads need at least 5 ms to start. */
const MOST_RUN_MS = 2
/** A thread counts as new if it may have begun this long before the loop's last beat: ticks are coarse. */
const SLACK_MS = 2 * MS_PER_TICK

/**
 * Finds scripts of node:vm with a `timeout` that may be running. For each, Node.js starts a thread, which ends the
 * script with an exception that cannot be caught. If that exception hits an evaluation of ours on top of
 * the script, the inspector swallows it and the script runs forever: 3 of 100 calls of 40 to 120 ms on Node.js 20, 24,
 * 26. V8 gives no warning, so nothing may be evaluated while such a thread exists. It began after the loop's last
 * beat, because the script blocks the loop; unlike new threads of libuv's pool, it waits for events; it has hardly run.
 * Outside Linux and without /proc it sees nothing. See docs/understand/limits.md.
 */
class ScriptTimeouts {
  /** Threads older than a beat, which need no second check. @type {Set<string>} */
  #oldThreads = new Set()
  #tasks
  #futex
  #beatAtMs
  /** Monotonic time at tick 0. */
  #bootMs

  /**
   * @param {() => number} beatAtMs of the host's last beat @param {number} begunAtMs when this thread was begun
   * @param {{ tasks?: string, own?: string, arch?: string }} [system]
   */
  constructor (beatAtMs, begunAtMs, { tasks = TASKS, own = OWN, arch = process.arch } = {}) {
    this.#beatAtMs = beatAtMs
    this.#tasks = tasks
    this.#futex = FUTEX[arch]
    this.#bootMs = begunAtMs - (startTicks(own) ?? NaN) * MS_PER_TICK
    this.#oldThreads.add(path.basename(attempt(() => fs.realpathSync(own)) ?? own))
  }

  /** Whether an evaluation may meet the end of such a script. */
  get mayEnd () {
    const threads = attempt(() => fs.readdirSync(this.#tasks)) ?? []
    // The kernel reuses thread ids.
    this.#oldThreads = new Set(threads.filter((thread) => this.#oldThreads.has(thread)))
    const sinceMs = this.#beatAtMs() - SLACK_MS
    // filter(), not some(): every old thread has to be remembered.
    return threads.filter((thread) => !this.#oldThreads.has(thread) && this.#isSuspect(thread, sinceMs)).length > 0
  }

  /** @param {string} thread @param {number} sinceMs */
  #isSuspect (thread, sinceMs) {
    const folder = `${this.#tasks}/${thread}`
    const ticks = startTicks(folder)
    if (ticks === null) return false
    if (this.#bootMs + ticks * MS_PER_TICK < sinceMs) {
      this.#oldThreads.add(thread)
      return false
    }
    const [call] = (readOf(`${folder}/syscall`) ?? '').split(' ', 1)
    const [ranNs] = (readOf(`${folder}/schedstat`) ?? '').split(' ', 1)
    return call !== this.#futex && Number(ranNs) / NS_PER_MS < MOST_RUN_MS
  }
}

/** The start of a thread in ticks, null if it has ended. @param {string} folder */
function startTicks (folder) {
  const text = readOf(`${folder}/stat`)
  return text === null ? null : statOf(text).started
}

/** @param {string} file */
const readOf = (file) => attempt(() => fs.readFileSync(file, 'latin1'))

/** @template T @param {() => T} read @returns {T | null} null if there is no such file */
function attempt (read) {
  try {
    return read()
  } catch {
    return null
  }
}

exports.ScriptTimeouts = ScriptTimeouts
