'use strict'

const { SOURCE_MAP } = require('../../bridge/messages')
const { nowMs } = require('../../util/clock')
const { FrameTable } = require('../../explain/frame-table')
const { FunctionHeads } = require('../../explain/function-head')
const { SourceMaps: MapReader } = require('../../explain/source-map')
const { FunctionNames } = require('./function-names')
const { readSource } = require('../../util/read-source')

/** The host is asked again after this time: a map may come later than its file, or have been let go of for others. */
const AGAIN_MS = 60000
/** A larger source is a bundle: its lines tell nobody anything. */
const SHOWN_BYTES = 2 * 1024 * 1024

/**
 * Where code comes from: the files on disk, and what the main thread's Node.js knows of those that were compiled in
 * memory. The main thread is asked for these now and then; if it is stuck it answers when its block is over.
 */
class SourceMaps {
  #maps
  /** @type {Map<string, number>} */
  #askedAtMs = new Map()
  #post

  /**
   * @param {(message: object) => void} post to the host
   * @param {boolean} stripsTypes the host runs TypeScript itself, every place where it was
   */
  constructor (post, stripsTypes) {
    this.#post = post
    this.#maps = new MapReader(readSource, { onMissing: (file) => this.#ask(file), stripsTypes })
    const isInMemory = (/** @type {string} */ file) => this.isInMemory(file)
    const heads = new FunctionHeads(readSource, isInMemory)
    const names = new FunctionNames(readSource, isInMemory)
    this.frames = new FrameTable(
      (frame) => this.#maps.original(frame),
      (raw) => heads.has(raw),
      (frame) => names.nameOf(frame)
    )
  }

  /** @param {string} file */
  #ask (file) {
    const now = nowMs()
    if (now - (this.#askedAtMs.get(file) ?? -Infinity) < AGAIN_MS) return
    this.#askedAtMs.set(file, now)
    this.#post({ code: SOURCE_MAP, file })
  }

  /** Whether what runs of a file is not what is on disk. @param {string} file */
  isInMemory (file) {
    return this.#maps.isInMemory(file)
  }

  /** Where a line of what runs comes from, null where nobody tells. @param {string} file @param {number} line */
  lineAt (file, line) {
    return this.#maps.lineAt(file, line)
  }

  /**
   * The lines of a source as a person wrote it: of the file on disk, else as a source map carries it.
   * @param {string} file
   */
  linesOf (file) {
    return (readSource(file, SHOWN_BYTES) ?? this.#maps.contentOf(file))?.split(/\r?\n/) ?? null
  }

  /** @param {{ file: string, text: string | null }} message */
  receive ({ file, text }) {
    if (text === null) return
    this.#maps.learn(file, text)
    this.frames.forget()
  }
}

exports.SourceMaps = SourceMaps
