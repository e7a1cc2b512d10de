'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')

const MAIN = path.join(__dirname, 'driver-main.js')
/** Sockets in addition to those of users: pipes, modules, the probe. */
const RESERVE = 64

/** The open files a process may have, Infinity where the system does not say. */
function fileLimit () {
  try {
    // Node.js raises its soft limit to the hard one.
    const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return hard === undefined || hard === 'unlimited' ? Infinity : Number(hard)
  } catch {
    return Infinity
  }
}

/**
 * Throws where so many users cannot be had.
 * @param {number} users
 * @param {number} [limit]
 */
function checkFileHandles (users, limit = fileLimit()) {
  if (users + RESERVE > limit) throw new Error(`${users} users need ${users + RESERVE} file handles and ${limit} are allowed: raise it with "ulimit -Hn ${users + RESERVE}", or ask for fewer users`)
}

/** The built-in driver in a process of its own, which may be given one load after the other. */
class Driver {
  #child
  #onProgress

  /** @param {import('node:child_process').ChildProcess} child @param {(requests: number) => void} onProgress */
  constructor (child, onProgress) {
    this.#child = child
    this.#onProgress = onProgress
  }

  get pid () {
    return /** @type {number} */ (this.#child.pid)
  }

  /**
   * @param {import('./interface').LoadOrder} order
   * @returns {Promise<import('./interface').LoadResult>}
   */
  async run (order) {
    checkFileHandles(order.users)
    const child = this.#child
    return new Promise((resolve, reject) => {
      const settle = (/** @type {() => void} */ how) => {
        child.off('message', onMessage)
        child.off('exit', onExit)
        how()
      }
      const onExit = (/** @type {unknown} */ code, /** @type {unknown} */ signal) => settle(() => reject(new Error(`the load driver ended (${signal ?? `exit code ${code}`})`)))
      const onMessage = (/** @type {any} */ message) => {
        if (message.type === 'progress') this.#onProgress(message.requests)
        if (message.type === 'result') settle(() => resolve(message.result))
        if (message.type === 'failure') settle(() => reject(new Error(message.message)))
      }
      child.on('message', onMessage)
      child.on('exit', onExit)
      child.send(order)
    })
  }

  stop () {
    this.#child.kill('SIGKILL')
  }
}

/** @param {(requests: number) => void} [onProgress] */
exports.startDriver = async (onProgress = () => {}) => {
  // Structured clones carry a hundred thousand latencies without text.
  const child = fork(MAIN, [], { serialization: 'advanced', execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  await once(child, 'message')
  return new Driver(child, onProgress)
}

exports.Driver = Driver
exports.checkFileHandles = checkFileHandles
