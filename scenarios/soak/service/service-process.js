'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { Pool } = require('undici')
const { processUsage } = require('../../harness/measure/usage')

/** One service in a process of its own, with the connections of its users. */
class Service {
  /** @type {Pool | null} */
  #pool = null
  #child
  answered = 0
  failed = 0
  /** @type {string | null} of its agent */
  url = null

  /** @param {{ options: object | null, connections: number }} setup options of the agent; null: unwatched */
  constructor ({ options, connections }) {
    this.#child = fork(path.join(__dirname, 'service.js'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...(options === null ? {} : { SOAK_OPTIONS: JSON.stringify(options) }) }
    })
    this.connections = connections
  }

  get pid () {
    return /** @type {number} */ (this.#child.pid)
  }

  async ready () {
    const [{ port, url }] = await once(this.#child, 'message')
    this.url = url
    this.#pool = new Pool(`http://127.0.0.1:${port}`, { connections: this.connections, pipelining: 1 })
  }

  /**
   * Never rejects: what fails is counted.
   * @param {'GET' | 'POST'} method @param {string} path @param {object} [body]
   */
  async ask (method, path, body) {
    try {
      const answer = await /** @type {Pool} */ (this.#pool).request({
        path, method, ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
      })
      const json = /** @type {any} */ (await answer.body.json())
      this.answered++
      if (answer.statusCode >= 500) this.failed++
      return json
    } catch {
      this.failed++
      return null
    }
  }

  /**
   * Has it block, and hears how long that took.
   * @param {import('../plan').PlannedBlock} planned
   * @returns {Promise<import('../match').Truth>}
   */
  async block ({ kind, ms, where }) {
    if (where === 'request') return this.ask('GET', `/reports/${kind}?ms=${ms}`)
    return this.#ask({ order: { kind, ms }, inThread: where === 'thread' }, 'truth')
  }

  /** @param {object} question @param {string} name of the answer @returns {Promise<any>} */
  #ask (question, name) {
    return new Promise((resolve) => {
      const onMessage = (/** @type {any} */ message) => {
        if (!(name in message)) return
        this.#child.off('message', onMessage)
        resolve(message[name])
      }
      this.#child.on('message', onMessage)
      this.#child.send(question)
    })
  }

  async look () {
    const { rss, heapTotal, heapUsed } = await this.#ask({}, 'memory')
    return { residentBytes: rss, heapBytes: heapTotal, heapUsedBytes: heapUsed, files: fs.readdirSync(`/proc/${this.pid}/fd`).length }
  }

  get cpuSeconds () {
    return processUsage(this.pid).cpuSeconds ?? 0
  }

  async stop () {
    await this.#pool?.close()
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.disconnect()
    await once(this.#child, 'exit')
  }
}

exports.Service = Service
