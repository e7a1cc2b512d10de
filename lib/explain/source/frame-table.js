'use strict'

const { BoundedMap } = require('../../util/bounded-map')
const { escaped, positionIn } = require('./javascript')

/** @import { Frame } from '../../types' */

/** Frames that are kept: far more than an application has in all its blocks. */
const FRAMES = 10000

/** One object for each distinct frame, at its original place: many records share it, and it is symbolicated once. */
class FrameTable {
  /** @type {BoundedMap<Frame>} */
  #frames = new BoundedMap({ mostItems: FRAMES })
  /** Frames before source maps, if their file's map may come later. @type {WeakMap<Frame, Frame>} */
  #raw = new WeakMap()
  /** Frames with a name, by those without one. @type {WeakMap<Frame, Frame>} */
  #named = new WeakMap()
  /** Where functions without a name begin. @type {WeakMap<Frame, string>} */
  #starts = new WeakMap()
  #original
  #source

  /**
   * @param {(frame: Frame) => Frame} original maps a frame through source maps
   * @param {object} [source] of the functions
   * @param {(raw: Frame) => boolean} [source.isHead] whether its place is where its function begins
   * @param {(frame: Frame) => string | null | undefined} [source.nameOf] a name for a function without one, undefined
   * if it comes later
   * @param {(frame: Frame) => boolean} [source.passesOn] whether its call only calls a function that it was passed
   * @param {(frame: Frame) => string[]} [source.routesOf] the routes in whose handlers it is written, outermost first
   * @param {(raw: Frame) => boolean} [source.mayMove] whether a later source map may change a frame
   * @param {() => boolean} [source.isBusy] whether anything is still being read
   */
  constructor (original, source = {}) {
    this.#original = original
    this.#source = source
    this.passesOn = source.passesOn ?? (() => false)
    this.routesOf = source.routesOf ?? (() => [])
  }

  get isAwaiting () {
    return this.#source.isBusy?.() ?? false
  }

  /** Whether the innermost function was at its entry. @param {Frame[]} raw before source maps */
  isJustEntered ([innermost]) {
    return innermost !== undefined && (this.#source.isHead?.(innermost) ?? false)
  }

  /** @param {Frame & { start?: string }} raw */
  get ({ start, ...raw }) {
    const key = `${raw.file}\n${raw.line}\n${raw.column}\n${raw.function}\n${raw.async ?? ''}`
    let frame = this.#frames.get(key)
    if (frame === undefined) {
      frame = Object.freeze({ ...copy(this.#original(raw)), ...(raw.async && { async: raw.async }) })
      this.#frames.set(key, frame)
      if (this.#source.mayMove?.(raw)) this.#raw.set(frame, copy(raw))
    }
    if (start !== undefined) this.#starts.set(frame, start)
    return frame
  }

  /** A frame of this table by the source maps of now. @param {Frame} frame */
  again (frame) {
    const raw = this.#raw.get(frame)
    return raw === undefined ? frame : this.get({ ...raw, start: this.#starts.get(frame) })
  }

  /** The identity of a function within its file. @param {Frame} frame of this table */
  functionOf (frame) {
    return frame.function ?? this.#starts.get(frame) ?? frame.line
  }

  /** A frame with a name, by its source. @template {Frame} F @param {F} frame @returns {F} */
  named (frame) {
    const named = isNameless(frame.function) ? this.#named.get(frame) : frame
    if (named !== undefined) return /** @type {F} */ (named)
    const ofSource = this.#source.nameOf?.(frame)
    const name = ofSource === null && ASSIGNED.test(`${frame.function}`) ? frame.function : ofSource ?? null
    const withName = name === frame.function ? frame : { ...frame, function: name }
    if (ofSource !== undefined) this.#named.set(frame, withName)
    return withName
  }

  /** Maps all frames again, by new source maps. */
  forget () {
    this.#frames.clear()
  }
}

/** `Class.object.method.argument`: what V8 calls a function without a name by the code around it. */
const GUESSED = /^[\w$#]+(?:\.[\w$#]+)+$/

/** The place a function was assigned to, mostly: all there is in a bundle that is too large to be searched. */
const ASSIGNED = /^[^.]+\.[^.]+$/

/** @param {string | null} name of a function by V8 */
const isNameless = (name) => name === null || GUESSED.test(name)

/** A string cut from an answer would keep all of it in memory. @param {Frame} frame @returns {Frame} */
const copy = (frame) => JSON.parse(JSON.stringify(frame))

/** How much text before a call is searched for the parameters of the functions around it. */
const BEFORE_CHARS = 4000
/** Longest line that is searched: a longer one is minified. */
const LINE_CHARS = 1000
const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u
/** `fn.call(…)` and `fn.apply(…)`: V8 names the place of the method. */
const METHOD = /([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*\??\.\s*$/u
const REFLECT = /^apply\s*\(\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)/u
/** Lists of parameters: before an arrow, before the body of a function, or a single one. */
const PARAMETERS = new RegExp([
  /\((?<!\b(?:if|for|while|switch|catch|with)\s*\()([^()]*(?:\([^()]*\)[^()]*)*)\)\s*(?::[^;{}()=]*)?(?:=>|\{)/,
  /([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=>/u
].map(({ source }) => source).join('|'), 'gu')

/** The callee, null for a member. @param {string} before the call, in its line @param {string} rest of the text */
function calleeAt (before, rest) {
  const name = NAME.exec(rest)?.[0]
  const object = METHOD.exec(before)?.[1]
  if (object === undefined) return name === undefined || before.endsWith('.') ? null : name
  if (object === 'Reflect') return REFLECT.exec(rest)?.[1] ?? null
  return name === 'call' || name === 'apply' ? object : null
}

/**
 * Whether a call is one of a parameter of its caller: `next()`, `await next()`, `return fn(...args)`,
 * `fn.apply(this, args)`. The time belongs to the code that passed the function.
 * @param {string} text of the file @param {number} at offset of the call
 */
exports.callsParameter = (text, at) => {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  if (at - lineStart > LINE_CHARS) return false
  const callee = calleeAt(text.slice(lineStart, at), text.slice(at, at + LINE_CHARS))
  if (callee === null) return false
  const before = text.slice(Math.max(0, at - BEFORE_CHARS), at)
  const name = escaped(callee)
  const isName = new RegExp(`(?<![\\w$.])${name}(?![\\w$])`)
  const parameters = [...before.matchAll(PARAMETERS)].findLast(([, list, single]) => isName.test(list ?? single))
  const declared = new RegExp(`\\b(?:const|let|var|function)\\s+${name}(?![\\w$])`)
  return parameters !== undefined &&
    !declared.test(before.slice(parameters.index + parameters[0].length))
}

/** Places that are remembered. */
const PLACES = 10000

/** Answers about places in source texts, each found once; null without such a place. @template T */
class ByPlace {
  /** @type {BoundedMap<T | null>} */
  #answers = new BoundedMap({ mostItems: PLACES })
  #read
  #find

  /** @param {(file: string) => string | null} read @param {(text: string, offset: number) => T} find */
  constructor (read, find) {
    this.#read = read
    this.#find = find
  }

  /** @param {string} file @param {number} line @param {number} column */
  get (file, line, column) {
    const cached = this.cached(file, line, column)
    if (cached !== undefined) return cached
    const text = this.#read(file)
    const offset = text === null ? null : positionIn(text, line, column)
    const answer = text === null || offset === null ? null : this.#find(text, offset)
    this.#answers.set(`${file}\n${line}\n${column}`, answer)
    return answer
  }

  /** The answer, undefined for a new place. @param {string} file @param {number} line @param {number} column */
  cached (file, line, column) {
    return this.#answers.get(`${file}\n${line}\n${column}`)
  }
}

exports.FrameTable = FrameTable
exports.isNameless = isNameless
exports.ByPlace = ByPlace
