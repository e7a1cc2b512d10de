'use strict'

const fs = require('node:fs')
const { toPath } = require('../../explain/source/source-map')
const { samplesOf } = require('../profile/profilers')

/** `report file:///srv/app/report.js:1:17`: a function, with the place where it begins. */
const NAMED = /^(.*?) ((?:file:|node:|\/|[A-Z]:\\).*):\d+:\d+$/

/**
 * @typedef {{ name: string, func?: number, source?: { fns?: number[] } }[]} Ticked a stack, innermost last
 * @typedef {{ name: string, file: string, all: number, own: number, isInlined: boolean }} Ticks samples that had it in
 * their stack, and innermost; isInlined: V8 compiled it into a caller, and samples do not name it there
 */

/**
 * Samples of clinic flame or 0x, one for each millisecond of CPU. They have functions and no lines. Null if unreadable.
 * @param {string} folder of the tool's report @returns {Ticked[] | null}
 */
exports.readTicks = (folder) => {
  try {
    const ticks = JSON.parse(fs.readFileSync(samplesOf(folder) ?? '', 'utf8'))
    return ticks.length > 0 && ticks.every(Array.isArray) ? ticks : null
  } catch {
    return null
  }
}

/** @param {Ticked[]} ticks @returns {Map<string, Ticks>} by file and name */
exports.functionsIn = (ticks) => {
  /** @type {Map<string, Ticks>} */
  const functions = new Map()
  /** @type {Map<number, Ticks>} */
  const byNumber = new Map()
  /** @type {Set<number>} */
  const inlined = new Set()
  for (const stack of ticks) {
    /** @type {Set<Ticks>} */
    const met = new Set()
    for (const { name: text, func, source } of stack) {
      const [, name, place] = NAMED.exec(text) ?? []
      const file = place === undefined ? null : toPath(place)
      if (file === null) continue
      const key = `${file}\n${name || '(anonymous)'}`
      const each = functions.get(key) ?? { name: name || '(anonymous)', file, all: 0, own: 0, isInlined: false }
      functions.set(key, each)
      met.add(each)
      if (func !== undefined) byNumber.set(func, each)
      for (const number of source?.fns ?? []) inlined.add(number)
    }
    for (const each of met) each.all++
    const innermost = [...met].at(-1)
    if (innermost !== undefined) innermost.own++
  }
  for (const number of inlined) {
    const each = byNumber.get(number)
    if (each !== undefined) each.isInlined = true
  }
  return functions
}
