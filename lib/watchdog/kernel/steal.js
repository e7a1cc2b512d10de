'use strict'

const { cpus } = require('node:os')
const { nowMs } = require('../../util/clock')
const { KernelFile, MS_PER_TICK } = require('./file')

const LINE_BYTES = 160
const STEAL_FIELD = 8
/** /proc/stat adds up the interrupts of all CPUs each time, a millisecond on a large machine: reading it takes a fiftieth of the time at most. */
const REST_SHARE = 50

/** How long each CPU of a virtual machine had something to run so far while its hypervisor ran others. */
class MachineSteal {
  #file = new KernelFile('/proc/stat', (cpus().length + 1) * LINE_BYTES)
  /** @type {string | null} */
  #text = null
  #dueAtMs = -Infinity

  /** @param {number} cpu @param {number} atMs @returns {number | null} */
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

/** What was stolen from one thread: from the CPU that it was on, for as long as it stayed there. */
class Steal {
  #machine
  #processor
  #totalMs = 0
  /** @type {number | null} */
  #cpu = null
  /** @type {number | null} of its CPU */
  #lastMs = null

  /** @param {Pick<MachineSteal, 'of'>} machine @param {() => number | null} processor the thread's CPU */
  constructor (machine, processor) {
    this.#machine = machine
    this.#processor = processor
  }

  /** So far; only differences mean something. Null where it is not known. @param {number} atMs */
  read (atMs) {
    const cpu = this.#processor()
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
