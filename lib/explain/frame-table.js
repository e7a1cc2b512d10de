'use strict'

const { runsCompiled } = require('./source-map')

/** Far more than the functions in which an application ever blocks. */
const FRAMES = 10000

/** @typedef {import('../types').Frame} Frame */

/**
 * One object for each distinct frame, at its original place: hundreds of records with dozens of
 * frames each then share a few thousand, and a frame is symbolicated once.
 */
class FrameTable {
  /** @type {Map<string, Frame>} */
  #frames = new Map()
  /** As they came, of files that a map may be learned of. @type {WeakMap<Frame, Frame>} */
  #raw = new WeakMap()
  #original
  #isHead

  /**
   * @param {(frame: Frame) => Frame} original maps a frame through source maps
   * @param {(raw: Frame) => boolean} [isHead] whether its place is where its function begins
   */
  constructor (original, isHead = () => false) {
    this.#original = original
    this.#isHead = isHead
  }

  /** Whether the innermost of these, as they came, had only just been entered. @param {Frame[]} raw */
  isJustEntered ([innermost]) {
    return innermost !== undefined && this.#isHead(innermost)
  }

  /** @param {Frame} raw */
  get (raw) {
    const key = `${raw.file}\n${raw.line}\n${raw.column}\n${raw.function}`
    let frame = this.#frames.get(key)
    if (frame === undefined) {
      if (this.#frames.size === FRAMES) this.#frames.clear()
      frame = Object.freeze(copy(this.#original(raw)))
      this.#frames.set(key, frame)
      if (runsCompiled(raw.file)) this.#raw.set(frame, copy(raw))
    }
    return frame
  }

  /** A frame of this table by what is known now of where it comes from. @param {Frame} frame */
  again (frame) {
    const raw = this.#raw.get(frame)
    return raw === undefined ? frame : this.get(raw)
  }

  /** More is known of where frames come from. */
  forget () {
    this.#frames.clear()
  }
}

/** Through text: strings cut from an answer would each keep all of it in memory. @param {Frame} frame @returns {Frame} */
const copy = (frame) => JSON.parse(JSON.stringify(frame))

exports.FrameTable = FrameTable
