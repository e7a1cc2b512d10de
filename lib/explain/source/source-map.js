'use strict'

const path = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')
const { MAPPINGS_CHARS, BYTES_PER_CHAR, MAPS_BYTES, LARGE_BYTES } = require('../../tables/limits')
const { BoundedMap } = require('../../util/bounded-map')
const { isInPackage } = require('../../util/code-owner')
const { runsCompiled } = require('../../util/place-text')
const { mayBePlaceOf } = require('./javascript')

/**
 * @import { Frame } from '../../types'
 * @import { TraceMap } from '@jridgewell/trace-mapping'
 */

/** The library, loaded with the first map: most applications have none. */
const tracing = () => require('@jridgewell/trace-mapping')

/** @typedef {{ file: string, line: number, column?: number }} LinePlace the column of the first place in the map */

const COMMENT = /\/[/*][#@]\s*sourceMappingURL=([^\s'"*]+)/g
const INLINE = /^data:application\/json[^,]*?(;base64)?,(.*)$/s

/** Maps that are kept: few files of a process block. */
const FILES = 100
/** Files about which something is kept: more than a test process loads. */
const REMEMBERED = 10_000

/** Maps that files name, inline or next to them, and maps learned for files that were compiled in memory. */
class SourceMaps {
  /** @type {BoundedMap<TraceMap | null>} */
  #maps = new BoundedMap({ mostItems: FILES, mostWeight: MAPS_BYTES })
  /** Files whose map is read later. @type {Set<string>} */
  #awaited = new Set()
  /** Files of which a loader reported whether they were compiled in memory. @type {BoundedMap<boolean>} */
  #inMemory = new BoundedMap({ mostItems: REMEMBERED })
  /** Files that do not run as they are on disk, though no loader reported it. @type {BoundedMap<true>} */
  #misfits = new BoundedMap({ mostItems: REMEMBERED })
  /** The map files of files that were compiled in memory. @type {BoundedMap<string>} */
  #places = new BoundedMap({ mostItems: REMEMBERED })
  #read
  #sizeOf
  #host

  /**
   * @param {(file: string) => string | null} read gives a text, null if there is none or it is too large
   * @param {object} [host] @param {(file: string) => number} [host.sizeOf] bytes of a file, 0 if there is none
   * @param {(file: string, load: () => void) => boolean} [host.later] schedules the reading of a large map, if it can
   * @param {(file: string) => void} [host.onTooLarge] called for a file whose map is too large to be read
   * @param {(file: string) => void} [host.onMissing] called, more than once, for a file that names no map on disk:
   * there may be one to learn
   * @param {() => void} [host.onMisfit] called when a file proves to differ from what runs under its name, which puts
   * its earlier places in doubt
   * @param {boolean} [host.compilesAll] files are compiled in memory whatever their names
   * @param {boolean} [host.stripsTypes] Node.js itself runs TypeScript and keeps every place, unless another tool
   * compiles it
   */
  constructor (read, host = {}) {
    this.#read = read
    this.#sizeOf = host.sizeOf ?? (() => 0)
    this.#host = host
  }

  /** Learns a map that is in memory only. @param {string} file @param {string} text */
  learn (file, text) {
    this.#inMemory.set(file, true)
    this.#awaited.delete(file)
    this.#keep(file, text, file)
  }

  /** Learns that there is no map in memory for a file. @param {string} file */
  learnPlain (file) {
    if (!runsCompiled(file)) this.#inMemory.set(file, false)
  }

  /** Learns where the map of a file compiled in memory is. @param {string} file @param {string} mapFile */
  place (file, mapFile) {
    this.#inMemory.set(file, true)
    this.#maps.delete(file)
    this.#places.set(file, mapFile)
  }

  /**
   * Whether a map may move a file's places. A package's code has the lines of the installed file, which any user can
   * open. Its map may name a source that is nowhere on the machine (`webpack://next/src/…`), which would pass for the
   * application's. While an application loads, most frames are of packages: with TypeScript and webpack the watchdog
   * read 30 MB of maps, which took 100 ms of CPU time in the first second. @param {string} file
   */
  mayMove (file) {
    return path.isAbsolute(file) && (!isInPackage(file) || runsCompiled(file) || this.#inMemory.get(file) === true)
  }

  /** @param {string} file */
  isAwaited (file) {
    return this.#awaited.has(file)
  }

  /** Whether the code that runs differs from the file on disk, as far as anything shows. @param {string} file */
  isInMemory (file) {
    const { stripsTypes, compilesAll = false } = this.#host
    return this.#misfits.get(file) ?? this.#inMemory.get(file) ?? (runsCompiled(file) ? !stripsTypes : compilesAll)
  }

  /** The frame by its map, if any. @param {Frame} frame @returns {Frame} */
  original (frame) {
    const file = toPath(frame.file)
    if (file === null || frame.line === null || !this.mayMove(file)) return { ...frame, file }
    const { line } = frame
    const column = frame.column ?? 1
    const place = this.#find(file, line, column)
    if (place !== null || !this.#isElsewhere(file, line, column)) return { ...frame, file, ...place }
    this.#inMemory.set(file, true)
    this.#host.onMissing?.(file)
    return { ...frame, file, compiled: true }
  }

  /**
   * The source line of a running line; profiles have no columns. Null if it is unknown (code compiled in memory, a map
   * that is read later), or if there are several, as in a minified bundle.
   * @param {string} file @param {number} line from 1 @returns {LinePlace | null}
   */
  placeOfLine (file, line) {
    const map = this.mayMove(file) ? this.#mapOf(file) : null
    if (map === null) return this.isInMemory(file) || this.#awaited.has(file) ? null : { file, line }
    const segments = tracing().decodedMappings(map)[line - 1] ?? []
    const [first, ...others] = segments.filter(({ length }) => length > 1)
    if (first === undefined || others.some((each) => each[1] !== first[1] || each[2] !== first[2])) return null
    const source = toPath(map.resolvedSources[/** @type {number} */ (first[1])])
    return source === null ? null : { file: source, line: Number(first[2]) + 1, column: Number(first[3]) + 1 }
  }

  /** A source as included in one of the maps known by now. @param {string} file */
  contentOf (file) {
    for (const map of this.#maps.values()) {
      const at = map === null ? -1 : map.resolvedSources.findIndex((source) => toPath(source) === file)
      if (at >= 0) return map?.sourcesContent?.[at] ?? null
    }
    return null
  }

  /**
   * Whether a place is in code that was compiled in memory.
   * @param {string} file @param {number} line @param {number} column
   */
  #isElsewhere (file, line, column) {
    if (runsCompiled(file) ? !this.#host.stripsTypes : this.isInMemory(file)) return true
    // A file that was compiled in memory, or replaced since it was loaded, may have no token at that place.
    const text = this.#maps.get(file) || this.#sizeOf(file) > LARGE_BYTES ? null : this.#read(file)
    if (text === null || mayBePlaceOf(text, line, column)) return false
    this.#misfits.set(file, true)
    this.#host.onMisfit?.()
    return true
  }

  /** @param {string} file @param {number} line @param {number} column */
  #find (file, line, column) {
    const map = this.#mapOf(file)
    if (map === null) return null
    try {
      const place = tracing().originalPositionFor(map, { line, column: column - 1 })
      return place.source === null ? null : { file: toPath(place.source), line: place.line, column: place.column + 1 }
    } catch {
      // A script of node:vm may begin at a negative line, and a broken map may name a source that it does not have.
      return null
    }
  }

  /** @param {string} file */
  #mapOf (file) {
    const map = this.#maps.get(file)
    if (map !== undefined) return map
    return this.#awaited.has(file) || this.#isPutOff(file, file) ? null : this.#load(file, false)
  }

  /** Whether the map is read later, as a part is large. @param {string} file @param {string} part file or map */
  #isPutOff (file, part) {
    if (this.#sizeOf(part) <= LARGE_BYTES) return false
    const load = () => {
      // A map that was learned meanwhile wins.
      if (this.#awaited.delete(file)) this.#load(file, true)
    }
    if (!this.#host.later?.(file, load)) return false
    this.#awaited.add(file)
    return true
  }

  /** Loads the map that was learned for a file, or that it names. @param {string} file @param {boolean} isLater */
  #load (file, isLater) {
    const learned = this.#places.get(file) ?? null
    const code = learned === null ? this.#read(file) : null
    const { mapFile, inline } = learned === null ? findMap(file, code) : { mapFile: learned, inline: null }
    if (mapFile !== null && inline === null && !isLater && this.#isPutOff(file, mapFile)) return null
    const text = inline ?? (mapFile === null ? null : this.#read(mapFile))
    // A file without a text is larger than the limit.
    const isRead = mapFile === null ? code !== null : text !== null
    if (!isRead && this.#sizeOf(mapFile ?? file) > MAPPINGS_CHARS) this.#host.onTooLarge?.(file)
    const map = this.#keep(file, text, learned === null ? mapFile ?? file : file)
    if (map === null && learned === null) this.#host.onMissing?.(file)
    return map
  }

  /**
   * The map whose only source is the file itself, however the loader wrote the path.
   * @param {string} file @param {any} map
   */
  #itself (file, map) {
    const isItself = this.#inMemory.get(file) && map.sources?.length === 1 &&
      path.basename(map.sources[0]) === path.basename(file)
    return isItself ? { ...map, sourceRoot: '', sources: [pathToFileURL(file).href] } : map
  }

  /** Parses and keeps the map of a file. @param {string} file @param {string | null} text @param {string} mapFile */
  #keep (file, text, mapFile) {
    let map = null
    let bytes = 0
    try {
      const parsed = JSON.parse(text ?? 'null')
      const chars = charsOf(parsed)
      bytes = (text?.length ?? 0) + chars * BYTES_PER_CHAR
      if (chars > MAPPINGS_CHARS) this.#host.onTooLarge?.(file)
      // Sources are URLs relative to the map's; in a path, a `#` or `?` in a folder name would end it.
      else if (parsed !== null) {
        map = new (tracing().FlattenMap)(this.#itself(file, parsed), pathToFileURL(mapFile).href)
      }
    } catch {
      // With a broken map, the generated place is still shown.
    }
    // Other maps are dropped before this one is decoded, which takes most of its memory.
    this.#maps.set(file, map, map === null ? 0 : bytes)
    try {
      // The first lookup would do it, when there may be less time.
      if (map !== null) tracing().decodedMappings(map)
    } catch {
      // A broken map throws again at the first lookup.
    }
    return map
  }
}

/** @param {string} file @param {string | null} text @returns {{ mapFile: string | null, inline: string | null }} */
function findMap (file, text) {
  try {
    const url = [...(text ?? '').matchAll(COMMENT)].at(-1)?.[1]
    const [, base64, data] = INLINE.exec(url ?? '') ?? []
    if (data !== undefined) {
      return { mapFile: file, inline: base64 ? Buffer.from(data, 'base64').toString() : decodeURIComponent(data) }
    }
    if (url !== undefined) return { mapFile: path.resolve(path.dirname(file), decodeURIComponent(url)), inline: null }
  } catch {
    // A broken URL names no map.
  }
  return { mapFile: null, inline: null }
}

/** A map in sections, as Turbopack writes it, has the mappings of each. @param {any} map @returns {number} */
function charsOf (map) {
  if (map?.sections === undefined) return map?.mappings?.length ?? 0
  return map.sections.reduce((/** @type {number} */ sum, /** @type {any} */ section) => sum + charsOf(section.map), 0)
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
