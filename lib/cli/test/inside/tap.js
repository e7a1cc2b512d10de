'use strict'

const process = require('../../../util/process')

/**
 * @import { Recorder } from './recorder'
 * @import { EventEmitter } from 'node:events'
 */

/** tap 18 to 21 keep the root of a process's tests here, in both of their builds. */
const kRoot = Symbol.for('TAP private constructor')

/** @typedef {EventEmitter & { name?: string }} TapTest emits `subtestStart` and `subtestEnd` */

/** Tests of one process, at any depth. A test with subtests counts only its own time. */
class TapTests {
  #recorder

  /** @param {Recorder} recorder */
  constructor (recorder) {
    this.#recorder = recorder
  }

  /** @param {TapTest} parent @param {string[]} names of the parent, outermost first; empty for the root */
  follow (parent, names) {
    let below = 0
    /** @type {number | null} */
    let own = null
    const pause = () => {
      if (own !== null) this.#recorder.end(own)
      own = null
    }
    const goOn = () => { own = names.length === 0 ? null : this.#recorder.begin(names.join(' > '), process.argv[1]) }
    /** @type {Map<TapTest, () => void>} */
    const ends = new Map()
    parent.on('subtestStart', (/** @type {TapTest} */ test) => {
      if (below++ === 0) pause()
      ends.set(test, this.follow(test, [...names, `${test.name ?? ''}`]))
    })
    parent.on('subtestEnd', (/** @type {TapTest} */ test) => {
      const end = ends.get(test)
      if (end === undefined) return
      ends.delete(test)
      end()
      if (--below === 0) goOn()
    })
    goOn()
    return pause
  }
}

/** tap makes the root of this process's file later. @param {Recorder} recorder */
exports.follow = (recorder) => {
  /** @type {TapTest | undefined} */
  let root
  Object.defineProperty(globalThis, kRoot, {
    configurable: true,
    enumerable: true,
    get: () => root,
    set: (/** @type {TapTest} */ made) => {
      root = made
      if (typeof made?.on === 'function') new TapTests(recorder).follow(made, [])
    }
  })
}
