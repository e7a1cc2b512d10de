'use strict'

const { isNameless } = require('../../explain/source/frame-table')
const { keyOf, nameOf } = require('./offences')
const { originalOf } = require('./runs')
const { fileOf, relative } = require('./verdict')

/**
 * @import { Offence } from './offences'
 * @import { ProcessRun, SyncCall } from './runs'
 */

/** Before the first test, everything is start-up. @param {SyncCall} call @param {ProcessRun} run */
function isStartup ({ isStartup, atMs }, { tests: [first] }) {
  return first === undefined ? isStartup : atMs < first.startMs
}

/** @param {SyncCall} call @param {ProcessRun} run @param {string} cwd */
function testOf ({ atMs }, run, cwd) {
  const within = run.tests.filter(({ startMs, endMs }) => startMs <= atMs && atMs <= endMs)
  const test = within.at(-1)
  const file = test?.file ?? fileOf(run)
  return {
    file: file === null ? null : relative(file, cwd),
    name: test?.name ?? null,
    others: Math.max(0, within.length - 1)
  }
}

/** The most frequent first. @param {ProcessRun[]} runs @param {{ all: boolean, cwd: string }} limits */
exports.syncOffencesOf = (runs, { all, cwd }) => {
  /** @type {Map<string, Offence>} */
  const offences = new Map()
  const calls = runs.flatMap((run) => run.syncCalls.map((call) => ({ call, run })))
  for (const { call, run } of calls.filter(({ call, run }) => all || !isStartup(call, run))) {
    const { line, column } = originalOf(call, run) ?? call
    const test = testOf(call, run, cwd)
    const ownName = isNameless(call.function) ? null : call.function
    const named = nameOf({ function: ownName, file: call.file, line, column }, test)
    const place = { ...named, file: relative(call.file, cwd), call: call.call }
    const known = offences.get(keyOf(place))
    if (known === undefined) {
      offences.set(keyOf(place), {
        ...place, line, column, isExact: true, twin: call.twin, package: call.package, longestMs: 0, count: call.count, cause: 'sync-io', tests: [test], records: [], state: 'new', knownMs: null, reason: null
      })
      continue
    }
    known.count += call.count
    if (!known.tests.some(({ file, name }) => file === test.file && name === test.name)) known.tests.push(test)
  }
  return [...offences.values()].sort((a, b) => b.count - a.count)
}
