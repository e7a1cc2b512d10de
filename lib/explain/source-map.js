'use strict'

const path = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')
const { MAP_CHARS } = require('../tables/source-map-size')

/** Loaded with the first map only: most applications have none. */
const tracing = () => require('@jridgewell/trace-mapping')

/**
 * @typedef {import('@jridgewell/trace-mapping').TraceMap} TraceMap
 * @typedef {{ file: string, line: number, column?: number }} LinePlace the column of the first place that a map has
 */

/** Files that run compiled. By Node.js itself every place stays where it was, not so by tsx, ts-node and their like. */
const COMPILED = /\.(?:[cm]?ts|[jt]sx)$/
const COMMENT = /\/[/*][#@]\s*sourceMappingURL=([^\s'"*]+)/g
const PACKAGE = /[\\/]node_modules[\\/]/
const INLINE = /^data:application\/json[^,]*?(;base64)?,(.*)$/s

/** Whether there may be a map to be learned of a file. @param {string | null} file */
const runsCompiled = (file) => file !== null && COMPILED.test(file)

/** Maps read once and kept; a process runs few files that block. */
const FILES = 100

/**
 * Symbolicates frames by the source maps that their files name, inline or beside them, or that are learned
 * of files compiled in memory.
 */
class SourceMaps {
  /** @type {Map<string, TraceMap | null>} */
  #maps = new Map()
  #chars = 0
  #read
  #onMissing
  #stripsTypes
  /** @type {Set<string>} */
  #inMemory = new Set()

  /**
   * @param {(file: string) => string | null} read gives a text, null if there is none or it is too large
   * @param {object} [memory] about files that run compiled
   * @param {(file: string) => void} [memory.onMissing] called, more than once, for a file that names no map on disk:
   * there may be a map to be learned
   * @param {boolean} [memory.stripsTypes] Node.js itself runs TypeScript and keeps every place, unless somebody else
   * compiles it
   */
  constructor (read, { onMissing = () => {}, stripsTypes = false } = {}) {
    this.#read = read
    this.#onMissing = onMissing
    this.#stripsTypes = stripsTypes
  }

  /** Learns a map that is in memory only. @param {string} file @param {string} text */
  learn (file, text) {
    this.#inMemory.add(file)
    this.#keep(file, this.#parse(text, file))
  }

  /** Whether the code that runs is known to differ from the file on disk. @param {string} file */
  isInMemory (file) {
    return this.#inMemory.has(file) || (runsCompiled(file) && !this.#stripsTypes)
  }

  /**
   * The frame at its original place, or as it came if no map says more.
   * @param {import('../types').Frame} frame
   * @returns {import('../types').Frame}
   */
  original (frame) {
    const file = toPath(frame.file)
    if (file === null || frame.line === null || !path.isAbsolute(file) || isAsPublished(file)) return { ...frame, file }
    const found = this.#find(file, frame.line, frame.column ?? 1)
    if (found !== null || !this.#isElsewhere(file, frame.line, frame.column ?? 1)) return { ...frame, file, ...found }
    this.#inMemory.add(file)
    this.#onMissing(file)
    return { ...frame, file, compiled: true }
  }

  /**
   * Where a whole line of what runs comes from: profiles count lines without columns. Null where nobody tells, as of
   * code that was compiled in memory, or where it holds several lines of the source, as in a minified bundle.
   * @param {string} file
   * @param {number} line from 1
   * @returns {LinePlace | null}
   */
  lineAt (file, line) {
    const map = path.isAbsolute(file) && !isAsPublished(file) ? this.#mapOf(file) : null
    if (map === null) return this.isInMemory(file) ? null : { file, line }
    const { decodedMappings } = tracing()
    const [first, ...others] = (decodedMappings(map)[line - 1] ?? []).filter((segment) => segment.length > 1)
    if (first === undefined || others.some((other) => other[1] !== first[1] || other[2] !== first[2])) return null
    const source = toPath(map.resolvedSources[/** @type {number} */ (first[1])])
    return source === null ? null : { file: source, line: Number(first[2]) + 1, column: Number(first[3]) + 1 }
  }

  /** A source as one of the maps known by now carries it. @param {string} file @returns {string | null} */
  contentOf (file) {
    for (const map of this.#maps.values()) {
      const at = map === null ? -1 : map.resolvedSources.findIndex((source) => toPath(source) === file)
      if (at >= 0) return map?.sourcesContent?.[at] ?? null
    }
    return null
  }

  /**
   * Whether a place is one of code that was compiled in memory, and not of the file.
   * @param {string} file
   * @param {number} line
   * @param {number} column
   */
  #isElsewhere (file, line, column) {
    if (!runsCompiled(file)) return false
    if (!this.#stripsTypes) return true
    const text = this.#read(file)?.split('\n')[line - 1]
    return text === undefined || column > text.length + 1
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
      this.#keep(file, map)
      if (map === null && runsCompiled(file)) this.#onMissing(file)
    }
    return map
  }

  /** @param {string} file @param {TraceMap | null} map */
  #keep (file, map) {
    if (this.#maps.size === FILES && !this.#maps.has(file)) {
      this.#maps.clear()
      this.#chars = 0
    }
    this.#maps.set(file, map)
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
      return text === null ? null : this.#parse(text, mapFile)
    } catch {
      return null
    }
  }

  /** @param {string} text @param {string} mapFile */
  #parse (text, mapFile) {
    if (text.length > MAP_CHARS) return null
    if ((this.#chars += text.length) > MAP_CHARS) {
      this.#maps.clear()
      this.#chars = text.length
    }
    try {
      // Sources are URLs beside the map's; as a path a `#` or `?` of a folder would end it.
      return new (tracing().TraceMap)(text, pathToFileURL(mapFile).href)
    } catch {
      // A broken map is no reason to say less than the generated place.
      return null
    }
  }
}

/**
 * A package's code has the lines of the file that is installed, which everybody can open. Its map may name a source
 * that nobody has (`webpack://next/src/…`), which would pass for the application's. Node.js can leave packages out,
 * too: `module.setSourceMapsSupport()`, `nodeModules`. While an application loads, most frames are of packages: with
 * TypeScript and webpack the watchdog read 30 MB for maps, which took 100 ms of CPU time in the first second.
 * @param {string} file
 */
const isAsPublished = (file) => PACKAGE.test(file) && !runsCompiled(file)

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
exports.runsCompiled = runsCompiled
exports.toPath = toPath
