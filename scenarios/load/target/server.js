'use strict'

const { spawn } = require('node:child_process')

const STDERR_CHARACTERS = 2000
const START_LIMIT_MS = 20_000

/**
 * A server under test: it prints one line of JSON once it listens and ends when its stdin does.
 * @typedef {object} Server
 * @property {{ url: string, agents?: string[], pids?: number[] } & Record<string, any>} ready the line
 * @property {number} pid
 * @property {() => string | null} fault why it is not running any more, null while it is
 * @property {() => Promise<void>} stop
 */

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<Server>}
 */
exports.startServer = (command, args, { env = {} } = {}) => new Promise((resolve, reject) => {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  let stdout = ''
  let stderr = ''
  let isReady = false
  let isStopped = false
  /** @type {string | null} */
  let fault = null
  const exited = new Promise((/** @type {(value: void) => void} */ _resolve) => child.once('close', (code, signal) => {
    fault = isStopped ? null : [`the server ended (${signal ?? `exit code ${code}`})`, stderr.trim()].filter(Boolean).join(': ')
    clearTimeout(timer)
    reject(new Error(fault ?? 'the server was stopped'))
    _resolve()
  }))
  const stop = async () => {
    isStopped = true
    child.kill('SIGKILL')
    await exited
  }
  const timer = setTimeout(() => {
    reject(new Error(`the server did not listen within ${START_LIMIT_MS / 1000} s: ${stderr.trim()}`))
    stop()
  }, START_LIMIT_MS)
  child.once('error', (error) => {
    clearTimeout(timer)
    reject(new Error(`${command} could not be started: ${error.message}`))
  })
  // The child may have ended when we write.
  child.stdin.on('error', () => {})
  child.stderr.setEncoding('utf8').on('data', (text) => { stderr = (stderr + text).slice(-STDERR_CHARACTERS) })
  child.stdout.setEncoding('utf8').on('data', (text) => {
    if (isReady) return
    stdout += text
    const end = stdout.indexOf('\n')
    if (end === -1) return
    isReady = true
    clearTimeout(timer)
    resolve({
      ready: JSON.parse(stdout.slice(0, end)),
      pid: /** @type {number} */ (child.pid),
      fault: () => fault,
      stop
    })
  })
})

/**
 * To be called in a Node.js server: it goes when who started it has gone, however that ended.
 * @param {object} ready
 */
exports.announce = (ready) => {
  process.stdout.write(`${JSON.stringify(ready)}\n`)
  process.stdin.resume().on('end', () => process.exit()).on('error', () => process.exit())
}
