'use strict'

const fs = require('node:fs')
const { BoundedMap } = require('../../util/bounded-map')
const { readSource } = require('../../util/read-source')

/** The most files, and characters, that are kept. A stack of frames without names has few files. */
const FILES = 20
const CHARS = 8 * 1024 * 1024
/** A block needs the same files for about this long. A file that has changed is read again then. */
const LIFE_MS = 5000

/** Texts of files, each read once for all the places that are looked up together. */
class Texts {
  /** @type {BoundedMap<{ text: string | null }>} */
  #kept = new BoundedMap({ mostItems: FILES, mostWeight: CHARS })
  #isKept = false
  #readFile

  /** @param {(file: string) => string | null} [readFile] */
  constructor (readFile = readSource) {
    this.#readFile = readFile
  }

  /** @param {string} file */
  read (file) {
    const kept = this.#kept.get(file)
    if (kept !== undefined) return kept.text
    const text = this.#readFile(file)
    this.#kept.set(file, { text }, text?.length)
    this.#forgetLater()
    return text
  }

  #forgetLater () {
    if (this.#isKept) return
    this.#isKept = true
    const forget = () => {
      this.#isKept = false
      this.#kept.clear()
    }
    setTimeout(forget, LIFE_MS).unref()
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

exports.Texts = Texts
exports.sizeOf = sizeOf
