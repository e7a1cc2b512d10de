'use strict'

const fs = require('node:fs')
const net = require('node:net')
const { setTimeout: sleep } = require('node:timers/promises')
const { isRecord } = require('../store/record')
const { roundMs } = require('../util/statistics')
const { isSmall } = require('./records')
const { SeriesReader } = require('./metrics/series')
const { prepareFolder, sweepFolder } = require('./address')
const { MetricsUnion } = require('./metrics/union')
const { Slots, MOST_SLOTS } = require('./slots')
const { Connection, HELLO_MS, VERSION } = require('./wire')

/**
 * @import { BlockRecord, Metric } from '../types'
 * @import { OwnProcess } from './cluster'
 * @import { Message } from './wire'
 */

/**
 * Time without metrics, which come every second, after which a worker is silent and its gauges are left out. A block in
 * progress that was not repeated for this long has ended.
 */
const SILENT_MS = 5000
/** Most blocks in progress that are kept for one worker. It has at most one for each of its threads. */
const MOST_ONGOING = 20

/** The last metrics and the blocks in progress of a worker. */
class WorkerState {
  #series = new SeriesReader()
  /** @type {Map<string, { record: BlockRecord, atMs: number }>} */
  #ongoing = new Map()
  #nowMs
  /** Called when metrics have come. */
  #answered = () => {}
  heardAtMs
  /** Whether a complete snapshot has come. Before that, the metrics of the slot's last worker count. */
  hasSnapshot = false

  /**
   * @param {object} parts @param {number} parts.slot @param {string} parts.instance
   * @param {Connection} parts.connection @param {() => number} parts.nowMs
   */
  constructor ({ slot, instance, connection, nowMs }) {
    this.slot = slot
    this.instance = instance
    this.connection = connection
    this.#nowMs = nowMs
    this.heardAtMs = nowMs()
  }

  /** @param {Message} message */
  takeMetrics (message) {
    this.heardAtMs = this.#nowMs()
    if (!this.#series.apply(message)) return
    this.hasSnapshot = true
    this.#answered()
  }

  /** @param {Message} message */
  takeBlock ({ record }) {
    if (!isRecord(record) || !isSmall(record)) throw new Error('a block that is not a record')
    const own = { ...record, worker: this.slot }
    this.#ongoing.delete(own.id)
    if (own.ongoing) this.#ongoing.set(own.id, { record: own, atMs: this.#nowMs() })
    if (this.#ongoing.size > MOST_ONGOING) {
      this.#ongoing.delete(/** @type {string} */ (this.#ongoing.keys().next().value))
    }
    return own
  }

  /** Removes and returns blocks that must have ended, as they were last sent. */
  takeSilent () {
    const silent = [...this.#ongoing.values()].filter(({ atMs }) => this.#nowMs() - atMs > SILENT_MS)
    for (const { record } of silent) this.#ongoing.delete(record.id)
    return silent.map(({ record }) => record)
  }

  /** Resolves when the next metrics have come. @returns {Promise<void>} */
  ask () {
    return new Promise((resolve) => {
      this.#answered = resolve
      // A worker that does not read will not answer either.
      if (this.connection.isBacklogged) resolve()
      else this.connection.send({ t: 'ask' })
    })
  }

  get metrics () {
    return this.#series.snapshot()
  }

  /** Blocks in progress, with their durations up to now. */
  get ongoing () {
    const now = this.#nowMs()
    return [...this.#ongoing.values()].map(({ record, atMs }) => ({
      ...record, durationMs: roundMs(record.durationMs + now - atMs)
    }))
  }

  /** Time for which the main thread has been blocked, 0 if it is not. */
  get blockedMs () {
    return Math.max(0, ...this.ongoing.filter(({ thread }) => thread === 'main').map(({ durationMs }) => durationMs))
  }
}

/** Time that a scrape waits for workers. Without an answer, the metrics of the last second count. */
const ANSWER_MS = 25
/** Connections beyond those of a full cluster, for workers that are just joining. */
const SPARE_CONNECTIONS = 64
/** Interval at which a listener tries again, and checks its file: cleaners of temporary folders may delete it. */
const CHECK_MS = 5000

/** The primary's side of a cluster: all workers' metrics and blocks in one place. */
class ClusterPrimary {
  #own
  #listener
  #slots = new Slots()
  #union = new MetricsUnion()
  /** @type {Map<number, WorkerState>} by slot */
  #workers = new Map()
  /** @type {Set<Connection>} */
  #connections = new Set()
  /** @type {string | null | undefined} of the primary's endpoint, undefined before it is known */
  #url
  /** @type {Map<number, number>} by slot */
  #restarts = new Map()
  /** @type {Promise<unknown> | null} */
  #asking = null

  #faults = 0

  /** @param {Pick<OwnProcess, 'nowMs' | 'onBlock' | 'onState' | 'onFault'> & { address: string }} own */
  constructor (own) {
    this.#own = own
    this.#listener = new Listener(own.address, { onSocket: (socket) => this.#admit(socket), onState: own.onState })
  }

  /** @param {net.Socket} socket */
  #admit (socket) {
    if (this.#connections.size >= MOST_SLOTS + SPARE_CONNECTIONS) {
      socket.destroy()
      return
    }
    /** @type {WorkerState | null} */
    let worker = null
    const connection = new Connection(socket, {
      onMessage: (message) => {
        if (worker !== null) this.#receive(worker, message)
        else if (message.t === 'hello') worker = this.#welcome(message, connection)
        else throw new Error('a message before hello')
        clearTimeout(hello)
      },
      onClose: (fault) => {
        clearTimeout(hello)
        this.#connections.delete(connection)
        if (worker !== null) this.#leave(worker)
        if (fault !== null) this.#own.onFault(fault, this.#faults++ === 0)
      }
    })
    this.#connections.add(connection)
    const hello = setTimeout(() => connection.close(), HELLO_MS)
  }

  /** @param {Message} message @param {Connection} connection */
  #welcome ({ v, instance, pid, slot: wanted }, connection) {
    if (v !== VERSION) return refuse(connection, `the primary speaks version ${VERSION}, not ${v}`)
    const isWhole = typeof instance === 'string' && Number.isInteger(pid) && pid > 0
    if (!isWhole) throw new Error('a hello without instance or pid')
    const taken = this.#slots.take(instance, pid, wanted)
    if (taken === null) return refuse(connection, `all ${MOST_SLOTS} slots are taken`)
    const { slot, isRestart } = taken
    const worker = new WorkerState({ slot, instance, connection, nowMs: this.#own.nowMs })
    this.#workers.set(slot, worker)
    this.#restarts.set(slot, (this.#restarts.get(slot) ?? 0) + (isRestart ? 1 : 0))
    connection.send({ t: 'welcome', v: VERSION, slot })
    if (this.#url !== undefined) connection.send({ t: 'endpoint', url: this.#url })
    return worker
  }

  /** @param {WorkerState} worker @param {Message} message */
  #receive (worker, message) {
    if (message.t === 'metrics') {
      const hadSnapshot = worker.hasSnapshot
      worker.takeMetrics(message)
      if (!hadSnapshot && worker.hasSnapshot) this.#union.join(worker.slot, worker.instance)
      this.#end(worker.takeSilent())
    } else if (message.t === 'block') {
      this.#own.onBlock(worker.takeBlock(message))
    }
  }

  /** @param {BlockRecord[]} records */
  #end (records) {
    for (const record of records) this.#own.onBlock({ ...record, ongoing: false })
  }

  /** @param {WorkerState} worker */
  #leave (worker) {
    this.#workers.delete(worker.slot)
    this.#slots.release(worker.slot)
    if (worker.hasSnapshot) this.#union.leave(worker.slot, worker.instance, worker.metrics)
    // A worker's blocks end with its process.
    this.#end(worker.ongoing)
  }

  /** Sends the address of the primary's endpoint to the workers. @param {string | null} url */
  tellUrl (url) {
    this.#url = url
    for (const { connection } of this.#workers.values()) connection.send({ t: 'endpoint', url })
  }

  /** The primary's own metrics and every worker's. @param {() => Promise<Metric[]>} own */
  async union (own) {
    // Scrapes at the same time share one round of questions.
    if (this.#asking === null) {
      const answers = Promise.all([...this.#workers.values()].map((worker) => worker.ask()))
      this.#asking = Promise.race([answers, sleep(ANSWER_MS)]).finally(() => { this.#asking = null })
    }
    await this.#asking
    const now = this.#own.nowMs()
    const workers = [...this.#workers.values()].filter(({ hasSnapshot }) => hasSnapshot)
    const living = new Map(workers.map(({ slot, metrics, heardAtMs }) => {
      const isSilent = now - heardAtMs > SILENT_MS
      return [slot, isSilent ? metrics.filter(({ type }) => type !== 'gauge') : metrics]
    }))
    return this.#union.of(await own(), living)
  }

  get ongoing () {
    return [...this.#workers.values()].flatMap(({ ongoing }) => ongoing)
  }

  /** @returns {{ worker: number, blockedMs: number }[]} every worker, 0 if it is not blocked */
  get blockedMs () {
    return [...this.#workers.values()].map(({ slot, blockedMs }) => ({
      worker: slot, blockedMs: Math.round(blockedMs)
    }))
  }

  get state () {
    const now = this.#own.nowMs()
    const silent = [...this.#workers.values()].filter(({ heardAtMs }) => now - heardAtMs > SILENT_MS).length
    return { workers: { answering: this.#workers.size - silent, silent }, restarts: this.#restarts }
  }

  close () {
    this.#listener.close()
    for (const connection of this.#connections) connection.close()
  }
}

/** @param {Connection} connection @param {string} reason */
function refuse (connection, reason) {
  connection.send({ t: 'refused', reason })
  connection.leave(HELLO_MS)
  return null
}

/** Listens at the cluster's address. Takes over a file that an earlier process left, and makes a deleted file again. */
class Listener {
  #address
  #onState
  #server
  #timer = setInterval(() => this.#check(), CHECK_MS)

  /**
   * @param {string} address
   * @param {{ onSocket: (socket: net.Socket) => void, onState: (error: Error | null) => void }} handlers
   */
  constructor (address, { onSocket, onState }) {
    this.#address = address
    this.#onState = onState
    this.#server = net.createServer(onSocket).on('listening', () => onState(null)).on('error', onState)
    this.#listen()
  }

  #listen () {
    const unsafe = prepareFolder(this.#address)
    if (unsafe !== null) return this.#onState(unsafe)
    sweepFolder(this.#address)
    this.#server.listen({ path: this.#address, exclusive: true })
  }

  #check () {
    // A named pipe is not a file.
    if (this.#server.listening && (process.platform === 'win32' || fs.existsSync(this.#address))) return
    // Closing the server keeps its connections open.
    this.#server.close()
    this.#listen()
  }

  close () {
    clearInterval(this.#timer)
    this.#server.close()
  }
}

exports.ClusterPrimary = ClusterPrimary
