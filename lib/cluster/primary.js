'use strict'

const { Ledger } = require('./metrics/union')
const { Link } = require('./connection')
const { Listener } = require('./listener')
const { Member } = require('./worker-state')
const { Slots, MOST_SLOTS } = require('./slots')
const { VERSION } = require('./wire')

/** A scrape waits so long for workers; whoever has not answered is shown as of the last second. */
const ANSWER_MS = 25
/** Metrics come every second; without any for so long a worker is silent and its gauges mean nothing. */
const SILENT_MS = 5000
const HELLO_MS = 2000
/** Connections beside the workers', for those that are just coming. */
const SPARE_CONNECTIONS = 64

/** @typedef {import('../types').Metric} Metric */
/** @typedef {import('../types').BlockRecord} BlockRecord */

/** The primary's side of a cluster: all workers' metrics and blocks in one place. */
class Hub {
  #parts
  #listener
  #slots = new Slots()
  #ledger = new Ledger()
  /** @type {Map<number, Member>} by slot */
  #members = new Map()
  /** @type {Set<Link>} */
  #links = new Set()
  /** @type {string | null | undefined} of the primary's endpoint, undefined before it is settled */
  #url
  /** @type {Map<number, number>} by slot */
  #restarts = new Map()
  #lastAsk = 0
  /** @type {Promise<void> | null} */
  #asking = null

  /**
   * @param {object} parts
   * @param {string} parts.address
   * @param {() => number} parts.nowMs
   * @param {(record: BlockRecord) => void} parts.onBlock
   * @param {(error: Error | null) => void} parts.onState whether workers can join
   * @param {(fault: Error) => void} parts.onFault somebody did not speak the protocol
   */
  constructor (parts) {
    this.#parts = parts
    this.#listener = new Listener(parts.address, { onSocket: (socket) => this.#admit(socket), onState: parts.onState })
  }

  /** @param {import('node:net').Socket} socket */
  #admit (socket) {
    if (this.#links.size >= MOST_SLOTS + SPARE_CONNECTIONS) {
      socket.destroy()
      return
    }
    /** @type {Member | null} */
    let member = null
    const link = new Link(socket, {
      onMessage: (message) => {
        if (member !== null) this.#receive(member, message)
        else if (message.t === 'hello') member = this.#welcome(message, link)
        else throw new Error('a message before hello')
        clearTimeout(hello)
      },
      onClose: (fault) => {
        clearTimeout(hello)
        this.#links.delete(link)
        if (member !== null) this.#leave(member)
        if (fault !== null) this.#parts.onFault(fault)
      }
    })
    this.#links.add(link)
    const hello = setTimeout(() => link.close(), HELLO_MS)
  }

  /** @param {import('./wire').Message} message @param {Link} link */
  #welcome ({ v, instance, pid, slot: wanted }, link) {
    if (v === VERSION && !(typeof instance === 'string' && Number.isInteger(pid) && pid > 0)) throw new Error('a hello without instance or pid')
    const taken = v === VERSION ? this.#slots.take(instance, pid, wanted) : null
    if (taken === null) {
      link.send({ t: 'refused', reason: v === VERSION ? `all ${MOST_SLOTS} places are taken` : `the primary speaks version ${VERSION}, not ${v}` })
      link.end()
      return null
    }
    const { slot, isRestart } = taken
    const member = new Member({ slot, instance, link, nowMs: this.#parts.nowMs })
    this.#members.set(slot, member)
    this.#restarts.set(slot, (this.#restarts.get(slot) ?? 0) + (isRestart ? 1 : 0))
    link.send({ t: 'welcome', v: VERSION, slot })
    if (this.#url !== undefined) link.send({ t: 'endpoint', url: this.#url })
    return member
  }

  /** @param {Member} member @param {import('./wire').Message} message */
  #receive (member, message) {
    if (message.t === 'metrics') {
      const wasKnown = member.isKnown
      member.takeMetrics(message)
      if (!wasKnown && member.isKnown) this.#ledger.join(member.slot, member.instance)
      this.#end(member.takeUntold())
    } else if (message.t === 'block') {
      this.#parts.onBlock(member.takeBlock(message))
    }
  }

  /** @param {BlockRecord[]} records */
  #end (records) {
    for (const record of records) this.#parts.onBlock({ ...record, ongoing: false })
  }

  /** @param {Member} member */
  #leave (member) {
    this.#members.delete(member.slot)
    this.#slots.release(member.slot)
    if (member.isKnown) this.#ledger.leave(member.slot, member.instance, member.metrics)
    // The end of a process ends its block.
    this.#end(member.ongoing)
  }

  /** Tells the workers where the primary's endpoint is. @param {string | null} url */
  tellUrl (url) {
    this.#url = url
    for (const { link } of this.#members.values()) link.send({ t: 'endpoint', url })
  }

  /** The primary's own metrics and every worker's. @param {() => Promise<Metric[]>} own @returns {Promise<import('../types').Family[]>} */
  async union (own) {
    this.#asking ??= this.#ask().finally(() => { this.#asking = null })
    await this.#asking
    const now = this.#parts.nowMs()
    const living = new Map([...this.#members.values()].filter(({ isKnown }) => isKnown).map((member) => {
      const isSilent = now - member.heardAtMs > SILENT_MS
      return [member.slot, isSilent ? member.metrics.filter(({ type }) => type !== 'gauge') : member.metrics]
    }))
    return this.#ledger.union(await own(), living)
  }

  async #ask () {
    const id = ++this.#lastAsk
    const answers = [...this.#members.values()].map((member) => member.ask(id))
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    await Promise.race([Promise.all(answers), new Promise((resolve) => { timer = setTimeout(resolve, ANSWER_MS) })])
    clearTimeout(timer)
  }

  /** Blocks in progress of all workers. @returns {BlockRecord[]} */
  get ongoing () {
    return [...this.#members.values()].flatMap((member) => member.ongoing)
  }

  /** @returns {{ worker: number, blockedMs: number }[]} every worker, 0 where it is not blocked */
  get blockedMs () {
    return [...this.#members.values()].map(({ slot, blockedMs }) => ({ worker: slot, blockedMs: Math.round(blockedMs) }))
  }

  /** Of the cluster itself. */
  get state () {
    const now = this.#parts.nowMs()
    const silent = [...this.#members.values()].filter(({ heardAtMs }) => now - heardAtMs > SILENT_MS).length
    return { workers: { answering: this.#members.size - silent, silent }, restarts: this.#restarts }
  }

  close () {
    this.#listener.close()
    for (const link of this.#links) link.close()
  }
}

exports.Hub = Hub
