'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { SOURCE_MAP } = require('../../bridge/messages')
const { nowMs } = require('../../util/clock')
const { BoundedMap } = require('../../util/bounded-map')
const { FrameTable, ByPlace, callsParameter } = require('../../explain/source/frame-table')
const { LARGE_BYTES } = require('../../tables/limits')
const { readSource } = require('../../util/files')
const { isText } = require('../../util/validators')

/**
 * @import { Frame, PackageRecord } from '../../types'
 * @import { Say } from '../health'
 */

/** The most files, and characters, that are kept. A stack of frames without names has few files. */
const FILES = 20

const CHARS = 8 * 1024 * 1024

/** A block needs the same files for about this long. A file that has changed is read again then. */
const LIFE_MS = 5000

/** The host is asked again after this time: a map may come after its file, or may have been dropped for other maps. */
const AGAIN_MS = 60000
/** Longest text that is searched for names: a longer one is a bundle, and each place of it would take 20 ms. */
const MOST_CHARS = 512 * 1024
/** A larger source is a bundle, whose lines are of no use to a reader. */
const BUNDLE_BYTES = 2 * 1024 * 1024
/** Places are looked up for this long in one poll, the others later: in a file of 128 kB one takes up to 5 ms. */
const NAMING_MS = 5
/** Time for reading sources when the agent stops: its last block is reported with those. */
const LAST_MS = 200
/** The most files that are remembered: those whose map was reported as too large, and those whose map was asked for. */
const SAID = 100
const ASKED = 1000

/** Files on disk, and those compiled in memory, for which the main thread is asked: if stuck, it answers afterwards. */
class SourceReader {
  /** @type {BoundedMap<number>} */
  #mapRequestsMs = new BoundedMap({ mostItems: ASKED })
  /** @type {BoundedMap<true>} */
  #said = new BoundedMap({ mostItems: SAID })
  #namingMs = 0
  #backlog
  #post
  #read
  #say

  /**
   * @param {object} parts @param {(message: object) => void} parts.post @param {Say} parts.say
   * @param {boolean} parts.stripsTypes the host runs TypeScript itself, which moves no place
   * @param {boolean} [parts.compilesAll] the host runs every file as compiled in memory, unless it reports otherwise
   * @param {() => boolean} [parts.mayWork] false while a block is about to be reported: no time for files but its code
   * @param {(file: string) => string | null} [parts.read]
   */
  constructor ({ post, say, stripsTypes, compilesAll = false, mayWork = () => true, read = readSource }) {
    this.#post = post
    this.#say = say
    this.#backlog = new Backlog(mayWork)
    this.#read = once(() => this.#open({ stripsTypes, compilesAll, read }))
    this.frames = new FrameTable((frame) => this.#read().maps.original(frame), {
      isHead: (raw) => this.#read().isHead(raw),
      nameOf: (frame) => {
        const { maps, names } = this.#read()
        // The map shows its place in the source, and with it its name.
        return maps.isAwaited(frame.file ?? '') ? undefined : this.#lookUp(names, 'name', frame)
      },
      passesOn: (frame) => this.#lookUp(this.#read().callbackCalls, 'call', frame) ?? false,
      routesOf: (frame) => this.#lookUp(this.#read().routes, 'route', frame) ?? [],
      mayMove: ({ file }) => this.#read().mayMove(file),
      isBusy: () => !this.#backlog.isEmpty
    })
    /** The application's code, as an explanation of a block needs it. */
    this.code = { table: this.frames, packageIn: (/** @type {string} */ folder) => packageIn(folder, mayWork()) }
  }

  /**
   * Loaded by the first stack.
   * @param {{ stripsTypes: boolean, compilesAll: boolean, read: (file: string) => string | null }} parts
   */
  #open ({ stripsTypes, compilesAll, read }) {
    const { bodyAfter, nameAt, routesAt } = require('../../explain/source/function-names')
    const { SourceMaps, toPath } = require('../../explain/source/source-map')
    const texts = new Texts(read)
    const readOnce = (/** @type {string} */ file) => texts.read(file)
    const maps = new SourceMaps(readOnce, {
      sizeOf,
      later: (file, load) => this.#backlog.add(`map of ${file}`, () => this.#learn(load)),
      onTooLarge: (file) => this.#sayTooLarge(file),
      onMissing: (file) => {
        const now = nowMs()
        if (now - (this.#mapRequestsMs.get(file) ?? -Infinity) < AGAIN_MS) return
        this.#mapRequestsMs.set(file, now)
        this.#post({ code: SOURCE_MAP, file })
      },
      onMisfit: () => this.frames.forget(),
      stripsTypes,
      compilesAll
    })
    const readShort = (/** @type {string} */ file) => {
      const text = readOnce(file)
      return text === null || text.length > MOST_CHARS ? null : text
    }
    const heads = new ByPlace(readOnce, bodyAfter)
    return {
      maps,
      mayMove: (/** @type {string | null} */ file) => maps.mayMove(toPath(file) ?? ''),
      isHead: (/** @type {Frame} */ { file, line, column }) => {
        const path = toPath(file)
        if (path === null || line === null || column === null || path.startsWith('node:')) return false
        return !maps.isInMemory(path) && heads.get(path, line, column) !== null
      },
      names: new ByPlace(readShort, nameAt),
      callbackCalls: new ByPlace(readShort, callsParameter),
      routes: new ByPlace(readShort, routesAt)
    }
  }

  /** Opens the readers before the first stack does. */
  load () {
    this.#read()
  }

  /** Allows naming functions at once again, for a few milliseconds. */
  beginPoll () {
    this.#namingMs = 0
  }

  workOff () {
    this.#backlog.workOff()
  }

  finish () {
    this.#backlog.finish(LAST_MS)
  }

  /** @param {() => void} load a source map */
  #learn (load) {
    load()
    this.frames.forget()
  }

  /**
   * An answer from the source at a place: null if there is none, undefined if it comes later.
   * @template T @param {ByPlace<T>} byPlace @param {string} what @param {Frame} frame
   */
  #lookUp (byPlace, what, frame) {
    const { file, line, column, compiled } = frame
    if (file === null || line === null || column === null || compiled) return null
    const kept = byPlace.cached(file, line, column)
    if (kept !== undefined) return kept
    const look = () => byPlace.get(file, line, column)
    // At once if the file is small and there is time, else later.
    if (this.#namingMs >= NAMING_MS || sizeOf(file) > LARGE_BYTES) {
      this.#backlog.add(`${what} at ${file}:${line}:${column}`, look)
      return undefined
    }
    const startMs = nowMs()
    const answer = look()
    this.#namingMs += nowMs() - startMs
    return answer
  }

  /** @param {string} file */
  #sayTooLarge (file) {
    if (this.#said.get(file)) return
    this.#said.set(file, true)
    this.#say('warn', { event: 'source_map', file },
      `the source map of ${file} is too large to read: positions are those of the compiled code`)
  }

  /** Whether the running code is not that of the file on disk. @param {string} file */
  isInMemory (file) {
    return this.#read().maps.isInMemory(file)
  }

  /** Where a line of the running code comes from, null if unknown. @param {string} file @param {number} line */
  placeOfLine (file, line) {
    return this.#read().maps.placeOfLine(file, line)
  }

  /** The lines of a source as written: of the file on disk, else from a source map. @param {string} file */
  sourceRows (file) {
    return (readSource(file, BUNDLE_BYTES) ?? this.#read().maps.contentOf(file))?.split(/\r?\n/) ?? null
  }

  /** @param {{ file: string, text: string | null, isTooLarge?: boolean, mapFile?: string }} message */
  receive ({ file, text, isTooLarge, mapFile }) {
    if (mapFile !== undefined) return this.#learn(() => this.#read().maps.place(file, mapFile))
    if (isTooLarge) this.#sayTooLarge(file)
    if (text === null) return isTooLarge || this.#learn(() => this.#read().maps.learnPlain(file))
    const learn = () => this.#learn(() => this.#read().maps.learn(file, text))
    if (text.length <= LARGE_BYTES || !this.#backlog.add(`map in memory of ${file}`, learn)) learn()
  }
}

/** @template {object} T @param {() => T} make @returns {() => T} */
function once (make) {
  /** @type {T | undefined} */
  let made
  return () => (made ??= make())
}

/** Texts of files, each read once for all the places that are looked up together. */
class Texts {
  /** @type {BoundedMap<{ text: string | null }>} */
  #kept = new BoundedMap({ mostItems: FILES, mostWeight: CHARS })
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #readFile

  /** @param {(file: string) => string | null} readFile */
  constructor (readFile) {
    this.#readFile = readFile
  }

  /** @param {string} file */
  read (file) {
    const kept = this.#kept.get(file)
    if (kept !== undefined) return kept.text
    const text = this.#readFile(file)
    this.#kept.set(file, { text }, text?.length)
    this.#timer ??= setTimeout(this.#forget, LIFE_MS).unref()
    return text
  }

  #forget = () => {
    this.#timer = undefined
    this.#kept.clear()
  }
}

/** Bytes of a file, 0 if there is none. @param {string} file */
function sizeOf (file) {
  try {
    return fs.statSync(file).size
  } catch {
    // There may be a file that this process may not see.
    return 0
  }
}

/** The most packages that are remembered, in less than 1 MB; fewer ones block. */
const PACKAGES = 200
/** A larger package.json is not read. Old versions of npm wrote the package's readme into it: some 100 kB. */
const FILE_BYTES = 256 * 1024
/** The longest name, version and address that are accepted: npm's own limits, and what any browser accepts. */
const NAME_CHARS = 214
const VERSION_CHARS = 256
const URL_CHARS = 2048

/** Records by folder; null = no package.json that can be read. @type {BoundedMap<PackageRecord | null>} */
const packages = new BoundedMap({ mostItems: PACKAGES })

/**
 * A package.json, read once; null if it is missing, broken or too large, or not read yet.
 * @param {string} folder absolute @param {boolean} [mayRead] no block waits for its first line
 */
const packageIn = (folder, mayRead = true) => {
  if (mayRead && packages.get(folder) === undefined) packages.set(folder, read(folder))
  return packages.get(folder) ?? null
}

/** @param {string} folder @returns {PackageRecord | null} */
function read (folder) {
  // A source map may name a relative folder, which is not one in this process's working directory.
  const text = path.isAbsolute(folder) ? readSource(path.join(folder, 'package.json'), FILE_BYTES) : null
  if (text === null) return null
  try {
    const { name, version, bugs } = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (!isShort(name, NAME_CHARS)) return null
    const page = bugs?.url ?? bugs
    return {
      name,
      version: isShort(version, VERSION_CHARS) ? version : null,
      bugs: isShort(page, URL_CHARS) ? page : null
    }
  } catch {
    // The text is not JSON, or not that of an object.
    return null
  }
}

/** @param {any} text @param {number} mostChars */
function isShort (text, mostChars) {
  return isText(text) && text.length > 0 && text.length <= mostChars
}

/** Jobs that may wait: far more than the places of one block. Further places are tried when they are next needed. */
const JOBS = 1000

/** Work that would delay a sample or a report, done later: one job between two turns of the watchdog's loop. */
class Backlog {
  /** Tasks by subject, so that none is done twice. @type {Map<string, () => void>} */
  #jobs = new Map()
  #isScheduled = false
  #mayWork

  /** @param {() => boolean} mayWork false while something more urgent is about to happen */
  constructor (mayWork) {
    this.#mayWork = mayWork
  }

  get isEmpty () {
    return this.#jobs.size === 0
  }

  /** @param {string} about @param {() => void} job that throws nothing @returns {boolean} false if there is no room */
  add (about, job) {
    if (this.#jobs.size >= JOBS) return false
    if (!this.#jobs.has(about)) this.#jobs.set(about, job)
    return true
  }

  /** Starts doing jobs, until something more urgent comes up. */
  workOff () {
    if (this.#isScheduled || this.isEmpty || !this.#mayWork()) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (!this.#mayWork()) return
      this.#doNext()
      this.workOff()
    })
  }

  /** Does all jobs that can be begun in this time. @param {number} mostMs */
  finish (mostMs) {
    const untilMs = nowMs() + mostMs
    while (!this.isEmpty && nowMs() < untilMs) this.#doNext()
  }

  #doNext () {
    const [[about, job]] = this.#jobs
    this.#jobs.delete(about)
    job()
  }
}

exports.SourceReader = SourceReader
exports.BUNDLE_BYTES = BUNDLE_BYTES
exports.Backlog = Backlog
exports.packageIn = packageIn
