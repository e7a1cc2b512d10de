'use strict'

const { overlapMs } = require('../loop/self-lateness')
const { BUNDLE_BYTES } = require('../source/source-reader')
const { readSource } = require('../../util/files')

/**
 * @import { Window } from '../../explain/profile/samples'
 * @import { Sources } from '../../explain/profile/stacks'
 * @import { SourceReader } from '../source/source-reader'
 */

/** The newest profiles are kept for blocks that last longer than one; for a longer block they show its end. */
const WINDOWS = 10

/** @typedef {{ startMs: number, endMs: number, profile?: Window['profile'], text?: string }} HostProfile */

/** Loaded with the first profile. */
const parserOf = () => require('../../explain/profile/samples')

/** The CPU profiles that were taken, matched with blocks. */
class ProfileWindows {
  /** @type {Window[]} oldest first */
  #windows = []
  #sources
  #read

  /**
   * @param {Pick<SourceReader, 'code' | 'frames' | 'isInMemory' | 'placeOfLine' | 'sourceRows'>} sources
   * @param {object} [more] @param {(file: string) => string | null} [more.read]
   * @param {boolean} [more.isBegunLate] profiles begin when the code has run for a while
   */
  constructor (sources, { read = readSource, isBegunLate = false } = {}) {
    this.#sources = sources
    this.#read = read
    this.isBegunLate = isBegunLate
  }

  /** @param {HostProfile} taken @returns {Window | null} */
  keep = ({ startMs, endMs, text, ...taken }) => {
    const profile = text === undefined ? taken.profile : parserOf().parseProfile(text)
    if (!profile) return null
    const window = { startMs, endMs, profile }
    this.#windows.push(window)
    if (this.#windows.length > WINDOWS) this.#windows.shift()
    return window
  }

  /** The profile of a time; null if there is none. @param {number} startMs @param {number} endMs */
  within (startMs, endMs) {
    const windows = this.#windows.filter((window) => window.endMs > startMs && window.startMs < endMs)
    // The last sample does not stand for a time in which none was taken.
    const lastMs = windows.at(-1)?.endMs
    return lastMs === undefined
      ? null
      : parserOf().cutProfiles(windows, startMs, Math.min(endMs, lastMs))
  }

  /** For how much of a time there are profiles, ms. @param {number} startMs @param {number} endMs */
  coveredMs (startMs, endMs) {
    return overlapMs(this.#windows, startMs, endMs)
  }

  /**
   * The function that had most of a time, by profiles of it; null if there are none.
   * @param {number} startMs @param {number} endMs
   */
  frameIn (startMs, endMs) {
    const profile = this.within(startMs, endMs)
    return profile === null ? null : require('../../explain/profile/stacks').heaviestIn(profile, this.sources)
  }

  /** The application's code, as an explanation of a block needs it. */
  get code () {
    return { ...this.#sources.code, sources: () => this.sources }
  }

  /** The sources of the code, for one block: files are kept. @returns {Sources} */
  get sources () {
    const sources = this.#sources
    return {
      original: (frame) => sources.frames.get(frame),
      runningRows: onceEach((file) => {
        const text = sources.isInMemory(file) ? null : this.#read(file)
        // A bundle is too expensive to split at each block.
        return text === null || text.length > BUNDLE_BYTES ? null : text.split('\n')
      }),
      sourceRows: onceEach((file) => sources.sourceRows(file)),
      placeOfLine: (file, line) => sources.placeOfLine(file, line),
      passesOn: (frame) => sources.frames.passesOn(frame),
      isBegunLate: this.isBegunLate
    }
  }
}

/** Reads each file once. @param {Sources['runningRows']} read @returns {Sources['runningRows']} */
function onceEach (read) {
  /** @type {Map<string, string[] | null>} */
  const files = new Map()
  return (file) => {
    let lines = files.get(file)
    if (lines === undefined) files.set(file, lines = read(file))
    return lines
  }
}

exports.ProfileWindows = ProfileWindows
