'use strict'

/**
 * @import { BlockRecord, Metric, Role } from '../types'
 * @import { ClusterPrimary } from './primary'
 * @import { ClusterWorker } from './worker'
 */

/**
 * @typedef {object} OwnProcess this process, as the cluster sees it
 * @property {() => number} nowMs
 * @property {() => Promise<Metric[]>} snapshot of its metrics
 * @property {() => BlockRecord[]} blocks newest first
 * @property {(record: BlockRecord) => void} onBlock of a worker
 * @property {(url: string | null) => void} onJoined this process needs no endpoint; the primary's is at `url`
 * @property {(hadPrimary: boolean) => void} onAlone there is no primary: this process needs an endpoint of its own
 * @property {(error: Error | null) => void} onState whether joining works, and reading the metrics
 * @property {(fault: Error, isFirst: boolean) => void} onFault the socket received something that no worker sends
 */

/** This process's role in a cluster: none, primary or worker. The code of both is loaded in clusters only. */
class Cluster {
  #role
  /** @type {OwnProcess | null} */
  #own = null
  /** @type {ClusterPrimary | null} */
  #primary = null
  /** @type {ClusterWorker | null} */
  #worker = null
  /** @type {string | null | undefined} */
  #url

  /** @param {Role} role */
  constructor (role) {
    this.#role = role
  }

  /** @param {OwnProcess} own */
  join (own) {
    this.#own = own
    const { kind, primaryPid } = this.#role
    if (kind === 'worker') {
      const { ClusterWorker } = require('./worker')
      this.#worker = new ClusterWorker({ ...own, address: this.#address(primaryPid) })
    }
    if (kind === 'primary') this.lead()
  }

  /** Lets workers join from now on, as this process has forked one. */
  lead () {
    const own = this.#own
    if (this.#primary !== null || this.#worker !== null || own === null) return
    const { ClusterPrimary } = require('./primary')
    this.#primary = new ClusterPrimary({ ...own, address: this.#address(process.pid) })
    if (this.#url !== undefined) this.#primary.tellUrl(this.#url)
  }

  /** @param {number} pid of the primary */
  #address (pid) {
    const { addressOf } = require('./address')
    return addressOf({ tmpdir: this.#role.tmpdir, pid })
  }

  /** @param {string | null} url of this process's own endpoint, null if it has none */
  tellUrl (url) {
    this.#url = url
    this.#primary?.tellUrl(url)
  }

  /** A block of this process has opened, lasts, has ended or has settled. @param {BlockRecord} record */
  block (record) {
    this.#worker?.tellBlock(record)
  }

  /** The metrics of the whole cluster, null if this process leads none. */
  async union () {
    return this.#primary === null || this.#own === null ? null : this.#primary.union(this.#own.snapshot)
  }

  get ongoing () {
    return this.#primary?.ongoing ?? []
  }

  get blockedMs () {
    return this.#primary?.blockedMs ?? null
  }

  get state () {
    return this.#primary?.state ?? null
  }

  takeLost () {
    return this.#worker?.takeLost() ?? 0
  }

  /** Resolves when a worker has sent its last metrics. */
  async stop () {
    this.#primary?.close()
    await this.#worker?.close()
  }
}

exports.Cluster = Cluster
