'use strict'

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const process = require('../../util/process')
const { setTimeout, clearTimeout } = require('node:timers')
const { FOLLOW } = require('../../bridge/messages')
const { nowMs } = require('../../util/clock')
const { hasContextFrame, isContextSafe } = require('../runtime')
const { warnOnce } = require('../warn-once')
const { FollowingCost } = require('./following-cost')

/**
 * @import { Bridge } from '../../bridge/memory'
 * @import { ResolvedOptions } from '../../options/table'
 * @import { Waits } from './waits'
 * @import { Works } from './works'
 * @import { Server } from 'node:net'
 */

/** A timer of this length is due before any connection in a loop that has just begun to turn. */
const SOON_MS = 1
/** Age from which on a process is not a short command. */
const LATER_MS = 50
/** Channel of every server that begins to listen. */
const LISTEN = 'tracing:net.server.listen:asyncStart'
/** Channel of every connection of every server, before its first request. */
const CONNECTION = 'net.server.socket'

const { queueMicrotask } = globalThis

/** An application may replace the method, so it is bound at load. */
const activeResources = process.getActiveResourcesInfo?.bind(process) ?? (() => ['unknown'])

/** The answer while nothing is followed. @type {ReturnType<Works['current']>} */
const nothing = { context: undefined, isCertain: true }

/** Starts tracking when a server listens or the loop turns: 40 modules in 11 ms (24.21) are too much for a command. */
class WorkLater {
  /** @type {ReturnType<typeof import('./works').startWork> | null} */
  #started = null
  #isStopped = false
  #start
  #hold
  #timer
  /** @type {FollowingCost | null} null while following is free */
  #cost = null
  #onCostly
  #makeQueries
  /** @type {import('./queries').Queries | undefined} */
  #queries

  /**
   * @param {(listening: Server[]) => ReturnType<typeof import('./works').startWork>} start
   * @param {(step: () => void) => void} [hold] runs a step that is not a block of the application
   * @param {(() => void) | null} [onCostly] called when following is given up because it costs; null if it is free
   * @param {() => import('./queries').Queries} [makeQueries] if statements of a database are followed
   */
  constructor (start, hold = (step) => step(), onCostly = null, makeQueries) {
    this.#start = start
    this.#makeQueries = makeQueries
    this.#hold = hold
    this.#onCostly = onCostly
    subscribe(LISTEN, this.#onListen)
    subscribe(CONNECTION, this.#onConnection)
    this.#timer = setTimeout(() => {
      // A process with nothing to wait for is about to end, after one more turn of its loop.
      if (activeResources().length > 0) return this.#tryStart()
      this.#timer = setTimeout(() => this.#tryStart(), LATER_MS).unref()
    }, SOON_MS).unref()
  }

  #onListen = (/** @type {any} */ { server }) => this.#tryStart([server])

  /** For a server that listened before this agent started. */
  #onConnection = () => this.#tryStart()

  /**
   * Never throws: an error would be thrown into the application, which publishes on the channels.
   * @param {Server[]} [listening] a subscriber added during a message does not receive that one
   */
  #tryStart (listening = []) {
    if (this.#started !== null) return
    this.#wake()
    try {
      this.#hold(() => { this.#started = this.#start(listening) })
    } catch (error) {
      // For example, a test has replaced the file system.
      warnOnce('LOOPWATCH_WARN_WORK', `loopwatch does not see requests: ${error.message}`)
    }
  }

  #wake () {
    clearTimeout(this.#timer)
    unsubscribe(LISTEN, this.#onListen)
    unsubscribe(CONNECTION, this.#onConnection)
  }

  /** Called at an interrupt, so this loads nothing. */
  current = () => {
    // Giving up within a hook of Node.js would leave that hook on for good; a microtask comes between two promises.
    if (this.#cost?.interrupt(nowMs())) queueMicrotask(() => this.#giveUp())
    return this.#started?.works.current() ?? nothing
  }

  get hasWorked () {
    return this.#started?.works.hasWorked ?? false
  }

  /** @param {number} atMs */
  beat (atMs) {
    if (this.#cost?.beat(atMs)) this.#giveUp()
    this.#started?.waits.beat(atMs)
  }

  /** An incident begins, or ends, in which work waits for a peer. @type {Waits['watch']} */
  watchWaits (incident) {
    this.#started?.waits.watch(incident)
  }

  #giveUp () {
    if (this.#cost === null) return
    this.follow(false)
    // Work that the application names is still followed.
    if (!this.#started?.works.isFollowing) this.#onCostly?.()
  }

  /** @type {Works['run']} */
  run (name, fn, attributes) {
    if (!this.#isStopped) this.#tryStart()
    if (this.#started === null) return require('./validate-work').runUnwatched(name, fn, attributes)
    return this.#started.works.run(name, fn, attributes)
  }

  /** @param {boolean} on whether to follow requests and work through asynchronous calls from now on */
  follow (on) {
    if (this.#isStopped) return
    this.#tryStart()
    this.#started?.works.follow(on)
    this.#cost = on && this.#onCostly !== null ? new FollowingCost() : null
  }

  /** A block may have been in a statement of a database. */
  followQueries () {
    if (this.#isStopped) return
    this.#queries ??= this.#makeQueries?.()
    this.#queries?.follow()
  }

  /** @param {number} atMs of a late beat @param {number} idleMs of the loop so far */
  late (atMs, idleMs) {
    this.#started?.requests.late(atMs, idleMs)
    this.#queries?.late()
  }

  stop () {
    this.#isStopped = true
    this.#wake()
    this.#started?.stop()
    // The turn that stops the agent may be a block.
    this.#queries?.late()
    this.#queries?.stop()
  }
}

/**
 * How requests are followed on this Node.js. `isUnsafe`: not at all, as that could end the application. `escalates`:
 * from the first block on, as following costs a tenth of the throughput.
 * @param {'auto' | 'on' | 'off'} mode option `requests`
 */
exports.waysToFollow = (mode) => {
  const isAuto = mode === 'auto'
  const isSafe = isContextSafe(process.versions.node)
  return { isSafe, isUnsafe: isAuto && !isSafe, escalates: isAuto && isSafe && !hasContextFrame() }
}

/**
 * @param {ResolvedOptions} options @param {Bridge} bridge
 * @param {(message: object) => void} post to the watchdog @param {(step: () => void) => void} hold
 */
exports.startWorkLater = (options, bridge, post, hold) => {
  const ways = exports.waysToFollow(options.requests)
  const start = (/** @type {Server[]} */ listening) =>
    require('./works').startWork(options, bridge, post, ways, listening)
  const onCostly = () => post({ code: FOLLOW, on: false })
  const makeQueries = () => new (require('./queries').Queries)(bridge.beat, post)
  const works = new WorkLater(start, hold, ways.escalates ? onCostly : null, makeQueries)
  return { works, ...ways }
}

exports.WorkLater = WorkLater
