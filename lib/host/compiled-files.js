'use strict'

const { statSync } = require('node:fs')
const { findSourceMap } = require('node:module')
const { fileURLToPath } = require('node:url')
const { LARGE_BYTES, MAPPINGS_CHARS } = require('../tables/limits')
const process = require('../util/process')
const { compilesAll } = require('./runtime')

/** Most files of stacks that are remembered until the watchdog gets their maps. */
const FILES = 200
/** Names of files that are kept so that each map is posted once. */
const MOST_FILES = 10000
/** ts-node, @babel/register and the like pass their maps to this; in both of its packages the file has this name. */
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

const vitestWorker = () => /** @type {{ __vitest_worker__?: VitestWorker }} */ (globalThis).__vitest_worker__

/** The code that Vitest runs for a file: Vite's output, with its map at its end. @param {string} file */
function vitestCode (file) {
  const { evaluatedModules, moduleCache } = vitestWorker() ?? {}
  if (evaluatedModules !== undefined) return evaluatedModules.getModuleById(file)?.meta?.code
  return moduleCache?.has(file) ? moduleCache.get(file).code : undefined
}

/** @param {string} file @returns {RawMap | undefined} */
function vitestMap (file) {
  const code = vitestCode(file)
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
 * The source map of a file that was compiled in memory, if its compiler keeps maps within reach: Vitest, users of
 * source-map-support, and tools that have Node.js keep them (tsx, `--enable-source-maps`). JSON of version 3 without
 * the text of the sources; null if there is none, or it is too large.
 * @param {string} file @returns {{ text: string | null, isTooLarge?: boolean }}
 */
function sourceMapOf (file) {
  try {
    const map = vitestMap(file)
    // Node.js decodes the whole map before it gives it. How large it is, only the size of its source tells.
    if (map === undefined && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGE_BYTES) {
      return { text: null, isTooLarge: process.sourceMapsEnabled && !PLAIN.test(file) }
    }
    return asText(map ?? findSourceMap(file)?.payload ?? supportMap(file))
  } catch {
    // A loader may have left something else than a map there.
    return { text: null }
  }
}

/** @param {RawMap} [map] */
function asText ({ sources = [], sourceRoot, mappings = '' } = {}) {
  // A longer one would be copied for nothing: the watchdog has no room for it.
  if (mappings === '' || mappings.length > MAPPINGS_CHARS) return { text: null, isTooLarge: mappings !== '' }
  return { text: JSON.stringify({ version: 3, sources, sourceRoot, names: [], mappings }) }
}

/**
 * Files of the probe's stacks, for their source maps. The watchdog asks for a map when it needs one. But before the
 * loop turns and the question arrives, a test process may end, or a runner may forget the map.
 */
class CompiledFiles {
  /** @type {Set<string>} */
  #files = new Set()
  /** @type {Set<string>} */
  #posted = new Set()

  /** Called by the probe in the middle of a block. @param {string} file path or file: URL */
  see (file) {
    if (this.#files.size < FILES) this.#files.add(file)
  }

  /** @param {(file: string, map: ReturnType<typeof sourceMapOf>) => void} post */
  tell (post) {
    const scripts = [...this.#files]
    this.#files.clear()
    for (const script of scripts.filter((each) => !each.startsWith('node:') && !this.#posted.has(each))) {
      const file = toPath(script)
      // Node.js keeps the maps of files on disk as well, but the watchdog reads those itself.
      if (PLAIN.test(file) && !compilesAll()) continue
      // A server of a REPL makes ever new names. Posting a map again costs less than keeping all names.
      if (this.#posted.size >= MOST_FILES) this.#posted.clear()
      this.#posted.add(script)
      post(file, sourceMapOf(file))
    }
  }
}

/** @param {string} file path or URL, which may be any text: a script is named by its application */
function toPath (file) {
  try {
    return file.startsWith('file:') ? fileURLToPath(file) : file
  } catch {
    return file
  }
}

exports.CompiledFiles = CompiledFiles
exports.sourceMapOf = sourceMapOf
