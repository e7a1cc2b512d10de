'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const http = require('node:http')
const path = require('node:path')
const readline = require('node:readline')
const { setTimeout: sleep } = require('node:timers/promises')
const { readReport } = require('../reports')

const TARGET = path.join(__dirname, 'target.js')
const STDERR_CHARACTERS = 2000
const LIMIT_MS = 20000

/** A running target, and all that it has said. */
class Target {
  /** @type {import('../reports').Report[]} */
  reports = []
  /** Blocks that were summed up. @type {Set<string>} */
  ids = new Set()
  /** @type {{ bakeoff: string, name: string, atMs: number }[]} */
  #moments = []
  /** Long ones of its garbage collector, since its start. @type {import('../score').Pause[]} */
  pauses = []
  /** @type {Set<() => void>} */
  #waiting = new Set()
  #stderr = ''
  #agent = new http.Agent({ keepAlive: true })
  #child
  /** @type {{ ports: Record<string, number>, endpoint: string | null }} */
  ready = { ports: {}, endpoint: null }

  /** @param {Record<string, unknown>} order @param {string[]} flags of Node.js */
  constructor (order, flags) {
    this.#child = spawn(process.execPath, [...flags, TARGET], { env: { ...process.env, BAKEOFF_ORDER: JSON.stringify(order) }, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child.stderr.setEncoding('utf8').on('data', (text) => { this.#stderr = (this.#stderr + text).slice(-STDERR_CHARACTERS) })
    readline.createInterface(this.#child.stdout).on('line', (text) => this.#read(text))
    this.#child.once('close', () => this.#look())
  }

  get pid () {
    return /** @type {number} */ (this.#child.pid)
  }

  /** @param {string} text */
  #read (text) {
    let line
    try {
      line = JSON.parse(text)
    } catch {
      return // the application's own words
    }
    const report = readReport(line)
    if (report !== null) this.add(report)
    if (line.bakeoff === 'ready') this.ready = line
    if (line.bakeoff === 'pause') this.pauses.push(line)
    if (line.name !== 'loopwatch' && line.bakeoff !== 'report') this.#moments.push(line)
    this.#look()
  }

  #look () {
    for (const look of this.#waiting) look()
  }

  /** @param {import('../reports').Report} report */
  add (report) {
    if (report.id !== null) {
      if (this.ids.has(report.id)) return
      if (report.isFinal) this.ids.add(report.id)
    }
    this.reports.push(report)
  }

  /** Reports from now on are about the next case. */
  forget () {
    this.reports.length = 0
    this.#moments.length = 0
  }

  /**
   * The n-th time that it says so.
   * @param {'ready' | 'held' | 'began' | 'ended'} what
   * @param {string} [name]
   * @param {number} [n]
   */
  async says (what, name, n = 1) {
    const find = () =>
      this.#moments.filter((each) => each.bakeoff === what && (name === undefined || each.name === name))[n - 1]
    const timer = new AbortController()
    let waiting = () => {}
    try {
      return await Promise.race([
        /** @type {Promise<{ atMs: number }>} */ (new Promise((resolve, reject) => {
          const look = () => {
            const found = find()
            if (found !== undefined) resolve(found)
            else if (this.#child.exitCode !== null || this.#child.signalCode !== null) reject(new Error(`the target ended (${this.#child.signalCode ?? `exit code ${this.#child.exitCode}`}): ${this.#stderr.trim()}`))
          }
          waiting = look
          this.#waiting.add(look)
          look()
        })),
        sleep(LIMIT_MS, undefined, { signal: timer.signal }).then(() => { throw new Error(`the target did not say ${what} ${name ?? ''} within ${LIMIT_MS} ms: ${this.#stderr.trim()}`) })
      ])
    } finally {
      timer.abort()
      this.#waiting.delete(waiting)
    }
  }

  /** @param {string} url @returns {Promise<{ status: number, text: string, atMs: number } | null>} null: no answer */
  get (url) {
    return new Promise((resolve) => {
      const request = http.get(url, { agent: this.#agent }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => { text += part }).on('end', () => resolve({ status: Number(response.statusCode), text, atMs: Date.now() }))
      })
      request.on('error', () => resolve(null))
      request.setTimeout(LIMIT_MS, () => request.destroy())
    })
  }

  /** @param {string} server @param {string} path */
  request (server, path) {
    return this.get(`http://127.0.0.1:${this.ready.ports[server]}${path}`)
  }

  /** A request whose body only ends on demand. @param {string} server @param {string} path */
  open (server, path) {
    const url = `http://127.0.0.1:${this.ready.ports[server]}${path}`
    const request = http.request(url, { method: 'POST', agent: this.#agent })
    request.write('a part of it')
    const answered = once(request, 'response').then(([response]) => response.resume(), () => null)
    return {
      end: () => {
        request.end('the rest')
        return answered
      }
    }
  }

  /** @param {NodeJS.Signals} signal */
  kill (signal) {
    this.#child.kill(signal)
  }

  async end () {
    const closed = once(this.#child, 'close')
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL')
      await closed
    }
    this.#agent.destroy()
  }
}

/** @param {Record<string, unknown>} order @param {string[]} [flags] of Node.js */
exports.startTarget = async (order, flags = []) => {
  const target = new Target(order, flags)
  await target.says('ready')
  return target
}

exports.Target = Target
