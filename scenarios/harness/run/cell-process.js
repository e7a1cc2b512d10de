'use strict'

const { fork } = require('node:child_process')
const path = require('node:path')

const CELL_MAIN = path.join(__dirname, 'cell-main.js')
const STDERR_CHARACTERS = 2000
const DEFAULT_LIMIT_S = 30
const MS_PER_S = 1000

/**
 * @typedef {object} RunResult
 * @property {number} value
 * @property {Record<string, number>} extra
 * @property {[ms: number, count: number][]} latency
 * @property {{ role: string, cpuSeconds: number | null, peakRssBytes: number | null }[]} process
 * @property {{ buckets: import('../measure/caller-delay').Buckets, blocksMs: number[] } | null} caller
 *
 * @typedef {{ result: RunResult } | { failure: string, isOracle: boolean }} RunOutcome
 */

/** Ends a process and all that it started. @param {import('node:child_process').ChildProcess} child */
function killGroup (child) {
  if (child.pid === undefined) return
  try {
    // The child leads its own process group. Windows has no groups; children there end with their channel.
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/**
 * One run of a cell in a fresh process, in a process group of its own. Never rejects.
 * @param {object} order
 * @param {import('../interface').CellPlan} order.cell
 * @param {string} order.mode
 * @param {number} order.seconds
 * @param {number} order.warmUpSeconds
 * @param {{ threshold: number } | null} order.agent
 * @param {Record<string, unknown>} order.shared
 * @param {(message: any) => void} onMessage what it says while it runs
 * @param {AbortSignal} signal ends it
 * @returns {Promise<RunOutcome>}
 */
exports.runCell = (order, onMessage, signal) => new Promise((resolve) => {
  const { cell, seconds, warmUpSeconds } = order
  const child = fork(CELL_MAIN, [], {
    detached: process.platform !== 'win32',
    execArgv: cell.nodeFlags ?? [],
    env: { ...process.env, ...cell.env, LOOPWATCH_SCENARIO_ORDER: JSON.stringify(order) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc']
  })
  let stderr = ''
  /** @type {RunOutcome | null} */
  let outcome = null
  const withStderr = (/** @type {string} */ message) => [message, stderr.trim()].filter(Boolean).join('\n')
  const fail = (/** @type {string} */ message) => {
    outcome ??= { failure: message, isOracle: false }
    killGroup(child)
  }
  const limitS = warmUpSeconds + seconds + (cell.timeLimitSeconds ?? DEFAULT_LIMIT_S)
  const timer = setTimeout(() => fail(withStderr(`took longer than ${Math.ceil(limitS)} s and was ended`)), limitS * MS_PER_S)
  const onAbort = () => fail('interrupted')
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()

  // Read, or a cell that prints would wait for us.
  child.stdout?.resume()
  child.stderr?.setEncoding('utf8').on('data', (text) => { stderr = (stderr + text).slice(-STDERR_CHARACTERS) })
  child.on('message', (/** @type {any} */ message) => {
    if (message.type === 'result') outcome ??= { result: message }
    else if (message.type === 'failure') outcome ??= { failure: withStderr(message.message), isOracle: message.isOracle }
    else onMessage(message)
  })
  child.on('error', (error) => { outcome ??= { failure: error.message, isOracle: false } })
  child.on('close', (code, killedBy) => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    // Remaining processes would disturb the next cell.
    killGroup(child)
    resolve(outcome ?? { failure: withStderr(`ended (${killedBy ?? `exit code ${code}`}) without a result`), isOracle: false })
  })
})
