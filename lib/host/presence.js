'use strict'

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { setInterval, setTimeout, clearInterval, clearTimeout } = require('node:timers')
const process = require('../util/process')
const { nowMs } = require('../util/clock')
const { startClusterRole } = require('./cluster-role')
const { isOwnProgram, isTested, mainFile } = require('./launchers')

/** @import { Server } from 'node:net' */

/** Interval of the checks. Most servers of test suites have closed by the first one. */
const LOOK_MS = 1000
/** A program that is still there after this time is not a script. */
const LIVED_MS = 10000
/** Time between two looks whether the loop of a test is blocked, and how late one of them is then, at least. */
const BEAT_MS = 20
const BLOCKED_MS = 50
/** Channel on which Node.js publishes every server that begins to listen. */
const LISTEN = 'tracing:net.server.listen:asyncStart'

/** An application may replace the method, so it is bound at load. */
const activeResources = process.getActiveResourcesInfo?.bind(process) ?? (() => [])

/** @typedef {{ isOwn: boolean, isServing: boolean, isWorking: boolean, ageMs: number, hasChildren: boolean }} Signs */

/**
 * Whether a preloaded process opens its endpoint and announces it in the log. A program of one's own without a server
 * and without named work does so after a while, unless it has children: then it is a launcher, and the port is for its
 * children. @param {Signs} signs
 */
exports.isPresent = ({ isOwn, isServing, isWorking, ageMs, hasChildren }) =>
  isServing || isWorking || (isOwn && ageMs >= LIVED_MS && !hasChildren)

/**
 * Decides whether a preloaded process shows itself. Members of a node:cluster do, and callers of start(). A suite may
 * start a process for each of its files: those of test runners, and the runners, do nothing until their loop is blocked
 * for the first time.
 */
class Presence {
  isOn = false
  #isTested = isTested(mainFile())
  isOwn = !this.#isTested && isOwnProgram(mainFile())
  #hasLived = false
  /** Called when one of the fields above changes. @type {() => void} */
  onChange = () => {}
  /** @type {() => boolean} */
  isWorking = () => false
  /** Servers that listen, with the time since when they do. @type {Map<Server, number>} */
  #servers = new Map()
  #startMs = nowMs()
  #cluster = startClusterRole(() => this.settle())
  #timer = setTimeout(() => this.#look(), LOOK_MS).unref()
  #beats = this.#isTested ? setInterval(() => this.#beat(), BEAT_MS).unref() : undefined
  #beatAtMs = Infinity

  constructor () {
    subscribe(LISTEN, this.#onListen)
    if (!this.#isTested && this.#cluster.role().kind !== 'single') this.settle()
  }

  /** The first one ends the start of the process, which may take long. */
  #beat () {
    const now = nowMs()
    const lateMs = now - this.#beatAtMs - BEAT_MS
    this.#beatAtMs = now
    if (lateMs < BLOCKED_MS) return
    clearInterval(this.#beats)
    this.#isTested = false
    this.#look()
  }

  #onListen = (/** @type {any} */ { server }) => {
    if (this.#servers.size === 0) this.#timer.refresh()
    this.#servers.set(server, nowMs())
  }

  #look () {
    if (this.#isTested) return
    const now = nowMs()
    const ageMs = now - this.#startMs
    // pm2 sets the name of the application later, when its own file runs.
    const isOwn = isOwnProgram(mainFile())
    const isServing = this.#isServing(now, isOwn)
    const isWorking = this.isWorking()
    if (isServing || isWorking) return this.settle()
    const hasChildren = activeResources().includes('ProcessWrap')
    this.#set(exports.isPresent({ isOwn, isServing, isWorking, ageMs, hasChildren }), isOwn, isOwn && ageMs >= LIVED_MS)
    // A tool that has lived this long is checked again only if it has a server.
    if (isOwn || ageMs < LIVED_MS || this.#servers.size > 0) this.#timer.refresh()
  }

  /**
   * Servers with a path do not count for tools, which talk to themselves through them: pm2's daemon, tsx.
   * @param {number} now @param {boolean} isOwn
   */
  #isServing (now, isOwn) {
    for (const server of this.#servers.keys()) {
      if (!server.listening) this.#servers.delete(server)
    }
    return [...this.#servers].some(([server, sinceMs]) =>
      now - sinceMs >= LOOK_MS * 0.9 && (isOwn || typeof server.address() === 'object'))
  }

  /** @param {boolean} isOn @param {boolean} [isOwn] @param {boolean} [hasLived] */
  #set (isOn, isOwn = this.isOwn, hasLived = this.#hasLived) {
    const isSame = this.isOn === isOn && this.isOwn === isOwn && this.#hasLived === hasLived
    this.isOn = isOn
    this.isOwn = isOwn
    this.#hasLived = hasLived
    if (!isSame) this.onChange()
  }

  /** Shows the process for good. */
  settle () {
    this.stop()
    this.#set(true)
  }

  stop () {
    clearTimeout(this.#timer)
    clearInterval(this.#beats)
    unsubscribe(LISTEN, this.#onListen)
    this.#cluster.stop()
    this.#servers.clear()
  }
}

exports.Presence = Presence
