'use strict'

const { gzipSync } = require('node:zlib')
const pprof = require('pprof-format')
const { LABELS } = require('./stack-table')
const { NS_PER_MS } = require('../../util/units')

/** @import { Frame } from '../../types' */
/** @import { StackTable } from './stack-table' */
/** @import { ValueType } from 'pprof-format' */

/**
 * Google's pprof, gzipped: samples and blocked nanoseconds of each stack (the last type, which `go tool pprof` shows by
 * default), labelled by route, cause, thread and worker. @param {StackTable} table
 */
exports.writePprof = ({ frames, stacks, startMs, endMs, blocks }) => {
  const strings = new pprof.StringTable()
  const text = (/** @type {string} */ string) => strings.dedup(string)
  /** @type {(name: string, unit: string) => ValueType} */
  const type = (name, unit) => new pprof.ValueType({ type: text(name), unit: text(unit) })
  const blocked = type('blocked', 'nanoseconds')
  const { location, functions } = locationsOf(frames, text)
  const profile = new pprof.Profile({
    sampleType: [type('captured', 'count'), blocked],
    sample: stacks.map(({ frames, labels, count, weightMs }) => new pprof.Sample({
      locationId: frames.map((id) => id + 1).reverse(),
      value: [count, Math.round(weightMs * NS_PER_MS)],
      label: LABELS.flatMap((name) => {
        const value = labels[name]
        return value === undefined ? [] : [new pprof.Label({ key: text(name), str: text(value) })]
      })
    })),
    location,
    function: functions,
    periodType: blocked,
    period: 1,
    timeNanos: BigInt(Math.round(Number.isFinite(startMs) ? startMs : 0)) * BigInt(NS_PER_MS),
    durationNanos: BigInt(Math.round(Math.max(0, endMs - startMs) || 0)) * BigInt(NS_PER_MS),
    comment: [text(`${blocks} blocks of the event loop, by loopwatch`)],
    stringTable: strings
  })
  return gzipSync(profile.encode())
}

/** @param {Frame[]} frames @param {(string: string) => number} text */
function locationsOf (frames, text) {
  /** @type {Map<string, import('pprof-format').Function>} */
  const functions = new Map()
  const location = frames.map(({ function: title, file, line, column }, i) => {
    const key = `${title}\n${file}`
    let func = functions.get(key)
    if (func === undefined) {
      const name = text(title ?? '(anonymous)')
      func = new pprof.Function({ id: functions.size + 1, name, systemName: name, filename: text(file ?? '') })
      functions.set(key, func)
    }
    const place = new pprof.Line({ functionId: func.id, line: line ?? 0, column: column ?? 0 })
    return new pprof.Location({ id: i + 1, line: [place] })
  })
  return { location, functions: [...functions.values()] }
}
