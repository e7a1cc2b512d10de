'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { setTimeout } = require('node:timers')
const process = require('../../../util/process')
const { sourceMapOf } = require('../../../host/compiled-files')
const { startMeter } = require('./loop-meter')
const { wallMs } = require('./wall-clock')
const { hiddenProperty } = require('../../../util/define-hidden')

/** Where hooks that a runner loads by itself find this process's recorder. */
const kTests = Symbol.for('loopwatch.tests.1')
/** A process waits no longer than that for its watchdog to watch, before its first test or its own code. */
const WATCHED_MS = 500
/** Nor does it wait any longer for it as it ends. */
const FILED_MS = 500
/** A verdict is final by then (SETTLED_MS of expectNoBlocks), and a poll. */
const SETTLED_MS = 700

// Taken at load: a test may replace files.
const { writeFileSync, writeSync } = fs

/**
 * @typedef {Pick<import('../../../host/agent').Agent, 'skipTopLevel' | 'sleepUntilWatched' | 'stopAtExit' |
 * 'turn' | 'mapFile' | 'heldMs' | 'isAllowed'>} TestAgent
 */

/**
 * Writes when each test of this process began and ended, one line each, at once: a process that is killed in the midst
 * of a test has said which. Never throws.
 */
class Recorder {
  #fd
  #folder
  /** Tests that have begun. */
  begun = 0
  #startAgent
  #isAsked = false
  /** @type {TestAgent | null} */
  #agent = null
  #meter
  #mapped = new Set()
  #hasBlocked = false
  /** @type {{ watchGlobal: (global: any) => void } | null} */
  #sync = null

  /**
   * @param {string} dir
   * @param {number} overMs
   * @param {(dir: string) => TestAgent | null} startAgent with the folder of its records; null where there can be none
   * @param {boolean} isNodeTest this is a file that `node --test` has started
   */
  constructor (dir, overMs, startAgent, isNodeTest) {
    // A folder for each process: the records of ended ones are kept in full number until the command has read them.
    this.#folder = path.join(dir, `${process.pid}-${Math.round(wallMs())}`)
    this.#fd = fs.openSync(`${this.#folder}.tests`, 'a', 0o600)
    this.#startAgent = startAgent
    const { pid, argv, execArgv } = process
    this.#meter = startMeter(overMs, () => this.#agent?.heldMs ?? 0, (stretch) => {
      this.#hasBlocked = true
      this.#write({ type: 'stretch', ...stretch })
    })
    this.#write({ type: 'process', pid, argv, execArgv, cwd: process.cwd(), isMetered: this.#meter !== null, isNodeTest, atMs: wallMs() })
  }

  /**
   * Watches this process from now on. A second call changes nothing.
   * @param {{ isLoading?: boolean }} [how] what runs up to the first test counts for nothing, however long it takes
   */
  watch ({ isLoading = false } = {}) {
    if (this.#isAsked) return
    this.#isAsked = true
    this.#agent = this.#startAgent(this.#folder)
    if (isLoading) this.#agent?.skipTopLevel()
    this.#write({ type: 'watch', isWatched: this.#agent !== null })
  }

  /** Sleeps until blocks are seen with their lines, or it has been long enough. */
  sleepUntilWatched () {
    this.#agent?.sleepUntilWatched(WATCHED_MS)
  }

  /** @param {object} line */
  #write (line) {
    try {
      writeSync(this.#fd, `${JSON.stringify(line)}\n`)
    } catch {
      // Its file system may be a test's own.
    }
  }

  /**
   * Runners call tests one after the other without letting the loop turn, and some tests rely on it. So a test's
   * beginning and end count as turns: ten short tests are no long block, which would be no test's.
   */
  #mark () {
    this.#agent?.turn()
    this.#meter?.mark()
  }

  /**
   * A test begins. The first sleeps until blocks are seen with their lines: the watchdog has started while the process
   * loaded what it tests.
   * @param {string | null} name null where only the file is known
   * @param {string | null | undefined} file
   * @returns {number} what end() takes
   */
  begin (name, file) {
    if (this.begun === 0) {
      this.watch()
      this.sleepUntilWatched()
    }
    this.#mark()
    const id = ++this.begun
    this.#write({ type: 'begin', id, name: name === null ? null : `${name}`, file: file ?? null, atMs: wallMs() })
    return id
  }

  /** @param {number} id */
  end (id) {
    this.#mark()
    this.#write({ type: 'end', id, atMs: wallMs() })
  }

  /** @param {string} file that was transformed @param {string} sourceMap a file */
  map (file, sourceMap) {
    if (this.#mapped.has(file)) return
    this.#mapped.add(file)
    this.#agent?.mapFile(file, sourceMap)
    this.#write({ type: 'map', file, sourceMap })
  }

  /** Writes the source map of a file down that is in memory alone. @param {string | undefined} file */
  #mapInMemory (file) {
    if (file === undefined || this.#mapped.has(file)) return
    this.#mapped.add(file)
    const { text } = sourceMapOf(file)
    if (text === null) return
    const sourceMap = `${this.#folder}-${this.#mapped.size}.map`
    try { writeFileSync(sourceMap, text) } catch { /* the place is then that of the code that ran */ }
    this.#write({ type: 'map', file, sourceMap })
  }

  /** Tells of synchronous calls from now on. @param {boolean} all those of runners and loaders as well */
  watchSync (all) {
    const recorder = this
    this.#sync = require('./sync/sync-calls').watchSyncCalls({
      get begun () { return recorder.begun },
      get isAllowed () { return recorder.#agent?.isAllowed ?? false },
      write: (/** @type {{ file?: string }} */ line) => {
        recorder.#mapInMemory(line.file)
        recorder.#write(line)
      }
    }, all)
  }

  /** A context of its own has built-in objects of its own. @param {unknown} global of that context */
  watchGlobal (global) {
    this.#sync?.watchGlobal(global)
  }

  /**
   * Settles when the blocks of the tests so far are filed with their final lines, for a runner that ends the process
   * without an event.
   */
  async settled () {
    this.#meter?.mark()
    const mayHaveBlocked = this.#hasBlocked || this.#meter === null
    this.#hasBlocked = false
    if (mayHaveBlocked) await exports.settle()
  }

  /** @param {boolean} mayHaveBlocked though it has no tests: most commands need not wait for their watchdog */
  exit (mayHaveBlocked) {
    this.#meter?.mark()
    if (this.begun > 0 || mayHaveBlocked) this.#agent?.stopAtExit(FILED_MS)
  }
}

/** @returns {Promise<void>} when what has blocked up to now has its final verdict */
exports.settle = () => new Promise((resolve) => { setTimeout(resolve, SETTLED_MS) })

/** @param {Recorder} recorder */
exports.publish = (recorder) => { Reflect.defineProperty(globalThis, kTests, hiddenProperty(recorder)) }

/** That of this process, undefined where it is not watched. @returns {Recorder | undefined} */
exports.published = () => /** @type {any} */ (globalThis)[kTests]

exports.WATCHED_MS = WATCHED_MS
exports.Recorder = Recorder
