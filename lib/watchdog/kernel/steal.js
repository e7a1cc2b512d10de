'use strict'

const { cpus } = require('node:os')
const { nowMs } = require('../../util/clock')
const { MS_PER_TICK } = require('../../util/units')
const { KernelFile } = require('../../util/kernel/file')

/** The longest line of a CPU in /proc/stat: ten numbers of up to 15 digits. */
const LINE_BYTES = 160
const STEAL_FIELD = 8
/** The pause after a reading, as a multiple of its length: on large machines the kernel takes 1 ms to sum all CPUs. */
const REST_SHARE = 50

/** Steal time of each CPU of a virtual machine: it had something to run, but the hypervisor ran others. */
class MachineSteal {
  #file = new KernelFile('/proc/stat', (cpus().length + 1) * LINE_BYTES)
  /** @type {string | null} */
  #text = null
  #dueAtMs = -Infinity

  /** @param {number} cpu @param {number} atMs */
  of (cpu, atMs) {
    if (atMs >= this.#dueAtMs) {
      const fromMs = nowMs()
      this.#text = this.#file.read()
      this.#dueAtMs = atMs + (nowMs() - fromMs) * REST_SHARE
    }
    return this.#text === null ? null : stolenOf(this.#text, cpu)
  }

  close () {
    this.#file.close()
  }
}

/** Steal time of one thread: that of the CPU it was on, while it stayed there. */
class Steal {
  #machine
  #totalMs = 0
  /** @type {number | null} */
  #cpu = null
  /** @type {number | null} stolen from that CPU at the last reading */
  #lastMs = null

  /** @param {Pick<MachineSteal, 'of'>} machine */
  constructor (machine) {
    this.#machine = machine
  }

  /**
   * Stolen so far, null if unknown; only differences mean something.
   * @param {number} atMs @param {number | null} cpu the thread's
   */
  read (atMs, cpu) {
    const stolenMs = cpu === null ? null : this.#machine.of(cpu, atMs)
    if (cpu === this.#cpu && stolenMs !== null && this.#lastMs !== null) this.#totalMs += stolenMs - this.#lastMs
    this.#cpu = cpu
    this.#lastMs = stolenMs
    return stolenMs === null ? null : this.#totalMs
  }
}

/** @param {string} text of /proc/stat @param {number} cpu @returns {number | null} */
function stolenOf (text, cpu) {
  const ticks = Number(new RegExp(`^cpu${cpu} .*$`, 'm').exec(text)?.[0].split(' ')[STEAL_FIELD])
  return Number.isFinite(ticks) ? ticks * MS_PER_TICK : null
}

exports.MachineSteal = MachineSteal
exports.Steal = Steal
exports.stolenOf = stolenOf
