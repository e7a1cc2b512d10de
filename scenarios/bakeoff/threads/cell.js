'use strict'

// The cell of --corpus threads: blocks of worker threads, each case in a process of its own with the default agent.
const path = require('node:path')
const { cases, FILE } = require('./cases')
const { runTarget } = require('../generated/run')
const { judgement, loadOf, MISSED, overlap, summarise } = require('../generated/score')

/** @import { BlockRecord } from '../../../lib/types' */
/** @import { Interval, Verdict } from '../generated/score' */

const TARGET = path.join(__dirname, 'target.js')
const BLOCKS = 3
/** A task that takes less is not the block that was meant. */
const LEAST_MS = 100

/** @param {any} context */
exports.run = async (context) => {
  /** @type {{ design: { kind: string, form: string, index: number }, verdicts: Verdict[] }[]} */
  const results = []
  let falsePositives = 0
  await context.measure(async () => {
    for (const [index, each] of cases.entries()) {
      const order = { host: each.host, task: each.task, blocks: BLOCKS }
      const { intervals, records } = await runTarget(TARGET, { BAKEOFF_THREADS: JSON.stringify(order) })
      const ofThreads = records.filter(({ threadId, startup }) => threadId !== 0 && !startup)
      context.count(intervals.length)
      if (each.host === 'waits') {
        falsePositives += ofThreads.length
        continue
      }
      const shortMs = Math.min(...intervals.map(({ startMs, endMs }) => endMs - startMs))
      context.check(shortMs >= LEAST_MS, `${each.task} in ${each.host}: a task took ${shortMs} ms`)
      const verdicts = intervals.map((interval) => judge(interval, ofThreads, each))
      results.push({ design: { kind: each.task, form: each.host, index }, verdicts })
    }
  })
  const { value, extra } = summarise(results)
  return { value, extra: { ...extra, falsePositives } }
}

/**
 * Place and cause are judged where there is a profile: one is taken in six seconds.
 * @param {Interval} interval @param {BlockRecord[]} records @param {import('./cases').ThreadCase} truth
 * @returns {Verdict}
 */
function judge ({ startMs, endMs }, records, truth) {
  const [record] = records
    .map((each) => ({ each, overlapMs: overlap(each, startMs, endMs) }))
    .filter(({ overlapMs }) => overlapMs > (endMs - startMs) / 2)
    .sort((a, b) => b.overlapMs - a.overlapMs).map(({ each }) => each)
  if (record === undefined) return MISSED
  const { frame, cause, durationMs, excused = false } = record
  const isIn = (/** @type {boolean} */ isRight) => judgement(frame === null ? null : frame.exact, isRight)
  // An `eval` worker has no file.
  const isHere = frame?.file === FILE || truth.host === 'eval'
  return {
    isFound: true,
    load: record.profile === null || excused ? 'excused' : loadOf(record),
    line: isIn(isHere && truth.lines.includes(frame?.line ?? 0)),
    function: isIn(isHere && truth.functions.includes(frame?.function ?? '')),
    work: 'right',
    isCause: [...truth.cause, 'unknown'].includes(cause),
    isPackage: (record.package?.name ?? null) === truth.owner,
    durationOff: Math.abs(durationMs - (endMs - startMs)) / (endMs - startMs),
    record
  }
}
