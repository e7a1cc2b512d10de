'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { makeFolder, openFile } = require('../util/files')
const { LOOK_MS, RotationCheck } = require('../util/file-rotation')
const { BYTES_PER_MB } = require('../util/units')
const { BlockReader } = require('./block-reader')
const { prune, removeUntil, writeTimeline } = require('./retention')

/** @import { BlockRecord } from '../types' */

/** Size at which a file becomes the older generation and a new one begins. At most twice this is on disk. */
const FILE_BYTES = 64 * BYTES_PER_MB

/**
 * Blocks on disk: append-only NDJSON. A block has one line when it opens and one when it ends, so a process that is
 * killed in mid-block leaves its record. A line outlives the process once append() returns, though not a power cut.
 *
 * Methods never throw. While the folder cannot be written, `onState` gets the reason, records count as lost, and the
 * next try follows within five seconds. A file that was deleted or moved is created again within five seconds.
 */
class BlockFile {
  /** @type {number | null} */
  #fd = null
  #bytes = 0
  #retryAtMs = -Infinity
  #path
  #rotation
  #onState
  #nowMs
  #fileBytes
  #lost = 0

  /**
   * @param {object} parts @param {string} parts.dir made if missing @param {string} parts.name without extension
   * @param {(error: Error | null) => void} parts.onState
   * @param {() => number} parts.nowMs @param {number} [parts.fileBytes]
   */
  constructor ({ dir, name, onState, nowMs, fileBytes = FILE_BYTES }) {
    this.#path = path.join(dir, `${name}.ndjson`)
    this.#rotation = new RotationCheck(this.#path)
    this.#onState = onState
    this.#nowMs = nowMs
    this.#fileBytes = fileBytes
    // A wrong folder is reported before the first record.
    try {
      makeFolder(dir)
      fs.accessSync(dir, fs.constants.W_OK)
    } catch (error) {
      onState(error)
    }
  }

  /** @param {BlockRecord} record */
  append (record) {
    this.appendLine(`${JSON.stringify(record)}\n`)
  }

  /** @param {string} line a record with its line end */
  appendLine (line) {
    if (this.#nowMs() < this.#retryAtMs) {
      this.#lost++
      return
    }
    let isWritten = false
    try {
      this.#look()
      this.#fd ??= this.#open()
      this.#write(this.#fd, line)
      isWritten = true
      this.#rotation.wrote()
      if (this.#bytes >= this.#fileBytes) this.#rotate()
      this.#onState(null)
    } catch (error) {
      if (!isWritten) this.#lost++
      this.#retryAtMs = this.#nowMs() + LOOK_MS
      this.close()
      this.#onState(error)
    }
  }

  /**
   * Marks the file as that of a living process, for processes that cannot see this one. The time of modification stays,
   * as readers recognize an unchanged file by it.
   */
  touch () {
    if (this.#fd === null) return
    try {
      fs.futimesSync(this.#fd, new Date(), fs.fstatSync(this.#fd).mtime)
    } catch {
      // The next line reports what is wrong with the disk.
    }
  }

  takeLost () {
    const lost = this.#lost
    this.#lost = 0
    return lost
  }

  /** Closes the file if it was deleted or moved. */
  #look () {
    const lost = this.#fd === null ? null : this.#rotation.look(this.#fd, this.#nowMs())
    if (lost === null) return
    this.#lost += lost
    this.close()
  }

  #open () {
    makeFolder(path.dirname(this.#path))
    prune(path.dirname(this.#path), { own: path.basename(this.#path) })
    this.#fd = openFile(this.#path, 'a', 0o640)
    this.#bytes = fs.fstatSync(this.#fd).size
    this.#rotation.opened(this.#nowMs())
    // A line that a full disk or a kill cut short must not swallow the next one.
    if (this.#bytes > 0) this.#write(this.#fd, '\n')
    return this.#fd
  }

  /**
   * Throws for a part as well, which a nearly full disk takes without an error. @param {number} fd @param {string} text
   */
  #write (fd, text) {
    const bytes = Buffer.from(text)
    const written = fs.writeSync(fd, bytes)
    this.#bytes += written
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes fit`)
  }

  /** Keeps the timeline around a block, unless it cannot be written. @param {{ id: string, text: string }} timeline */
  keepTimeline (timeline) {
    if (this.#nowMs() < this.#retryAtMs) return
    try {
      writeTimeline(path.dirname(this.#path), this.#owner, timeline)
    } catch (error) {
      this.#onState(error)
    }
  }

  get #owner () {
    return path.basename(this.#path, '.ndjson')
  }

  #rotate () {
    this.close()
    const older = this.#path.replace(/\.ndjson$/, '.old.ndjson')
    // The timelines of blocks that go with the older generation.
    const lastMs = fs.statSync(older, { throwIfNoEntry: false })?.mtimeMs
    fs.renameSync(this.#path, older)
    if (lastMs !== undefined) removeUntil(path.dirname(this.#path), this.#owner, lastMs)
  }

  close () {
    if (this.#fd !== null) {
      try { fs.closeSync(this.#fd) } catch { /* closed with its disk */ }
    }
    this.#fd = null
  }
}

/** Every block recorded in a folder, read once. @param {string} dir */
const readBlocks = (dir) => new BlockReader(dir).read()

exports.BlockFile = BlockFile
exports.readBlocks = readBlocks
