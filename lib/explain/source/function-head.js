'use strict'

const { ByPlace } = require('./by-place')
const { pairsIn, positionIn } = require('./javascript')
const { toPath } = require('./source-map')

/** @import { Frame } from '../../types' */

/** Longest list of parameters that is searched. */
const HEAD_CHARS = 2000

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
  const end = text[0] === '(' ? pairsIn(text).get(0) : undefined
  return end !== undefined && BEHIND.test(text.slice(end + 1))
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

  /** @param {Frame} frame */
  has ({ file, line, column }) {
    const path = toPath(file)
    if (path === null || line === null || column === null) return false
    if (path.startsWith('node:') || this.#isInMemory(path)) return false
    return this.#heads.get(path, line, column)
  }
}

exports.beginsFunction = beginsFunction
exports.FunctionHeads = FunctionHeads
