'use strict'

const { nowMs } = require('../../util/clock')
const { RequestContext, ROUTE_CHARS } = require('./http/context')

/**
 * @import { WorkKind, WorkParent } from '../../types'
 * @import { Item } from './open-work'
 */

/** @typedef {Record<string, string | number> | undefined} Attributes that have been checked */

/**
 * A piece of named work that is not an HTTP request. A resource that outlives it keeps this object alive, so the object
 * releases its parent at its end: a task that starts itself again would otherwise build a chain.
 */
class Work {
  /** @type {Work | RequestContext | WorkParent | null} */
  #parent
  #endsAtMs = Infinity

  /**
   * @param {number} id unique within the process, requests included @param {WorkKind} kind @param {string} name
   * @param {Work | RequestContext | null} parent @param {number} startedAtMs monotonic @param {Attributes} [attributes]
   */
  constructor (id, kind, name, parent, startedAtMs, attributes) {
    this.id = id
    this.kind = kind
    // The name is a label like a route, and the probe writes it into its answer.
    this.name = name.length > ROUTE_CHARS ? name.slice(0, ROUTE_CHARS) : name
    this.startedAtMs = startedAtMs
    this.attributes = attributes
    /** Neighbours in the list of open work. @type {Item | null} */
    this.older = null
    /** @type {Item | null} */
    this.newer = null
    this.#parent = parent
    const isWork = parent instanceof Work
    /** @type {RequestContext | undefined} */
    this.request = isWork ? parent.request : parent ?? undefined
    /** The id of the outermost work that contains this. @type {number} */
    this.rootId = parent === null || parent.isEnded ? id : isWork ? parent.rootId : parent.id
  }

  /** Read by the probe in mid-block, so no code of the application may run. @returns {WorkParent | null} */
  get parent () {
    const parent = this.#parent
    if (!(parent instanceof RequestContext) && !(parent instanceof Work)) return parent
    const id = `${parent.id}`
    return parent instanceof Work
      ? { kind: parent.kind, name: parent.name, id }
      : { kind: 'request', name: `${parent.method} ${parent.template}`, id }
  }

  get isEnded () {
    return nowMs() >= this.#endsAtMs
  }

  /**
   * @param {number} [afterMs] for work whose end is unknown; timers that it sets would otherwise be its work for good
   */
  end (afterMs = 0) {
    this.#endsAtMs = nowMs() + afterMs
    if (this.#parent !== null) this.#parent = this.parent
  }
}

exports.Work = Work
