'use strict'

const net = require('node:net')
const { checkFolder } = require('./address')
const { fit } = require('./records')
const { SeriesWriter } = require('./metrics/series')
const { Connection, HELLO_MS, VERSION } = require('./wire')
const { summaryOf } = require('../store/record')

/**
 * @import { BlockRecord } from '../types'
 * @import { OwnProcess } from './cluster'
 * @import { Message } from './wire'
 */

/** Time that a worker waits for its primary, whose agent may start after its first workers. */
const PATIENCE_MS = 1000
/** Time between two attempts to join while the worker waits. */
const HURRY_MS = 50
/** Time between two attempts after the worker has waited in vain and serves an endpoint of its own. */
const RETRY_MS = 3000
/** Time between two reports of metrics. As much may be lost if the worker ends without leaving. */
const PUSH_MS = 1000
/** Longest leave. A primary that reads takes some milliseconds. The application's agent waits a second in all. */
const LEAVE_MS = 200
/** Records a second that keep all their stacks. Further ones keep one stack, as the primary has to parse them all. */
const FULL_RECORDS_A_PUSH = 20
/** Earlier blocks that are sent at a join: those of the startup, or those that a new primary has not received. */
const EARLIER_RECORDS = 50

/** The worker's side of a cluster: joins the primary, sends it blocks and metrics, and joins again. */
class ClusterWorker {
  #own
  /** The life of this process's watchdog; the next one counts from zero. */
  #instance = `${Date.now()}-${Math.random().toString(36).slice(2)}`
  /** @type {Connection | null} */
  #connection = null
  /** @type {SeriesWriter | null} while joined */
  #writer = null
  /** @type {number | null} */
  #slot = null
  #aloneAtMs
  #isAlone = false
  /** Whether the primary's endpoint is known. Only then is the worker's own not needed. */
  #isJoined = false
  /** @type {NodeJS.Timeout | undefined} of the next attempt to join, or of the next report */
  #timer
  /** @type {NodeJS.Timeout | undefined} */
  #hello
  #isClosed = false
  #fullRecords = 0
  #lost = 0

  /** @param {Omit<OwnProcess, 'onBlock' | 'onFault'> & { address: string, pid?: number }} own */
  constructor (own) {
    this.#own = own
    this.#aloneAtMs = own.nowMs() + PATIENCE_MS
    this.#connect()
  }

  #connect () {
    const { address, pid = process.pid, onState } = this.#own
    const unsafe = /** @type {(Error & { code?: string }) | null} */ (checkFolder(address))
    if (unsafe !== null) {
      if (unsafe.code !== 'ENOENT') onState(unsafe)
      this.#again()
      return
    }
    const socket = net.connect(address)
    const connection = new Connection(socket, {
      onMessage: (message) => this.#receive(message),
      onClose: () => this.#lose()
    })
    this.#connection = connection
    this.#hello = setTimeout(() => connection.close(), HELLO_MS)
    socket.on('connect', () => {
      connection.send({ t: 'hello', v: VERSION, pid, instance: this.#instance, slot: this.#slot })
    })
  }

  /** @param {Message} message */
  #receive (message) {
    // A worker that leaves has just sent everything for which the primary could ask.
    if (this.#isClosed) return
    if (message.t === 'welcome') {
      this.#begin(message.slot)
    } else if (message.t === 'refused') {
      this.#own.onState(new Error(`the primary refused: ${message.reason}`))
    } else if (message.t === 'endpoint') {
      clearTimeout(this.#hello)
      this.#isAlone = false
      this.#isJoined = true
      this.#own.onJoined(message.url)
    } else if (message.t === 'ask') {
      this.#tellMetrics()
    }
  }

  /** @param {number} slot */
  #begin (slot) {
    this.#slot = slot
    this.#writer = new SeriesWriter()
    this.#own.onState(null)
    this.#push()
    for (const record of this.#own.blocks().slice(0, EARLIER_RECORDS).reverse()) this.tellBlock(record)
  }

  #lose () {
    clearTimeout(this.#timer)
    clearTimeout(this.#hello)
    if (this.#isJoined) this.#aloneAtMs = this.#own.nowMs() + PATIENCE_MS
    this.#isJoined = false
    this.#connection = null
    this.#writer = null
    this.#again()
  }

  #again () {
    if (this.#isClosed) return
    const isPatient = !this.#isAlone && this.#own.nowMs() < this.#aloneAtMs
    if (!isPatient && !this.#isAlone) {
      this.#isAlone = true
      this.#own.onAlone(this.#slot !== null)
    }
    this.#timer = setTimeout(() => this.#connect(), isPatient ? HURRY_MS : RETRY_MS)
  }

  #push () {
    this.#fullRecords = FULL_RECORDS_A_PUSH
    this.#tellMetrics()
    this.#timer = setTimeout(() => this.#push(), PUSH_MS)
  }

  async #tellMetrics () {
    const writer = this.#writer
    const connection = this.#connection
    // A primary that does not read gets the changes when it reads again.
    if (writer === null || connection === null || connection.isBacklogged) return
    try {
      const snapshot = await this.#own.snapshot()
      if (this.#writer !== writer) return
      for (const message of writer.changes(snapshot)) this.#lost += connection.send(message) ? 0 : 1
      this.#own.onState(null)
    } catch (error) {
      this.#own.onState(error)
    }
  }

  /** @param {BlockRecord} record */
  tellBlock (record) {
    if (this.#writer === null) return
    const isFull = this.#fullRecords-- > 0
    const fitted = fit(isFull ? record : summaryOf(record))
    if (fitted === null || this.#connection === null || this.#connection.isBacklogged) this.#lost++
    else this.#connection.send({ t: 'block', record: fitted })
  }

  /** Number of records and lines of metrics that could not be sent since the last call. */
  takeLost () {
    const lost = this.#lost
    this.#lost = 0
    return lost
  }

  async close () {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#hello)
    await this.#tellMetrics()
    this.#writer = null
    await this.#connection?.leave(LEAVE_MS)
  }
}

exports.ClusterWorker = ClusterWorker
