'use strict'

const { US_PER_MS } = require('../../util/units')

/** @import { Bridge } from '../../bridge/memory' */

/** Beat period of a waiting thread: it counts as on time until a poll, which a blocked main thread cannot do. */
const NEVER_MS = 1e9
/** Node.js gets a thread ready in 30 ms; then a preload runs, before the loop begins. Few take longer than this. */
const BOOT_MS = 1000
/** How often a thread that waits for events is woken for its CPU time. */
const CPU_MS = 1000

/**
 * The main thread's view of a worker thread. Node.js shows how long the thread's loop has waited for events, up to
 * this moment. If that has grown between two polls, the loop has turned; while it has not, the loop was busy without a
 * pause. So a loop that turns without ever waiting looks like a blocked one.
 */
class OutsideView {
  #read
  #cpuUsage
  #bridge
  #certainMs
  #createdAtMs
  #isStopped = false
  #isBegun = false
  #idleMs = 0
  #atMs
  /**
   * Since when it is busy (`earliestMs` to `latestMs`), and until when at least.
   * @type {{ earliestMs: number, latestMs: number, untilMs: number, isReported: boolean } | null}
   */
  #busy = null
  /** The last CPU time; null while a question is open. */
  #cpu = /** @type {NodeJS.CpuUsage | null} */ ({ user: 0, system: 0 })
  #cpuAtMs = 0

  /**
   * `read` is `worker.performance.eventLoopUtilization`. `cpuUsage` is for systems whose kernel does not show the CPU
   * time of a thread; the thread itself answers it. The watchdog reads `bridge`.
   * @param {{ read: () => { idle: number, active: number }, cpuUsage: (() => Promise<NodeJS.CpuUsage>) | null,
   *   bridge: Bridge, thresholdMs: number, createdAtMs: number }} parts
   */
  constructor ({ read, cpuUsage, bridge, thresholdMs, createdAtMs }) {
    this.#read = read
    this.#cpuUsage = cpuUsage
    this.#bridge = bridge
    // Below half of the threshold many small turns and one block look the same.
    this.#certainMs = thresholdMs / 2
    this.#createdAtMs = this.#atMs = createdAtMs
  }

  /** Whether the watchdog needs no more polls: the thread beats itself, or is gone. */
  get isDone () {
    return this.#isStopped || this.#bridge.counters.get('released') > 0
  }

  /** @param {number} nowMs @returns {number} how long it has been busy without a pause, 0 if it waits for events */
  look (nowMs) {
    // If the loop waits at this moment, a second reading a microsecond later is larger.
    const before = this.#read().idle
    const { idle, active } = this.#read()
    // Node.js says -1 while a thread is being taken apart, and 0 afterwards.
    this.#isStopped = idle < 0 || (idle === 0 && this.#idleMs > 0)
    const isBegun = idle > 0 || active > 0
    if (this.#isStopped || (!isBegun && nowMs - this.#createdAtMs < BOOT_MS)) return 0
    const waitedMs = idle - this.#idleMs
    const hasTurned = waitedMs > 0 || isBegun !== this.#isBegun
    if (hasTurned) this.#turned(nowMs, { waitedMs, idle, active, isWaiting: idle > before })
    else this.#stays(nowMs, { idle, active })
    this.#isBegun = isBegun
    this.#idleMs = idle
    this.#atMs = nowMs
    this.#askCpu(nowMs)
    return this.#busy === null ? 0 : nowMs - this.#busy.latestMs
  }

  /** @param {number} nowMs @param {{ waitedMs: number, idle: number, active: number, isWaiting: boolean }} seen */
  #turned (nowMs, { waitedMs, idle, active, isWaiting }) {
    const { beat, lateBeats } = this.#bridge
    const busy = this.#busy
    if (busy !== null && busy.untilMs - busy.latestMs >= this.#certainMs) {
      const endMs = this.#isBegun ? nowMs : nowMs - idle - active
      const doubtMs = endMs - busy.earliestMs - (busy.untilMs - busy.latestMs)
      lateBeats.push(busy.earliestMs, endMs, this.#isBegun ? waitedMs : 0, Math.max(0, doubtMs), beat.beats)
    }
    // The first of all beats stands for code at the top level.
    if (beat.beats === 0) beat.write(nowMs, idle, active, NEVER_MS)
    beat.write(nowMs, idle, active, NEVER_MS)
    const begunMs = nowMs - idle - active
    const earliestMs = Math.min(nowMs, Math.max(this.#atMs, begunMs) + waitedMs)
    this.#busy = isWaiting ? null : { earliestMs, latestMs: nowMs, untilMs: nowMs, isReported: false }
  }

  /** @param {number} nowMs @param {{ idle: number, active: number }} seen */
  #stays (nowMs, { idle, active }) {
    const fromMs = this.#isBegun ? this.#atMs : this.#createdAtMs
    const busy = this.#busy ??= { earliestMs: fromMs, latestMs: fromMs, untilMs: fromMs, isReported: false }
    busy.untilMs = nowMs
    if (busy.isReported || nowMs - busy.latestMs < this.#certainMs) return
    busy.isReported = true
    // The thread became busy between the two times: a beat at the earlier one, with the next due at the later, says so.
    const activeMs = Math.max(0, active - (nowMs - busy.earliestMs))
    this.#bridge.beat.write(busy.earliestMs, idle, activeMs, busy.latestMs - busy.earliestMs)
  }

  /** Asks one question at a time: a thread in a native call answers at its end. @param {number} nowMs */
  #askCpu (nowMs) {
    const last = this.#cpu
    if (this.#cpuUsage === null || last === null || (this.#busy === null && nowMs - this.#cpuAtMs < CPU_MS)) return
    this.#cpu = null
    this.#cpuAtMs = nowMs
    const { counters } = this.#bridge
    this.#cpuUsage().then((cpu) => {
      counters.add('userMs', Math.floor(cpu.user / US_PER_MS) - Math.floor(last.user / US_PER_MS))
      counters.add('systemMs', Math.floor(cpu.system / US_PER_MS) - Math.floor(last.system / US_PER_MS))
      this.#cpu = cpu
    }, () => { this.#cpu = last })
  }
}

exports.OutsideView = OutsideView
