'use strict'

const { SOURCE_MAP } = require('../bridge/messages')
const { FrameTable } = require('../explain/frame-table')
const { SourceMaps } = require('../explain/source-map')
const { readSource } = require('./read-source')

/**
 * Where code comes from: the files on disk, and what the host's Node.js knows of those that were compiled in
 * memory, which it is asked for once each. A host that is stuck answers when its block is over.
 */
class Sources {
  #maps
  /** @type {Set<string>} */
  #asked = new Set()
  #post

  /** @param {(message: object) => void} post to the host */
  constructor (post) {
    this.#post = post
    const { typescript } = /** @type {{ typescript?: unknown }} */ (process.features)
    this.#maps = new SourceMaps(readSource, { onMissing: (file) => this.#ask(file), stripsTypes: Boolean(typescript) })
    this.frames = new FrameTable((frame) => this.#maps.original(frame))
  }

  /** @param {string} file */
  #ask (file) {
    if (this.#asked.has(file)) return
    this.#asked.add(file)
    this.#post({ code: SOURCE_MAP, file })
  }

  /** @param {{ file: string, text: string | null }} message */
  receive ({ file, text }) {
    if (text === null) return
    // It may be let go of, for others.
    this.#asked.delete(file)
    this.#maps.learn(file, text)
    this.frames.forget()
  }
}

exports.Sources = Sources
