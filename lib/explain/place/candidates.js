'use strict'

const { isInlinable, isNativeMethod } = require('./direct-call')
const { blamedFrame } = require('../frame')
const {
  bodyOf, functionAround, linesCalling, linesCallingUnknown, rowsOfFunction
} = require('../source/function-text')
const { declaredIn, REG_EXP, traitsOf } = require('../source/line-text')
const { ownerOf } = require('../../util/code-owner')
const { addTo, sumOf } = require('../../util/statistics')

/**
 * @import { Frame } from '../../types'
 * @import { ProfiledStack, Sources } from '../profile/stacks'
 * @import { Traits } from '../source/line-text'
 */

/** Share of samples or answers that a function needs, or only lines that these show are candidates. */
const LEAST_SHARE = 0.15

/**
 * @typedef {object} Answer equal answers to interrupts
 * @property {Frame[]} frames innermost first @property {number} weightMs the time they stand for
 * @property {number} lateMs the part of it for which native calls or sleep delayed them @property {number} count
 * @typedef {object} Scope a function that samples or answers show
 * @property {Frame} begin where its parameters are @property {number} last line
 * @property {number} samples in it and in its calls @property {number} unplaced samples whose line is unknown
 * @property {number} inlined samples in code of other files that V8 inlined @property {number} collections samples
 * @property {number} answeredMs
 * @typedef {object} Candidate a line that may have taken the time, with its samples and answers
 * @property {Frame} frame @property {Scope | null} scope null if its text is unknown
 * @property {string | undefined} row its text @property {Traits} traits
 * @property {number} samples in it @property {number} guessed those of them whose line V8 does not say
 * @property {number} called samples in its calls @property {Map<Frame, number>} callees the same by callee
 * @property {boolean} isBorrowed its samples may be from another time
 * @property {number} answeredMs @property {number} promptMs without those that calls delayed
 * @property {number} inCallMs in something else that it called @property {number} inCodeMs in other JavaScript
 * @property {number} calledBackMs in a function that a native call in it called
 * @property {number} innerMs in own functions that it called
 */

/** Counts that move from the head of a loop to its body. */
const COUNTS = /** @type {const} */ (['samples', 'guessed', 'answeredMs', 'promptMs'])

/** Samples and answers by line of the source as a person wrote it. */
class Candidates {
  /** @type {Map<string, Candidate>} */
  #candidates = new Map()
  /** @type {Map<string, Scope>} */
  #scopes = new Map()
  #sources
  #owner
  samples = 0
  collections = 0
  answers = 0
  answeredMs = 0

  /** @param {Sources} sources @param {ReturnType<typeof ownerOf>} owner whose lines are candidates */
  constructor (sources, owner) {
    this.#sources = sources
    this.#owner = owner
  }

  get all () {
    return [...this.#candidates.values()]
  }

  /** @param {Frame} frame @returns {Candidate} */
  #at (frame) {
    const key = `${frame.file}\n${frame.line}`
    let candidate = this.#candidates.get(key)
    if (candidate === undefined) {
      const times = { answeredMs: 0, promptMs: 0, inCallMs: 0, inCodeMs: 0, calledBackMs: 0, innerMs: 0 }
      const counts = { samples: 0, guessed: 0, called: 0, isBorrowed: false, ...times }
      const row = this.rowsOf(frame)[Number(frame.line) - 1]
      const text = { row, traits: traitsOf(row) }
      candidate = { frame, scope: this.#scopeAround(frame), ...text, callees: new Map(), ...counts }
      this.#candidates.set(key, candidate)
    }
    return candidate
  }

  /** The source, empty if unknown. @param {Frame} frame @returns {string[]} */
  rowsOf ({ file, compiled }) {
    return file === null || compiled ? [] : this.#sources.sourceRows(file) ?? []
  }

  /** @param {Frame} begin of a function @returns {Scope | null} */
  #scopeOf (begin) {
    const key = `${begin.file}\n${begin.line}`
    const rows = this.rowsOf(begin)
    let scope = this.#scopes.get(key)
    if (scope === undefined && rows.length > 0 && begin.line !== null) {
      const last = begin.line + rowsOfFunction(rows, begin).length - 1
      scope = { begin, last, samples: 0, unplaced: 0, inlined: 0, collections: 0, answeredMs: 0 }
      this.#scopes.set(key, scope)
    }
    return scope ?? null
  }

  /** The innermost function around a line. @param {Frame} frame @returns {Scope | null} */
  #scopeAround (frame) {
    const line = Number(frame.line)
    const around = [...this.#scopes.values()].filter(({ begin, last }) =>
      begin.file === frame.file && Number(begin.line) <= line && last >= line)
    if (around.length > 0) return around.reduce((a, b) => Number(b.begin.line) > Number(a.begin.line) ? b : a)
    const begin = functionAround(this.rowsOf(frame), line)
    return begin === null ? null : this.#scopeOf({ ...frame, ...begin })
  }

  /** Index of the frame to blame, -1 if that has another owner. @param {Frame[]} frames innermost first */
  #blamedIn (frames) {
    const blamed = blamedFrame(frames, this.#sources.passesOn)
    return blamed !== null && ownerOf(blamed) === this.#owner ? frames.indexOf(blamed) : -1
  }

  /** @param {Answer[]} answers */
  addAnswers (answers) {
    for (const { frames, weightMs, lateMs, count } of answers) {
      this.answers += count
      this.answeredMs += weightMs
      const at = this.#blamedIn(frames)
      if (at === -1) continue
      let inner = this.#at(frames[at])
      inner.answeredMs += weightMs
      inner.promptMs += weightMs - lateMs
      if (at > 0) inner.inCallMs += weightMs
      if (at > 0 && ownerOf(frames[0]) !== 'node') inner.inCodeMs += weightMs
      if (inner.scope !== null) inner.scope.answeredMs += weightMs
      let isDirect = true
      for (const caller of frames.slice(at + 1)) {
        if (ownerOf(caller) !== this.#owner) {
          isDirect &&= isInlinable(caller)
          continue
        }
        const outer = this.#at(caller)
        isDirect &&= !isNativeMethod(outer.row ?? '', caller, inner.frame)
        if (!isDirect) {
          outer.inCallMs += weightMs
          outer.calledBackMs += weightMs
        } else if (outer !== inner) {
          outer.innerMs += weightMs
        }
        inner = outer
        isDirect = true
      }
    }
  }

  /** @param {ProfiledStack[]} stacks */
  addSamples (stacks) {
    for (const stack of stacks) {
      const { count, frames, raw, gcRun, isUnlisted } = stack
      if (gcRun === null) this.samples += count
      else this.collections += count
      const at = this.#blamedIn(frames)
      if (at === -1) continue
      // A C++ function may have the name of the one that was called before it (24.21), so it is not a callee.
      const callee = frames.slice(0, at).findLast((each) => each.file !== null || each.function === REG_EXP) ?? null
      const scope = isUnlisted ? this.#scopeAround(frames[at]) : this.#scopeOf(this.#sources.original(raw[at]))
      if (scope !== null) scope.samples += count
      if (gcRun !== null) {
        if (scope !== null) scope.collections += count
      } else if (isUnlisted && scope === null) guess(this.#at(frames[at]), count)
      else if (callee === null) this.#addOwn(stack, frames[at], scope)
      else this.#addCall(callee, count, frames[at], scope)
    }
  }

  /**
   * Samples in a function itself. V8 counts those in a function that it inlined for the caller, in foreign lines.
   * @param {ProfiledStack} stack @param {Frame} blamed @param {Scope | null} scope
   */
  #addOwn ({ count, ticks, foreign, raw, isBorrowed }, blamed, scope) {
    const file = raw.find((each) => each.file !== null)?.file ?? ''
    const all = [...ticks, ...foreign]
    const total = sumOf(all, 'ticks')
    if (total === 0 && scope !== null) scope.unplaced += count
    for (const tick of all) {
      const samples = count * tick.ticks / total
      const place = this.#sources.placeOfLine(file, tick.line)
      if (place === null) continue
      if (ticks.some(({ line }) => line === tick.line)) {
        const candidate = this.#at({ ...blamed, column: null, ...place })
        candidate.samples += samples
        candidate.isBorrowed ||= isBorrowed
      } else if (scope !== null && this.#isCallee({ ...blamed, ...place }, scope)) {
        this.#at({ ...blamed, function: null, column: null, ...place }).samples += samples
      } else if (scope !== null) scope.inlined += samples
    }
  }

  /** Whether a function calls the one around a line of its file. @param {Frame} frame @param {Scope} scope */
  #isCallee (frame, { begin }) {
    const rows = this.rowsOf(begin)
    const callee = this.#scopeAround(frame)
    const name = callee === null ? undefined : declaredIn(rows[Number(callee.begin.line) - 1] ?? '')
    return name !== undefined && linesCalling(rows, begin, name).length > 0
  }

  /**
   * Samples in a call are of the lines that make it by the source, else of any that may.
   * @param {Frame} callee @param {number} count @param {Frame} blamed @param {Scope | null} scope
   */
  #addCall (callee, count, blamed, scope) {
    if (scope === null) return
    const rows = this.rowsOf(blamed)
    const named = callee.function === null ? [] : linesCalling(rows, scope.begin, callee.function)
    const lines = named.length > 0 ? named : linesCallingUnknown(rows, scope.begin, callee.file !== blamed.file)
    if (lines.length === 0) scope.unplaced += count
    for (const line of lines) {
      const caller = this.#at({ ...blamed, line, column: null })
      caller.called += count / lines.length
      addTo(caller.callees, callee, count / lines.length)
    }
  }

  /**
   * Gives samples whose line is unknown to the lines of their function that other samples show, else to those that
   * answers show, else to its first one.
   */
  settle () {
    for (const scope of [...this.#scopes.values()].filter(({ unplaced }) => unplaced > 0)) {
      const own = this.all.filter((each) => each.scope === scope)
      const key = /** @type {const} */ (['samples', 'inCallMs', 'promptMs']).find((name) =>
        own.some((each) => each[name] > 0))
      if (key === undefined) {
        guess(this.#at(scope.begin), scope.unplaced)
        continue
      }
      const total = sumOf(own, key)
      for (const each of own) guess(each, scope.unplaced * (each[key] / total))
    }
  }

  /**
   * Moves counts from the head of a loop, which takes no time, to the lines of its body that make calls, allocate or
   * hold loops, else to all. V8 checks for interrupts at the head, and counts samples there.
   */
  leaveHeads () {
    for (const head of this.all) {
      const body = bodyOf(this.rowsOf(head.frame), Number(head.frame.line))
        .map((line) => this.#at({ ...head.frame, line, column: null }))
      const busy = body.filter(({ traits }) => traits.calls || traits.isLoop || traits.allocates)
      const heirs = busy.length > 0 ? busy : body.filter(({ traits }) => !traits.isIdle)
      for (const name of heirs.length === 0 ? [] : COUNTS) {
        // Samples and answers in a call of the head, such as map(), are not of its callback.
        const own = name.endsWith('Ms') ? Math.min(head[name], head.inCallMs) : head[name]
        const left = head.traits.isIdle ? 0 : own
        for (const heir of heirs) heir[name] += (head[name] - left) / heirs.length
        head[name] = left
      }
    }
  }

  /** Adds the lines that neither shows, but that may have taken the time. */
  addOthers () {
    for (const { begin, samples, answeredMs } of [...this.#scopes.values()]) {
      const share = Math.max(samples / Math.max(1, this.samples), answeredMs / Math.max(1, this.answeredMs))
      if (share < LEAST_SHARE) continue
      for (const { row, line } of rowsOfFunction(this.rowsOf(begin), begin).slice(1)) {
        if (traitsOf(row).calls) this.#at({ ...begin, line, column: null })
      }
    }
  }
}

/** @param {Candidate} candidate @param {number} samples */
function guess (candidate, samples) {
  candidate.samples += samples
  candidate.guessed += samples
}

exports.Candidates = Candidates
