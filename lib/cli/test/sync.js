'use strict'

const { isNameless } = require('../../explain/source/frame-table')
const { nameOf, Offences } = require('./offences')
const { originalOf } = require('./runs')
const { fileOf, relative } = require('./verdict')

/** @import { ProcessRun, SyncCall } from './runs' */

/** Before the first test, everything is startup. @param {SyncCall} call @param {ProcessRun} run */
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

/**
 * Synchronous calls by function, the most frequent first.
 * @param {ProcessRun[]} runs @param {{ all: boolean, cwd: string }} limits
 */
exports.syncOffencesOf = (runs, { all, cwd }) => {
  const offences = new Offences()
  const calls = runs.flatMap((run) => run.syncCalls.map((call) => ({ call, run })))
  for (const { call, run } of calls.filter(({ call, run }) => all || !isStartup(call, run))) {
    const { line, column } = originalOf(call, run) ?? call
    const test = testOf(call, run, cwd)
    const ownName = isNameless(call.function) ? null : call.function
    const name = nameOf({ function: ownName, file: call.file, line, column }, test)
    const place = { ...name, file: relative(call.file, cwd), line, column, isExact: true, package: call.package }
    const { call: callee, twin, count } = call
    offences.add(place, test, { call: callee, twin, cause: 'sync-io', longestMs: 0, count, records: [] })
  }
  return offences.all.sort((a, b) => b.count - a.count)
}
