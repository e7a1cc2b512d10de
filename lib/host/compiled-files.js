'use strict'

const { statSync } = require('node:fs')
const { findSourceMap } = require('node:module')
const { fileURLToPath } = require('node:url')
const { LARGE_BYTES, MAPPINGS_CHARS } = require('../tables/limits')
const process = require('../util/process')
const { compilesAll } = require('./runtime')

/** Most files of stacks that wait for the next turn, when their maps are posted. */
const FILES = 200
/** Most names that are kept so that each map is posted once. */
const MOST_FILES = 10000
/** The file of source-map-support, under either package name. ts-node and @babel/register pass their maps to it. */
const SUPPORT = 'source-map-support.js'
/** Files that Node.js runs as they are, unless somebody compiles them in memory. */
const PLAIN = /\.[cm]?js$/
const INLINE = 'sourceMappingURL=data:application/json'

/**
 * @typedef {{ sources?: string[], sourceRoot?: string, mappings?: string }} RawMap
 * @typedef {{ code?: string }} Evaluated
 * @typedef {object} VitestWorker a global of the process that runs test files
 * @property {{ getModuleById: (id: string) => { meta?: Evaluated } | undefined }} [evaluatedModules] of Vitest 4
 * @property {{ has: (id: string) => boolean, get: (id: string) => Evaluated }} [moduleCache] of Vitest 3
 */

/**
 * The map at the end of Vite's output for a file, which Vitest runs. @param {string} file @returns {RawMap | undefined}
 */
function vitestMap (file) {
  const { __vitest_worker__: worker } = /** @type {{ __vitest_worker__?: VitestWorker }} */ (globalThis)
  // The cache of Vitest 3 makes an entry for a file that it does not have.
  const old = worker?.moduleCache?.has(file) ? worker.moduleCache.get(file) : undefined
  const { code } = worker?.evaluatedModules?.getModuleById(file)?.meta ?? old ?? {}
  const at = code?.lastIndexOf(INLINE) ?? -1
  const base64 = at < 0 ? undefined : /^[^,]*;base64,([\w+/=]+)/.exec(/** @type {string} */ (code).slice(at))?.[1]
  return base64 === undefined ? undefined : JSON.parse(Buffer.from(base64, 'base64').toString())
}

/** @param {string} file @returns {RawMap | undefined} */
function supportMap (file) {
  for (const name in require.cache) {
    const map = name.endsWith(SUPPORT) ? require.cache[name]?.exports.retrieveSourceMap?.(file)?.map : undefined
    if (map) return typeof map === 'string' ? JSON.parse(map) : map
  }
}

/**
 * The source map of a file that was compiled in memory, as JSON of version 3 without the text of the sources; null if
 * there is none, or it is too large. Vitest, source-map-support and Node.js (tsx, `--enable-source-maps`) keep maps.
 * @param {string} file @returns {{ text: string | null, isTooLarge?: boolean }}
 */
function sourceMapOf (file) {
  try {
    const map = vitestMap(file)
    // Node.js decodes the whole map before it returns it, so the size of the source stands for that of the map.
    if (map === undefined && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGE_BYTES) {
      return { text: null, isTooLarge: process.sourceMapsEnabled && !PLAIN.test(file) }
    }
    return asText(map ?? findSourceMap(file)?.payload ?? supportMap(file))
  } catch {
    // A loader may have left something other than a map there.
    return { text: null }
  }
}

/** @param {RawMap} [map] */
function asText ({ sources = [], sourceRoot, mappings = '' } = {}) {
  // The watchdog has no room for a longer map, so it is not copied.
  if (mappings === '' || mappings.length > MAPPINGS_CHARS) return { text: null, isTooLarge: mappings !== '' }
  return { text: JSON.stringify({ version: 3, sources, sourceRoot, names: [], mappings }) }
}

/**
 * Files of the probe's stacks, whose source maps are posted at the next turn. The watchdog would ask for them later,
 * but by then a test process may have ended, or a runner may have dropped the map.
 */
class CompiledFiles {
  /** @type {Set<string>} */
  #files = new Set()
  /** @type {Set<string>} */
  #posted = new Set()

  /** Called by the probe in the middle of a block. @param {string} file path or file: URL */
  add (file) {
    if (this.#files.size < FILES) this.#files.add(file)
  }

  /** @param {(file: string, map: ReturnType<typeof sourceMapOf>) => void} post */
  postAll (post) {
    const scripts = [...this.#files]
    this.#files.clear()
    for (const script of scripts.filter((each) => !each.startsWith('node:') && !this.#posted.has(each))) {
      const file = toPath(script)
      // The watchdog itself reads the maps of files that run as they are on disk.
      if (PLAIN.test(file) && !compilesAll()) continue
      // A REPL server makes up new names all the time. Posting a map again costs less than keeping all names.
      if (this.#posted.size >= MOST_FILES) this.#posted.clear()
      this.#posted.add(script)
      post(file, sourceMapOf(file))
    }
  }
}

/** @param {string} file path or URL, or any text: an application may name its scripts */
function toPath (file) {
  try {
    return file.startsWith('file:') ? fileURLToPath(file) : file
  } catch {
    return file
  }
}

exports.CompiledFiles = CompiledFiles
exports.sourceMapOf = sourceMapOf
