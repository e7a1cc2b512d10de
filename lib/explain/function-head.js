'use strict'

const { toPath } = require('./source-map')

/** Longest list of parameters that is looked through. */
const HEAD_CHARS = 2000
/** Most places that are remembered. */
const PLACES = 10000

/** A parameter without parentheses. */
const SINGLE = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*\s*=>/u
/** What stands behind a list of parameters: perhaps TypeScript's type of the result, then the body. */
const BEHIND = /^\s*(?::[^;{}()=]*)?(?:=>|\{)/

/**
 * Whether a source text begins with the parameters of a function that has its body behind them. V8 names that place if
 * it looks for interrupts on entering a function. A call in parentheses has no body behind it.
 * @param {string} text
 */
function beginsFunction (text) {
  if (SINGLE.test(text)) return true
  const end = text[0] === '(' ? closing(text) : -1
  return end !== -1 && BEHIND.test(text.slice(end + 1))
}

/** A parenthesis, a comment or a string: those in comments and strings do not count. */
const TOKEN = /[()]|\/\/.*|\/\*[^]*?\*\/|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\[^]|[^`\\])*`/g

/** Where the first parenthesis of a text is closed, -1 if it is not. @param {string} text */
function closing (text) {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '(') depth++
    if (token === ')' && --depth === 0) return index
  }
  return -1
}

/** Tells of frames, as they came, whether their function had only just been entered. It needs their source on disk. */
class FunctionHeads {
  /** @type {Map<string, boolean>} */
  #known = new Map()
  #read
  #isInMemory

  /**
   * @param {(file: string) => string | null} read
   * @param {(file: string) => boolean} isInMemory whether the code that runs differs from the file on disk
   */
  constructor (read, isInMemory) {
    this.#read = read
    this.#isInMemory = isInMemory
  }

  /** @param {import('../types').Frame} frame */
  has ({ file, line, column }) {
    const path = toPath(file)
    if (path === null || line === null || column === null) return false
    if (path.startsWith('node:') || this.#isInMemory(path)) return false
    const key = `${path}\n${line}\n${column}`
    let known = this.#known.get(key)
    if (known === undefined) {
      if (this.#known.size === PLACES) this.#known.clear()
      known = beginsFunction(this.#textAt(path, line, column))
      this.#known.set(key, known)
    }
    return known
  }

  /** @param {string} file @param {number} line @param {number} column */
  #textAt (file, line, column) {
    const text = this.#read(file) ?? ''
    let start = 0
    for (let left = line - 1; left > 0; left--) {
      start = text.indexOf('\n', start) + 1
      if (start === 0) return ''
    }
    return text.slice(start + column - 1, start + column - 1 + HEAD_CHARS)
  }
}

exports.beginsFunction = beginsFunction
exports.FunctionHeads = FunctionHeads
