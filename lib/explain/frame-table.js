'use strict'

/** Far more than the functions in which an application ever blocks. */
const FRAMES = 10000

/** @typedef {import('../bridge/answer').Frame} Frame */

/**
 * One object for each distinct frame, at its original place: hundreds of records with dozens of
 * frames each then share a few thousand, and a frame is symbolicated once.
 */
class FrameTable {
  /** @type {Map<string, Frame>} */
  #frames = new Map()
  #original
  #isInMemory

  /**
   * @param {(frame: Frame) => Frame} original maps a frame through source maps
   * @param {(file: string) => boolean} [isInMemory] whether what runs of a file is not what is on disk
   */
  constructor (original, isInMemory = () => false) {
    this.#original = original
    this.#isInMemory = isInMemory
  }

  /** Whether what runs of a file is not what is on disk. @param {string} file */
  isInMemory (file) {
    return this.#isInMemory(file)
  }

  /** @param {Frame} raw */
  get (raw) {
    const key = `${raw.file}\n${raw.line}\n${raw.column}\n${raw.function}`
    let frame = this.#frames.get(key)
    if (frame === undefined) {
      if (this.#frames.size === FRAMES) this.#frames.clear()
      // Copied through text: strings cut from an answer would each keep all of it in memory.
      frame = Object.freeze(JSON.parse(JSON.stringify(this.#original(raw))))
      this.#frames.set(key, /** @type {Frame} */ (frame))
    }
    return /** @type {Frame} */ (frame)
  }

  /** More is known of where frames come from. */
  forget () {
    this.#frames.clear()
  }
}

exports.FrameTable = FrameTable
