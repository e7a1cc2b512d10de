'use strict'

/**
 * What a process is in a cluster, as its host knows it.
 * @typedef {{ kind: 'single' | 'primary' | 'worker', primaryPid: number, tmpdir: string }} Role
 *
 * @typedef {import('../store/record').BlockRecord} BlockRecord
 *
 * @typedef {object} Parts
 * @property {() => number} nowMs
 * @property {() => Promise<import('./metrics/series').Metric[]>} snapshot of this process's metrics
 * @property {() => BlockRecord[]} blocks of this process, newest first
 * @property {(record: BlockRecord) => void} onBlock of a worker
 * @property {(url: string | null) => void} onJoined this process needs no endpoint; the primary's is at `url`
 * @property {(hadPrimary: boolean) => void} onAlone no primary to join: this process needs an endpoint of its own
 * @property {(error: Error | null) => void} onState
 * @property {(fault: Error, isFirst: boolean) => void} onFault somebody spoke on the socket what no worker would
 */

/** This process's part in a cluster: none, the primary's or a worker's. What it takes is loaded in clusters only. */
class Cluster {
  #role
  /** @type {Parts | null} */
  #parts = null
  /** @type {import('./primary').Hub | null} */
  #hub = null
  /** @type {import('./worker').Peer | null} */
  #peer = null
  /** @type {string | null | undefined} */
  #url

  /** @param {Role} role */
  constructor (role) {
    this.#role = role
  }

  /** From now on this process takes part. @param {Parts} parts */
  join (parts) {
    this.#parts = parts
    const { kind, primaryPid } = this.#role
    if (kind === 'worker') {
      const { Peer } = require('./worker')
      this.#peer = new Peer({ ...parts, address: this.#address(primaryPid) })
    }
    if (kind === 'primary') this.lead()
  }

  /** From now on workers may join: this process has forked one. */
  lead () {
    const parts = this.#parts
    if (this.#hub !== null || this.#peer !== null || parts === null) return
    const { Hub } = require('./primary')
    let faults = 0
    this.#hub = new Hub({
      ...parts,
      address: this.#address(process.pid),
      onFault: (fault) => parts.onFault(fault, faults++ === 0)
    })
    if (this.#url !== undefined) this.#hub.tellUrl(this.#url)
  }

  /** @param {number} pid of the primary */
  #address (pid) {
    const { addressOf } = require('./address')
    return addressOf({ tmpdir: this.#role.tmpdir, pid })
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
    return this.#hub === null || this.#parts === null ? null : this.#hub.union(this.#parts.snapshot)
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
