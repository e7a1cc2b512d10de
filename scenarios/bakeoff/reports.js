'use strict'

// The reports of contestants, in a common form.
const path = require('node:path')
const { causes } = require('../../lib/tables/causes')
const { isOfApplication } = require('./corpus/marks')
const { MAIN } = require('./target/thread-name')

/**
 * @typedef {object} Report
 * @property {number} atMs wall time when it was made
 * @property {string | null} id the same for all of one block, where it says so
 * @property {number} durationMs so far, where the block lasts
 * @property {{ function: string | null, line: string, package?: string | null } | null} frame `file:line`, and the
 * package in node_modules that has the file
 * @property {string | null} route
 * @property {string | null} cause
 * @property {string} thread whose loop was blocked; that of the contestant where it knows but one
 * @property {number} [ownMs] of which loopwatch itself ran
 * @property {boolean} isFinal it sums up the whole block
 * @property {boolean} isExcused it says itself that no code is to blame
 * @property {('line' | 'request')[]} [doubts] what it says itself is not certain
 */

const MS_PER_S = 1000
const DOUBTABLE = /** @type {const} */ (['line', 'request'])

/** @param {string} file @param {number | null} line */
const placeOf = (file, line) => `${path.basename(file)}:${line}`

/** @param {string} file absolute */
const packageOf = (file) => /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1] ?? null

/** Removes the prefix that V8 puts before a function's own name. @param {string | null | undefined} name */
const shortName = (name) => name?.replace(/^(async |new )/, '').split(' [as ')[0].split('.').at(-1) ?? null

/**
 * The innermost frame of the application: the same reading for everyone who gives a stack.
 * @param {{ function: string | null, file: string, line: number }[]} frames innermost first
 */
function ofApplication (frames) {
  const frame = frames.find(({ file }) => isOfApplication(file))
  return frame === undefined ? null : { function: shortName(frame.function), line: placeOf(frame.file, frame.line) }
}

/** Lines as V8 writes them: `at name (file:line:column)`. @param {string[]} stack */
const parse = (stack) => stack.flatMap((text) => {
  const [, name, file, line] = /^\s*at (?:(.*?) \()?(?:file:\/\/)?(.*?):(\d+):\d+\)?$/.exec(text) ?? []
  return file === undefined ? [] : [{ function: name ?? null, file, line: Number(line) }]
})

/**
 * A line of the target's output that says something of a block, else null.
 * @param {any} line
 * @returns {Report | null}
 */
exports.readReport = (line) => {
  if (line.bakeoff === 'report') {
    const { atMs, id = null, durationMs, frames, stack, route = null, thread = MAIN } = line
    const known =
      frames?.map((/** @type {any} */ frame) => ({
        function: frame.function,
        file: frame.filename,
        line: frame.lineno
      })) ?? parse(stack ?? [])
    return {
      atMs,
      id,
      durationMs,
      frame: ofApplication(known),
      route,
      cause: null,
      thread,
      isFinal: false,
      isExcused: false
    }
  }
  if (line.name !== 'loopwatch' || !['opened', 'lasting', 'settled'].includes(line.event)) return null
  const { time, block, durationMs, frame, request, cause, evidence, thread = MAIN } = line
  return {
    atMs: time,
    id: block,
    durationMs,
    frame: frame ? readFrame(frame) : null,
    route: request?.route ?? null,
    cause,
    thread,
    ownMs: evidence?.ownMs ?? 0,
    isFinal: line.event === 'settled',
    isExcused: causes[/** @type {import('../../lib/tables/causes').Cause} */ (cause)].excuse !== undefined,
    doubts: DOUBTABLE.filter((what) => ({ line: frame, request })[what]?.exact === false)
  }
}

/** @param {{ function: string | null, file: string | null, line: number | null }} frame of the agent */
function readFrame ({ function: name, file, line }) {
  return { function: name, line: placeOf(file ?? '', line), package: packageOf(file ?? '') }
}

/** A record of `/blocks`, as the report it would have been. @param {any} record @returns {Report | null} */
exports.readRecord = ({ id, startedAt, durationMs, ongoing = false, ...rest }) => exports.readReport({ name: 'loopwatch', event: ongoing ? 'lasting' : 'settled', block: id, time: Date.parse(startedAt) + durationMs, durationMs, ...rest })

/**
 * The blocks since the previous scrape, as a scraped endpoint shows them, or null.
 * @param {string} text @param {string} metric @param {number} thresholdMs @param {number} atMs
 * @returns {Report | null}
 */
exports.readScrape = (text, metric, thresholdMs, atMs) => {
  const value = new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(text)?.[1]
  const durationMs = Number(value) * MS_PER_S
  return durationMs >= thresholdMs
    ? {
        atMs,
        id: null,
        durationMs,
        frame: null,
        route: null,
        cause: null,
        thread: MAIN,
        isFinal: true,
        isExcused: false
      }
    : null
}
