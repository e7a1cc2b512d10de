'use strict'

const fs = require('node:fs')
const { Readable } = require('node:stream')
const { spec: Spec } = require('node:test/reporters')
const path = require('node:path')

const SLOWEST = 15
/** Of an error's message, which may have the whole output of a process. */
const SHOWN_CHARS = 1500

/** Files with how long they took, the slowest first. @param {Map<string, number>} files ms by path */
function slowest (files) {
  const rows = [...files].sort(([, a], [, b]) => b - a).slice(0, SLOWEST)
  return rows.map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${path.relative(process.cwd(), file)}`)
}

/** Whether an event is the first line of node's summary. @param {{ type: string, data: any }} event */
const isSummary = ({ type, data }) => type === 'test:diagnostic' && data.nesting === 0 && /^tests \d+$/.test(data.message)

/** For the last lines of a run, as other groups of tests may follow. @param {{ type: string, data: any }} event */
function keepFailure ({ type, data }) {
  const { FAILED_TESTS_FILE: kept } = process.env
  const { error } = data.details ?? {}
  if (type !== 'test:fail' || kept === undefined || error?.failureType === 'subtestsFailed') return
  const why = `${error?.cause?.message ?? error?.message}`.slice(0, SHOWN_CHARS).trim().replaceAll('\n', '\n  ')
  fs.appendFileSync(kept, `${path.relative(process.cwd(), data.file ?? '')}: ${data.name}\n  ${why}\n`)
}

/** A test that passed says nothing. One that was skipped says why. @param {{ type: string, data: any }} event */
const isQuiet = ({ type, data }) =>
  type === 'test:start' || (type === 'test:pass' && data.skip === undefined && data.todo === undefined)

/** A line for each file, then its failures, the slowest files and the summary. @param {AsyncIterable<any>} events */
async function * shorten (events) {
  const files = new Map()
  const say = (/** @type {string} */ message) => ({ type: 'test:diagnostic', data: { nesting: 0, message } })
  for await (const event of events) {
    const { type, data } = event
    keepFailure(event)
    // The runner reports a file as a test with the file's name, from Node.js 24 on relative to the working directory.
    const isFile = type === 'test:complete' && data.nesting === 0 && path.resolve(data.name) === data.file
    if (isFile) {
      files.set(data.file, data.details.duration_ms)
      yield say(path.relative(process.cwd(), data.file))
    }
    if (isSummary(event)) for (const message of ['slowest files', ...slowest(files)]) yield say(message)
    if (!isQuiet(event)) yield event
  }
}

/**
 * A reporter of node:test: its `spec` without what passed, and with the slowest files before the summary.
 * @param {AsyncIterable<any>} events
 */
module.exports = async function * reporter (events) {
  yield * Readable.from(shorten(events)).pipe(new Spec())
}
