'use strict'

const path = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')

/** Loaded with the first map only: most applications have none. */
const tracing = () => require('@jridgewell/trace-mapping')

/** @typedef {import('@jridgewell/trace-mapping').TraceMap} TraceMap */

const COMMENT = /\/[/*][#@]\s*sourceMappingURL=([^\s'"*]+)/g
const INLINE = /^data:application\/json[^,]*?(;base64)?,(.*)$/s
/** Maps read once and kept; a process runs few files that block. */
const FILES = 100
/** Decoded, a map takes about ten times its text; together they must fit the thread's heap. */
const MAP_CHARS = 4 * 1024 * 1024

/**
 * Symbolicates frames by the source maps that their files name, inline or beside them.
 * Reading is injected: `read(file)` gives a text, or null where there is none or it is too large.
 */
class SourceMaps {
  /** @type {Map<string, TraceMap | null>} */
  #maps = new Map()
  #chars = 0
  #read

  /** @param {(file: string) => string | null} read */
  constructor (read) {
    this.#read = read
  }

  /**
   * The frame at its original place, or as it came where no map says more.
   * @param {import('../bridge/answer').Frame} frame
   * @returns {import('../bridge/answer').Frame}
   */
  original (frame) {
    const file = toPath(frame.file)
    if (file === null || frame.line === null || !path.isAbsolute(file)) return { ...frame, file }
    return { ...frame, file, ...this.#find(file, frame.line, frame.column ?? 1) }
  }

  /** @param {string} file @param {number} line @param {number} column */
  #find (file, line, column) {
    const map = this.#mapOf(file)
    if (map === null) return null
    try {
      const found = tracing().originalPositionFor(map, { line, column: column - 1 })
      return found.source === null ? null : { file: toPath(found.source), line: found.line, column: found.column + 1 }
    } catch {
      // A script of node:vm may begin at a negative line, and a broken map name a source it has not.
      return null
    }
  }

  /** @param {string} file */
  #mapOf (file) {
    let map = this.#maps.get(file)
    if (map === undefined) {
      map = this.#load(file)
      if (this.#maps.size === FILES) this.#maps.clear()
      this.#maps.set(file, map)
    }
    return map
  }

  /** @param {string} file */
  #load (file) {
    try {
      const url = [...(this.#read(file) ?? '').matchAll(COMMENT)].at(-1)?.[1]
      if (url === undefined) return null
      const inline = INLINE.exec(url)
      const mapFile = inline ? file : path.resolve(path.dirname(file), decodeURIComponent(url))
      const text = inline
        ? Buffer.from(inline[1] ? inline[2] : decodeURIComponent(inline[2]), inline[1] ? 'base64' : 'utf8').toString()
        : this.#read(mapFile)
      // Sources are URLs beside the map's; as a path a `#` or `?` of a folder would end it.
      if (text === null || text.length > MAP_CHARS) return null
      if ((this.#chars += text.length) > MAP_CHARS) {
        this.#maps.clear()
        this.#chars = text.length
      }
      return new (tracing().TraceMap)(text, pathToFileURL(mapFile).href)
    } catch {
      // A broken map is no reason to say less than the generated place.
      return null
    }
  }
}

/** @param {string | null} file path or file: URL */
function toPath (file) {
  if (file === null || !file.startsWith('file:')) return file
  try {
    return fileURLToPath(file)
  } catch {
    return file
  }
}

exports.SourceMaps = SourceMaps
exports.toPath = toPath
