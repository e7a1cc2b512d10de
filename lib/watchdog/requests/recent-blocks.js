'use strict'

const { BACKLOG_MS } = require('../../bridge/request-row')
const { OTHER } = require('../../tables/limits')
const { causeRow, isOwnBlock, ownCauseOf } = require('../../tables/causes')

/** @import { BlockRecord } from '../../types' */

/** At least this many of the latest blocks are kept: enough for a request of minutes among frequent blocks. */
const BLOCKS = 256
/** The most routes listed of the requests that waited for one block; further ones count in its total only. */
const ROUTES = 20
/** A shorter wait is what any turn of the loop costs. */
const LEAST_MS = 1

/**
 * @typedef {object} BlockInterval a block
 * @property {number} startMs @property {number} endMs @property {string} [id] of its record
 * @property {number[]} workIds the request and the work that ran in it, with what they are part of
 * @property {Map<number, string>} [routes] of those that have ended, by id
 * @property {{ id: number, name: string, route: string, startMs: number } | null} [alone] if no work is known to have
 * run in it: the only request that was open when it began or was read then, and has ended; null if there were several
 * @typedef {object} WaitingRequests the ended requests that had waited for a block
 * @property {number} requests @property {number} longestMs
 * @property {{ name: string, count: number, longestMs: number }[]} routes
 */

/** The latest blocks of the loop, to compare with requests. */
class RecentBlocks {
  /** @type {BlockInterval[]} by their end */
  #blocks = []
  #lastEndMs = -Infinity
  /** @type {Map<string, WaitingRequests & { isReported: boolean }>} by the id of a block among those kept */
  #waits = new Map()

  /** @param {BlockInterval} block that ended after all before it @param {string} [id] of it */
  add (block, id) {
    this.#blocks.push(id === undefined ? block : { ...block, id })
    this.#lastEndMs = block.endMs
    if (this.#blocks.length <= 2 * BLOCKS) return
    for (const { id: old } of this.#blocks.slice(0, -BLOCKS)) this.#waits.delete(old ?? '')
    this.#blocks = this.#blocks.slice(-BLOCKS)
  }

  /**
   * Notes for which blocks an ended request waited.
   * @param {object} request @param {number} request.startMs when it was read @param {number} request.endMs
   * @param {boolean} request.hasWaited it was read right after a time in which the loop could not read
   * @param {number} request.id @param {string} request.name method and route @param {string} [request.route]
   */
  note ({ startMs, endMs, id, hasWaited, name, route }) {
    if (startMs >= this.#lastEndMs + BACKLOG_MS) return
    for (let i = this.#blocks.length - 1; i >= 0; i--) {
      const block = this.#blocks[i]
      if (block.endMs <= startMs) {
        if (hasWaited && startMs - block.endMs < BACKLOG_MS) this.#add(block, name, (block.endMs - block.startMs) / 2)
        return
      }
      if (endMs <= block.startMs) continue
      // A request that was read within a block arrived before it.
      const waitedMs = Math.min(endMs, block.endMs) - block.startMs
      const isNamed = route !== undefined && route !== OTHER
      if (!block.workIds.includes(id)) this.#add(block, name, waitedMs)
      else if (isNamed) (block.routes ??= new Map()).set(id, route)
      if (block.workIds.length > 0) continue
      block.alone = block.alone === undefined && isNamed ? { id, name, route, startMs } : null
    }
  }

  /**
   * Gives a record the final route of its request, which may have blocked before a router found its route. If nothing
   * shows what ran, a request that was there alone is named, in doubt.
   * @template {BlockRecord} R @param {R} record @returns {R}
   */
  routed (record) {
    const { work, request } = record
    const block = this.#blocks.findLast(({ id }) => id === record.id)
    if (block?.alone) return isSilent(record) ? this.#named(record, block, block.alone) : record
    const route = work?.kind === 'request' ? block?.routes?.get(Number(work.id)) : undefined
    if (!work || request === null || route === undefined) return record
    return { ...record, work: { ...work, name: `${request.method} ${route}` }, request: { ...request, route } }
  }

  /**
   * @template {BlockRecord} R @param {R} record @param {BlockInterval} block
   * @param {NonNullable<BlockInterval['alone']>} alone @returns {R}
   */
  #named (record, block, { id, name, route, startMs }) {
    // Read later, it ran for less than half of the block.
    if (startMs > (block.startMs + block.endMs) / 2) return record
    block.workIds.push(id)
    this.#waits.delete(record.id)
    const startedAt = new Date(Date.parse(record.startedAt) + startMs - block.startMs).toISOString()
    const common = { startedAt, traceId: null, ended: false, exact: false }
    const work = {
      kind: /** @type {const} */ ('request'),
      name,
      id: `${id}`,
      parent: null,
      attributes: {},
      spanId: null,
      sampled: null,
      ...common
    }
    return { ...record, work, request: { method: name.split(' ')[0], route, ...common } }
  }

  /** @param {BlockInterval} block @param {string} name @param {number} ms */
  #add ({ id }, name, ms) {
    if (id === undefined || ms < LEAST_MS) return
    const waits = this.#waits.get(id) ?? { requests: 0, longestMs: 0, routes: [], isReported: false }
    waits.requests++
    waits.longestMs = Math.max(waits.longestMs, ms)
    waits.isReported = false
    const route = waits.routes.find((each) => each.name === name)
    if (route !== undefined) {
      route.count++
      route.longestMs = Math.max(route.longestMs, ms)
    } else if (waits.routes.length < ROUTES) {
      waits.routes.push({ name, count: 1, longestMs: ms })
    }
    this.#waits.set(id, waits)
  }

  /** @param {string} id of a block @returns {WaitingRequests} */
  waitsFor (id) {
    const { requests, longestMs, routes } = this.#waits.get(id) ?? { requests: 0, longestMs: 0, routes: [] }
    const rounded = routes.map((route) => ({ ...route, longestMs: Math.round(route.longestMs) }))
    return { requests, longestMs: Math.round(longestMs), routes: rounded.sort((a, b) => b.longestMs - a.longestMs) }
  }

  /** The blocks for which more requests waited than last reported. @param {boolean} [all] reported ones as well */
  takeWaits (all = false) {
    const news = [...this.#waits].filter(([, { isReported }]) => all || !isReported)
    // All are for one page: the others still have to be sent.
    if (!all) for (const [, waits] of news) waits.isReported = true
    return news.map(([id]) => ({ id, ...this.waitsFor(id) }))
  }

  /** Time for which others blocked the loop. @param {number} startMs @param {number} endMs @param {number} id */
  blockedMs (startMs, endMs, id) {
    if (startMs >= this.#lastEndMs) return 0
    let blockedMs = 0
    for (let i = this.#blocks.length - 1; i >= 0 && this.#blocks[i].endMs > startMs; i--) {
      const block = this.#blocks[i]
      if (block.workIds.includes(id)) continue
      blockedMs += Math.max(0, Math.min(endMs, block.endMs) - Math.max(startMs, block.startMs))
    }
    return blockedMs
  }

  /**
   * The time for which something else blocked a request before it was read. A request that is read within a block came
   * before the loop last checked for requests: before the block began. The arrival of one that is read after a block is
   * unknown, so half of the block counts, as if requests came evenly.
   * @param {number} startMs when it was read @param {number} id @param {boolean} hasWaited see note()
   */
  waitedMs (startMs, id, hasWaited) {
    if (startMs >= this.#lastEndMs + BACKLOG_MS) return 0
    for (let i = this.#blocks.length - 1; i >= 0; i--) {
      const block = this.#blocks[i]
      if (block.endMs <= startMs) {
        return hasWaited && startMs - block.endMs < BACKLOG_MS ? (block.endMs - block.startMs) / 2 : 0
      }
      if (block.startMs < startMs) return block.workIds.includes(id) ? 0 : startMs - block.startMs
    }
    return 0
  }
}

/** Whether code ran, and no answer shows which. @param {BlockRecord} record */
function isSilent (record) {
  const { samples, work, request } = record
  const { isScript, isCall } = causeRow(ownCauseOf(record))
  return (isScript || isCall) === true && samples === 0 && !work && !request && !isOwnBlock(record)
}

exports.RecentBlocks = RecentBlocks
