'use strict'

const { positionIn } = require('./place')
const { toPath } = require('./source-map')
const { BoundedMap } = require('../../util/bounded-map')

/** Longest list of parameters that is searched. */
const HEAD_CHARS = 2000
/** Most places that are remembered. */
const PLACES = 10000

/** A parameter without parentheses. */
const SINGLE = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*\s*=>/u
/** What follows a list of parameters: an optional result type of TypeScript, then the body. */
const BEHIND = /^\s*(?::[^;{}()=]*)?(?:=>|\{)/

/**
 * Whether a source text begins with the parameters of a function and its body. V8 names that place if it checks for
 * interrupts on entering a function. A call in parentheses is followed by no body. @param {string} text
 */
function beginsFunction (text) {
  if (SINGLE.test(text)) return true
  const end = text[0] === '(' ? closing(text) : -1
  return end !== -1 && BEHIND.test(text.slice(end + 1))
}

/** A parenthesis, a comment or a string: parentheses in comments and strings do not count. */
const TOKEN = /[()]|\/\/.*|\/\*[^]*?\*\/|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\[^]|[^`\\])*`/g

/** Where the first parenthesis of a text is closed, -1 if nowhere. @param {string} text */
function closing (text) {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '(') depth++
    if (token === ')' && --depth === 0) return index
  }
  return -1
}

/** @param {string} file @param {number} line @param {number} column */
const keyOf = (file, line, column) => `${file}\n${line}\n${column}`

/** Answers for places in files, each found once. @template T */
class ByPlace {
  /** @type {BoundedMap<T>} */
  #known = new BoundedMap({ mostItems: PLACES })
  #find

  /** @param {(file: string, line: number, column: number) => T} find */
  constructor (find) {
    this.#find = find
  }

  /** @param {string} file @param {number} line @param {number} column @returns {T} */
  get (file, line, column) {
    const known = this.known(file, line, column)
    if (known !== undefined) return known
    const found = this.#find(file, line, column)
    this.#known.set(keyOf(file, line, column), found)
    return found
  }

  /**
   * What was found at a place before, undefined if it is new.
   * @param {string} file @param {number} line @param {number} column
   */
  known (file, line, column) {
    return this.#known.get(keyOf(file, line, column))
  }
}

/** Whether the function of a frame, before source maps, had only just been entered. Needs its source on disk. */
class FunctionHeads {
  #heads
  #isInMemory

  /**
   * @param {(file: string) => string | null} read
   * @param {(file: string) => boolean} isInMemory whether the code that runs differs from the file on disk
   */
  constructor (read, isInMemory) {
    this.#heads = new ByPlace((file, line, column) => {
      const text = read(file) ?? ''
      const at = positionIn(text, line, column)
      return at !== null && beginsFunction(text.slice(at, at + HEAD_CHARS))
    })
    this.#isInMemory = isInMemory
  }

  /** @param {import('../../types').Frame} frame */
  has ({ file, line, column }) {
    const path = toPath(file)
    if (path === null || line === null || column === null) return false
    if (path.startsWith('node:') || this.#isInMemory(path)) return false
    return this.#heads.get(path, line, column)
  }
}

exports.ByPlace = ByPlace
exports.beginsFunction = beginsFunction
exports.FunctionHeads = FunctionHeads
