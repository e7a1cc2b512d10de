'use strict'

const { KernelFile } = require('../../util/kernel/file')

/** @import { Beat } from '../../bridge/beat' */

/** The system calls by which libuv waits for events: epoll_pwait and epoll_pwait2, on x64 epoll_wait as well. */
const WAITS = /** @type {Record<string, string[]>} */ ({
  x64: ['281', '441', '232'],
  arm64: ['22', '441'],
  riscv64: ['22', '441'],
  loong64: ['22', '441']
})
/** A descriptor is the loop's own after this many waits in a row: another loop has a descriptor of its own. */
const ALIKE = 3
/** The loop was idle between two beats if it waited for events for this share of the time. */
const IDLE_SHARE = 0.9

/**
 * Sees from outside whether the main thread waits for events. Linux shows the system call in which a thread sleeps; its
 * first argument distinguishes the loop's waits from those of `spawnSync()`, which has its own loop. It sees nothing on
 * other systems, if /proc is hidden, or until the loop's descriptor is known.
 */
class EpollSleepProbe {
  #file
  #waits
  /** @type {string | null} call and descriptor */
  #own = null
  /** @type {{ call: string, atMs: number, beat: Beat } | null} */
  #last = null
  #alike = { call: '', count: 0 }

  /** @param {{ read: () => string | null }} [file] @param {string} [arch] */
  constructor (file = new KernelFile(`/proc/self/task/${process.pid}/syscall`), arch = process.arch) {
    this.#file = file
    this.#waits = WAITS[arch] ?? []
  }

  get canSee () {
    return this.#own !== null
  }

  get isAsleep () {
    return this.#own !== null && this.#call() === this.#own
  }

  /** A wait between two beats is the loop's own if it idled then. @param {number} nowMs @param {Beat} beat the last */
  learn (nowMs, beat) {
    if (this.#own !== null) return
    if (this.#last !== null && this.#last.beat.beats !== beat.beats) this.#judge(this.#last, beat)
    const call = this.#call()
    this.#last = call === null ? null : { call, atMs: nowMs, beat }
  }

  /** @param {{ call: string, atMs: number, beat: Beat }} last @param {Beat} beat */
  #judge ({ call, atMs, beat: before }, beat) {
    const isIdle = beat.idleMs - before.idleMs >= (beat.atMs - before.atMs) * IDLE_SHARE
    if (!isIdle || atMs < before.atMs || atMs >= beat.atMs) return
    this.#alike = { call, count: call === this.#alike.call ? this.#alike.count + 1 : 1 }
    if (this.#alike.count >= ALIKE) this.#own = call
  }

  /** The wait for events in which the thread sleeps, null if it does something else. */
  #call () {
    const [number, descriptor] = (this.#file.read() ?? '').split(' ', 2)
    return this.#waits.includes(number) ? `${number} ${descriptor}` : null
  }

  close () {
    /** @type {Partial<KernelFile>} */ (this.#file).close?.()
  }
}

exports.EpollSleepProbe = EpollSleepProbe
