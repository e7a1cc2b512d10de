'use strict'

const fs = require('node:fs')
const path = require('node:path')
const process = require('../../../util/process')
const { sourceMapOf } = require('../../../host/compiled-files')
const { startMeter, wallMs } = require('./loop-meter')
const { share } = require('../../../util/globals')

/**
 * @import { Agent } from '../../../host/agent'
 * @import { Options } from '../../../options/table'
 */

const kTests = Symbol.for('loopwatch.tests.1')
/** Longest wait for the watchdog: to start, before the first test or the application's own code; to file its blocks. */
const WATCHED_MS = 500

/** Options of an agent that only watches tests. @type {Options} */
exports.TEST_OPTIONS = {
  port: false, log: false, requests: 'off', origin: 'off', stuck: 0, only: [], skip: [], otlp: false
}

// Bound at load: a test may mock node:fs.
const { writeFileSync, writeSync } = fs

/**
 * @typedef {Pick<Agent, 'skipTopLevel' | 'sleepUntilWatched' | 'stopAtExit' |
 * 'turn' | 'settle' | 'mapFile' | 'heldCpuMs' | 'isAllowed'>} TestAgent
 */

/**
 * @typedef {object} TestLog the recorder of `loopwatch test`, or a checker, whose verdict a runner waits for
 * @property {(name: string | null, file?: string | null) => any} begin returns an id for end()
 * @property {(id: any) => Promise<void> | void} end rejects if the test blocked
 * @property {(global: unknown) => void} [watchGlobal]
 */

/** Writes each test's begin and end at once: after a kill, the file names the test that ran. Never throws. */
class Recorder {
  #fd
  #folder
  begun = 0
  #startAgent
  #hasStarted = false
  /** @type {TestAgent | null} */
  #agent = null
  #meter
  #mapped = new Set()
  #hasBlocked = false
  /** @type {{ watchGlobal: (global: any) => void } | null} */
  #sync = null

  /**
   * @param {string} dir @param {number} overMs
   * @param {(dir: string) => TestAgent | null} startAgent takes the folder of its records; null if there can be none
   * @param {boolean} isNodeTest this is a file that `node --test` started
   */
  constructor (dir, overMs, startAgent, isNodeTest) {
    // One folder for each process: records stay until the command has read them.
    this.#folder = path.join(dir, `${process.pid}-${Math.round(wallMs())}`)
    this.#fd = fs.openSync(`${this.#folder}.tests`, 'a', 0o600)
    this.#startAgent = startAgent
    const { pid, argv, execArgv } = process
    this.#meter = startMeter(overMs, () => this.#agent?.heldCpuMs ?? 0, (stretch) => {
      this.#hasBlocked = true
      this.#write({ type: 'stretch', ...stretch })
    })
    this.#write({
      type: 'process',
      pid,
      argv,
      execArgv,
      cwd: process.cwd(),
      isMetered: this.#meter !== null,
      isNodeTest,
      atMs: wallMs()
    })
  }

  /** Only the first call counts. @param {{ isLoading?: boolean }} [how] nothing before the first test counts */
  watch ({ isLoading = false } = {}) {
    if (this.#hasStarted) return
    this.#hasStarted = true
    this.#agent = this.#startAgent(this.#folder)
    if (isLoading) this.#agent?.skipTopLevel()
    this.#write({ type: 'watch', isWatched: this.#agent !== null })
  }

  /** Sleeps until blocks are seen with their lines, or WATCHED_MS have passed. */
  sleepUntilWatched () {
    this.#agent?.sleepUntilWatched(WATCHED_MS)
  }

  /** @param {object} line */
  #write (line) {
    try {
      writeSync(this.#fd, `${JSON.stringify(line)}\n`)
    } catch {
      // The test may have mocked the file system.
    }
  }

  /**
   * Runners call tests in a row without a turn of the loop, and some tests rely on that. Begin and end of a test count
   * as turns: otherwise ten short tests would be one long block.
   */
  #mark () {
    this.#agent?.turn()
    this.#meter?.mark()
  }

  /**
   * The first test sleeps until the watchdog, which starts while the process loads, sees blocks with their lines.
   * @param {string | null} name null if only the file is known @param {string | null} [file]
   */
  begin (name, file = null) {
    if (this.begun === 0) {
      this.watch()
      this.sleepUntilWatched()
    }
    this.#mark()
    const id = ++this.begun
    this.#write({ type: 'begin', id, name: name === null ? null : `${name}`, file, atMs: wallMs() })
    return id
  }

  /** @param {number} id what begin() returned */
  end (id) {
    this.#mark()
    this.#write({ type: 'end', id, atMs: wallMs() })
  }

  /** @param {string} file a transformed one @param {string} sourceMap a file */
  map (file, sourceMap) {
    if (this.#mapped.has(file)) return
    this.#mapped.add(file)
    this.#agent?.mapFile(file, sourceMap)
    this.#write({ type: 'map', file, sourceMap })
  }

  /** Writes down a source map that is only in memory. @param {string | undefined} file */
  #mapInMemory (file) {
    if (file === undefined || this.#mapped.has(file)) return
    this.#mapped.add(file)
    const { text } = sourceMapOf(file)
    if (text === null) return
    const sourceMap = `${this.#folder}-${this.#mapped.size}.map`
    try { writeFileSync(sourceMap, text) } catch { /* the place is then that of the code that ran */ }
    this.#write({ type: 'map', file, sourceMap })
  }

  /** @param {boolean} all synchronous calls, also those of runners and loaders */
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

  /** Each context has its own built-in objects. @param {unknown} global */
  watchGlobal (global) {
    this.#sync?.watchGlobal(global)
  }

  /** Waits until all blocks so far are filed with final lines: for a runner that ends the process without an event. */
  async settled () {
    this.#meter?.mark()
    const mayHaveBlocked = this.#hasBlocked || this.#meter === null
    this.#hasBlocked = false
    if (mayHaveBlocked) await this.#agent?.settle()
  }

  /** @param {boolean} mayHaveBlocked even without tests: most commands need not wait for their watchdog */
  exit (mayHaveBlocked) {
    this.#meter?.mark()
    if (this.begun > 0 || mayHaveBlocked) this.#agent?.stopAtExit(WATCHED_MS)
  }
}

/** @param {Recorder} recorder */
exports.publish = (recorder) => { share(kTests, recorder) }

/** Undefined if this process is not watched. @returns {Recorder | undefined} */
exports.published = () => /** @type {any} */ (globalThis)[kTests]

exports.WATCHED_MS = WATCHED_MS
exports.Recorder = Recorder
