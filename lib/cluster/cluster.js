'use strict'

/** @typedef {import('../types').BlockRecord} BlockRecord */
/** @typedef {import('../types').Role} Role */

/** This process's part in a cluster: none, the primary's or a worker's. What it takes is loaded in clusters only. */
class Cluster {
  #parts
  /** @type {import('./primary').Hub | null} */
  #hub = null
  /** @type {import('./worker').Peer | null} */
  #peer = null
  /** @type {string | null | undefined} */
  #url

  /**
   * @param {object} parts
   * @param {Role} parts.role
   * @param {() => number} parts.nowMs
   * @param {() => Promise<import('../types').Metric[]>} parts.snapshot of this process's metrics
   * @param {() => BlockRecord[]} parts.blocks of this process, newest first
   * @param {(record: BlockRecord) => void} parts.onBlock of a worker
   * @param {(url: string | null) => void} parts.onJoined this process needs no endpoint; the primary's is at `url`
   * @param {(hadPrimary: boolean) => void} parts.onAlone no primary to join: this process needs an endpoint of its own
   * @param {(error: Error | null) => void} parts.onState
   * @param {(fault: Error, isFirst: boolean) => void} parts.onFault somebody spoke on the socket what no worker would
   */
  constructor (parts) {
    this.#parts = parts
    const { kind, primaryPid } = parts.role
    if (kind === 'worker') {
      const { Peer } = require('./worker')
      this.#peer = new Peer({ ...parts, address: this.#address(primaryPid) })
    }
    if (kind === 'primary') this.lead()
  }

  /** From now on workers may join: this process has forked one. */
  lead () {
    if (this.#hub !== null || this.#peer !== null) return
    const { Hub } = require('./primary')
    let faults = 0
    this.#hub = new Hub({
      ...this.#parts,
      address: this.#address(process.pid),
      onFault: (fault) => this.#parts.onFault(fault, faults++ === 0)
    })
    if (this.#url !== undefined) this.#hub.tellUrl(this.#url)
  }

  /** @param {number} pid of the primary */
  #address (pid) {
    const { addressOf } = require('./address')
    return addressOf({ tmpdir: this.#parts.role.tmpdir, pid })
  }

  /** @param {string | null} url where this process's own endpoint is, null where it has none */
  tellUrl (url) {
    this.#url = url
    this.#hub?.tellUrl(url)
  }

  /** Of this process. @param {BlockRecord} record */
  block (record) {
    this.#peer?.tellBlock(record)
  }

  /** The metrics of the whole cluster, null where this process leads none. */
  async union () {
    return this.#hub === null ? null : this.#hub.union(this.#parts.snapshot)
  }

  /** Blocks in progress of workers. */
  get ongoing () {
    return this.#hub?.ongoing ?? []
  }

  /** How long each worker has been blocked, null where this process leads no cluster. */
  get blockedMs () {
    return this.#hub?.blockedMs ?? null
  }

  /** Its metrics, null where this process leads no cluster. */
  get state () {
    return this.#hub?.state ?? null
  }

  /** Records, and lines of metrics, that could not be told to the primary since the last call. */
  takeLost () {
    return this.#peer?.takeLost() ?? 0
  }

  /** Resolves when a worker has told its last. */
  async stop () {
    this.#hub?.close()
    await this.#peer?.close()
  }
}

exports.Cluster = Cluster
