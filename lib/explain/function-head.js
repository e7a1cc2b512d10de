'use strict'

const { toPath } = require('./source-map')

/** Longer lists of parameters are not looked through. */
const HEAD_CHARS = 2000
/** Places that are remembered. */
const PLACES = 10000

/** A parameter without parentheses, and what stands behind a list of them: what TypeScript says of the result is left out by Node.js. */
const SINGLE = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*\s*=>/u
const BEHIND = /^\s*(?::[^;{}()=]*)?(?:=>|\{)/

/**
 * Whether a source text begins with the parameters of a function, behind which it has its body. That is where V8
 * says that it is when it looks for interrupts on entering a function: a call in parentheses has no body behind it.
 * @param {string} text
 */
function beginsFunction (text) {
  if (SINGLE.test(text)) return true
  const end = text[0] === '(' ? closing(text) : -1
  return end !== -1 && BEHIND.test(text.slice(end + 1))
}

/** Where the first parenthesis of a text is closed, -1 where it is not. @param {string} text */
function closing (text) {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(/[()]|\/\/.*|\/\*[^]*?\*\/|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\[^]|[^`\\])*`/g)) {
    if (token === '(') depth++
    if (token === ')' && --depth === 0) return index
  }
  return -1
}

/** Tells of frames, as they came, whether their function had only just been entered, as far as its source is on disk. */
class FunctionHeads {
  /** @type {Map<string, boolean>} */
  #known = new Map()
  #read
  #isInMemory

  /** @param {(file: string) => string | null} read @param {(file: string) => boolean} isInMemory what runs is not what is on disk */
  constructor (read, isInMemory) {
    this.#read = read
    this.#isInMemory = isInMemory
  }

  /** @param {import('../types').Frame} frame */
  has ({ file, line, column }) {
    const path = toPath(file)
    if (path === null || line === null || column === null || path.startsWith('node:') || this.#isInMemory(path)) return false
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
