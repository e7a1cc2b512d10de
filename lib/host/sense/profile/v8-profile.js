'use strict'

const v8 = require('node:v8')
const { nowMs } = require('../../../util/clock')

const MS_PER_MINUTE = 60000
/** No block that is worth a profile lasts longer; of one that does it has the beginning. A sample takes 16 bytes. */
const LONGEST_MS = 5 * MS_PER_MINUTE
/**
 * As rare as the API lets it be, and a whole multiple of any interval in whole milliseconds: V8 samples at what divides
 * both.
 */
const KEEPER_MS = 1e6

/**
 * @typedef {{ stop: () => string, [Symbol.dispose]: () => void }} Handle of v8.startCpuProfile(), newer than the types
 * we check against
 */

/** @type {(options: { sampleInterval: number, maxBufferSize: number }) => Handle} */
const startCpuProfile = (options) => /** @type {any} */ (v8).startCpuProfile(options)

/**
 * V8's CPU profile of this thread by `v8.startCpuProfile()`: no inspector, so it is there also where that is forbidden,
 * and nobody else is told of it. A profile that no block needs is thrown away unwritten.
 *
 * The keeper is a second profile that hardly ever samples. While there is one, V8 knows all functions, so that another
 * starts in 0.1 ms; and without the other V8's thread sleeps (26.10: 1 wake-up of the idle process a second instead of
 * 100).
 */
class V8Profile {
  /** @type {Handle | null} */
  #keeper = null
  /** @type {Handle | null} */
  #sampling = null
  #beganAtMs = 0
  #intervalMs

  /** @param {number} intervalMs between samples, whole */
  constructor (intervalMs) {
    this.#intervalMs = intervalMs
  }

  get isOn () {
    return this.#keeper !== null
  }

  get isResting () {
    return this.isOn && this.#sampling === null
  }

  /** When what is being taken now began. */
  get beganAtMs () {
    return this.#beganAtMs
  }

  start () {
    this.#keeper = startCpuProfile({ sampleInterval: KEEPER_MS, maxBufferSize: 1 })
    this.wake()
  }

  /** It samples from now on. */
  wake () {
    this.#sampling = this.#begin()
  }

  #begin () {
    this.#beganAtMs = nowMs()
    return startCpuProfile({
      sampleInterval: this.#intervalMs,
      maxBufferSize: Math.ceil(LONGEST_MS / this.#intervalMs)
    })
  }

  /** What it has sampled is thrown away, and it samples no longer: V8's thread ends and another begins, 0.2 to 5 ms. */
  rest () {
    const handle = this.#sampling
    this.#sampling = null
    handle?.[Symbol.dispose]()
  }

  /** What it has sampled is thrown away, and it goes on. The next begins first: V8's thread then stays, 0.2 ms. */
  renew () {
    const handle = this.#sampling
    this.#sampling = this.#begin()
    handle?.[Symbol.dispose]()
  }

  /** What it has sampled, as text: to read it is the other thread's work. */
  take () {
    const handle = this.#sampling
    if (handle === null) return null
    const startMs = this.#beganAtMs
    this.#sampling = this.#begin()
    return { startMs, endMs: this.#beganAtMs, text: handle.stop() }
  }

  stop () {
    const handles = [this.#sampling, this.#keeper]
    this.#sampling = this.#keeper = null
    for (const handle of handles) handle?.[Symbol.dispose]()
  }
}

exports.V8Profile = V8Profile
