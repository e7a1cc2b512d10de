'use strict'

const net = require('node:net')
const { checkFolder } = require('./address')
const { Alarm } = require('../util/timer')
const { Link } = require('./connection')
const { fit } = require('./records')
const { SeriesWriter } = require('./metrics/series')
const { VERSION } = require('./wire')

/** A primary may start its agent after its first workers: so long a worker waits for it, */
const PATIENCE_MS = 1000
const HURRY_MS = 50
/** and then listens itself, trying on. */
const RETRY_MS = 3000
/** A primary that is stopped accepts, and then says nothing. */
const HELLO_MS = 2000
/** What a worker may lose that ends without saying so. */
const PUSH_MS = 1000
/** A primary that reads takes some milliseconds; the application's agent waits for a second in all. */
const LEAVE_MS = 200
/** In a storm of blocks the others go without most of their stacks, which the primary would have to parse. */
const FULL_RECORDS_A_PUSH = 20
/** The latest blocks from before it joined: its start-up, or what a new primary's watchdog has not heard. */
const EARLIER_RECORDS = 50

/** @typedef {import('../types').BlockRecord} BlockRecord */

/** The worker's side of a cluster: joins the primary, tells it blocks and metrics, and joins again. */
class Peer {
  #parts
  /** A life of this process's watchdog: the next one counts anew. */
  #instance = `${Date.now()}-${Math.random().toString(36).slice(2)}`
  /** @type {Link | null} */
  #link = null
  /** @type {SeriesWriter | null} while joined */
  #writer = null
  /** @type {number | null} */
  #slot = null
  #aloneAtMs
  #isAlone = false
  /** Whether the primary's endpoint is known: only then is it a place to be. */
  #isJoined = false
  #alarm = new Alarm()
  /** @type {NodeJS.Timeout | undefined} */
  #hello
  #fullRecords = 0
  #lost = 0
  #hasFailed = false

  /**
   * @param {object} parts
   * @param {string} parts.address
   * @param {number} [parts.pid]
   * @param {() => number} parts.nowMs
   * @param {() => Promise<import('../types').Metric[]>} parts.snapshot
   * @param {() => BlockRecord[]} parts.blocks of this process, newest first
   * @param {(url: string | null) => void} parts.onJoined with the primary's endpoint; again whenever that changes
   * @param {(hadPrimary: boolean) => void} parts.onAlone there is no primary, or at present none
   * @param {(error: Error | null) => void} parts.onState why the primary cannot be joined although there is one
   */
  constructor (parts) {
    this.#parts = parts
    this.#aloneAtMs = parts.nowMs() + PATIENCE_MS
    this.#connect()
  }

  #connect () {
    const { address, onState } = this.#parts
    const unsafe = /** @type {(Error & { code?: string }) | null} */ (checkFolder(address))
    if (unsafe !== null) {
      if (unsafe.code !== 'ENOENT') onState(unsafe)
      this.#again()
      return
    }
    const socket = net.connect(address)
    const link = new Link(socket, {
      onMessage: (message) => this.#receive(message),
      onClose: () => this.#lose()
    })
    this.#link = link
    this.#hello = setTimeout(() => link.close(), HELLO_MS)
    socket.on('connect', () => link.send({ t: 'hello', v: VERSION, pid: this.#parts.pid ?? process.pid, instance: this.#instance, slot: this.#slot }))
  }

  /** @param {import('./wire').Message} message */
  #receive (message) {
    // What is asked while it leaves it has just told.
    if (this.#alarm.isClosed) return
    if (message.t === 'welcome') {
      this.#slot = message.slot
      this.#writer = new SeriesWriter()
      this.#parts.onState(null)
      this.#push()
      for (const record of this.#parts.blocks().slice(0, EARLIER_RECORDS).reverse()) this.tellBlock(record)
    } else if (message.t === 'refused') {
      this.#parts.onState(new Error(`the primary refused: ${message.reason}`))
    } else if (message.t === 'endpoint') {
      clearTimeout(this.#hello)
      this.#isAlone = false
      this.#isJoined = true
      this.#parts.onJoined(message.url)
    } else if (message.t === 'ask') {
      this.#tellMetrics(message.id)
    }
  }

  #lose () {
    clearTimeout(this.#hello)
    if (this.#isJoined) this.#aloneAtMs = this.#parts.nowMs() + PATIENCE_MS
    this.#isJoined = false
    this.#link = null
    this.#writer = null
    this.#again()
  }

  #again () {
    if (this.#alarm.isClosed) return
    const isPatient = !this.#isAlone && this.#parts.nowMs() < this.#aloneAtMs
    if (!isPatient && !this.#isAlone) {
      this.#isAlone = true
      this.#parts.onAlone(this.#slot !== null)
    }
    this.#alarm.set(isPatient ? HURRY_MS : RETRY_MS, () => this.#connect())
  }

  #push () {
    this.#fullRecords = FULL_RECORDS_A_PUSH
    this.#tellMetrics()
    this.#alarm.set(PUSH_MS, () => { if (this.#writer !== null) this.#push() })
  }

  /** @param {number} [id] of the question it answers */
  async #tellMetrics (id) {
    const writer = this.#writer
    const link = this.#link
    // What has changed meanwhile is told when the primary reads again.
    if (writer === null || link === null || link.isBacklogged) return
    try {
      const snapshot = await this.#parts.snapshot()
      if (this.#writer !== writer) return
      const messages = writer.changes(snapshot)
      messages[messages.length - 1].id = id
      for (const message of messages) this.#lost += link.send(message) ? 0 : 1
      this.#fail(null)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Its metrics cannot be read, or can again. @param {Error | null} error */
  #fail (error) {
    if (this.#hasFailed === (error !== null)) return
    this.#hasFailed = error !== null
    this.#parts.onState(error)
  }

  /** @param {BlockRecord} record */
  tellBlock (record) {
    if (this.#writer === null) return
    const isFull = this.#fullRecords-- > 0
    const fitted = fit(isFull ? record : { ...record, stacks: record.stacks.slice(0, 1) })
    if (fitted === null || this.#link === null || this.#link.isBacklogged) this.#lost++
    else this.#link.send({ t: 'block', record: fitted })
  }

  /** Records, and lines of metrics, that could not be told since the last call. */
  takeLost () {
    const lost = this.#lost
    this.#lost = 0
    return lost
  }

  /** Says what is left to say and leaves. */
  async close () {
    this.#alarm.close()
    clearTimeout(this.#hello)
    await this.#tellMetrics()
    this.#writer = null
    await this.#link?.leave(LEAVE_MS)
  }
}

exports.Peer = Peer
