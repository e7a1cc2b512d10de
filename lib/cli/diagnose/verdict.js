'use strict'

const { causeRow, causes } = require('../../tables/causes')
const { adviceOn } = require('../docs')
const { counted, duration, printable } = require('../../util/sentence')
const { ADVISED, culpritsOf, topTable } = require('../blocks/top')
const { parseSamples } = require('../common/parse')
const { faultInWords } = require('../profile/load')
const { detailIn } = require('../record/sources')

/**
 * @import { BlockRecord } from '../../types'
 * @import { Load } from '../profile/load'
 */

/** Share of blocked time below which blocks do not make requests slow. */
const BLOCKED_SHARE = 0.02
/** Utilization of the loop below which slow requests wait for something else. */
const BUSY = 0.7
const SLOW_MS = 50
/** Least share of the blocked time with which a culprit gets advice. */
const ADVISED_SHARE = 0.1
/** Share of the blocked time from which one function is to blame, however many requests it serves in one turn. */
const SINGLE_SHARE = 0.6
const WAITS = '- Look at the longest waits in bubbleprof, such as queries that could run at the same time.\n' +
  '- Ask the questions of: npx loopwatch docs slow-without-a-block\n'
/** Blocks that the agent keeps under diagnose, the most that it can keep. */
const KEEP = 1000

/** @typedef {ReturnType<typeof culpritsOf>[number]} Culprit */
/**
 * @typedef {Pick<import('../../store/recording').Recording, 'blocks' | 'details' | 'metrics' | 'recordedAt'>} Recording
 */
/**
 * @typedef {object} Run
 * @property {Recording} recording at its end
 * @property {number | null} sinceMs when the application began to listen, null if it never did; Unix time
 * @property {number} startMs @property {Load | null} load
 */

/**
 * The result of a run in words, and the tool of `loopwatch profile` that would show more.
 * @param {Run} run @returns {{ text: string, tool: 'flame' | 'heapprofiler' | 'bubbleprof' | null }}
 */
exports.verdictOf = ({ recording, sinceMs, startMs, load }) => {
  const isFull = recording.blocks.length >= KEEP
  const fromMs = isFull ? Date.parse(recording.blocks[recording.blocks.length - 1].startedAt) : sinceMs ?? startMs
  const blocks = recording.blocks.filter((block) => isBurden(block, sinceMs)).reverse()
  const culprits = culpritsOf(blocks)
  const blockedMs = culprits.reduce((total, { totalMs }) => total + totalMs, 0)
  const durationMs = Math.max(1, Date.parse(recording.recordedAt) - fromMs)
  const share = Math.min(1, blockedMs / durationMs)
  const figure = `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}% of ${duration(durationMs)}`
  const whole = isFull ? `, the time of the latest ${counted(KEEP, 'block')}` : ''
  const fault = load && faultInWords(load)
  const inRun = fault === null ? '' : ` In this run ${fault}.`
  if (share >= BLOCKED_SHARE) {
    const heavy = culprits.slice(0, ADVISED).filter(({ totalMs }, i) => i === 0 || totalMs >= ADVISED_SHARE * blockedMs)
    if (isSingle(heavy[0], blockedMs)) heavy[0].cause = 'js'
    const parts = [
      `The event loop was blocked for ${figure}${whole}.${inRun}\n`,
      topTable(blocks), ...heavy.map((each) => adviceFor(each, recording))
    ]
    return { text: parts.join('\n'), tool: causeRow(heavy[0].cause).tool }
  }
  if (load !== null && load.p50Ms >= SLOW_MS && utilizationOf(recording.metrics) < BUSY) {
    const text = `Requests do not wait for the event loop, which was blocked for ${figure}${whole}. They wait for a ` +
      `database, another service or the thread pool of libuv.${inRun}\n`
    return { text: `${text}\n${WAITS}`, tool: 'bubbleprof' }
  }
  return { text: `Nothing is wrong with the event loop: it was blocked for ${figure}${whole}.${inRun}\n`, tool: null }
}

/** Whether one function had the time of turns with many requests. @param {Culprit} culprit @param {number} blockedMs */
const isSingle = ({ cause, hasPlace, totalMs }, blockedMs) =>
  cause === 'many' && hasPlace && totalMs >= SINGLE_SHARE * blockedMs

/**
 * Whether a block delays requests. One that lasts at the end does not belong to startup.
 * @param {BlockRecord} block @param {number | null} sinceMs
 */
const isBurden = ({ threadId, ongoing, startup, startedAt }, sinceMs) =>
  threadId === 0 && (ongoing || (sinceMs === null ? !startup : Date.parse(startedAt) >= sinceMs))

/** The main thread's, since the process started. @param {string} metrics as Prometheus text */
function utilizationOf (metrics) {
  const times = parseSamples(metrics).filter(({ name, labels: { thread } }) =>
    name === 'loopwatch_eventloop_time_seconds_total' && thread === 'main')
  const active = times.find(({ labels: { state } }) => state === 'active')?.value ?? 0
  return active / Math.max(times.reduce((total, { value }) => total + value, 0), Number.MIN_VALUE)
}

/** The longest block of a culprit shows what to do about it. @param {Culprit} culprit @param {Recording} recording */
function adviceFor ({ place, hasPlace, cause, longestId }, recording) {
  const { excuse, meaning } = causes[cause]
  // The block may have been a function's for another part of its time.
  const { advice: all = [] } = (excuse === undefined && detailIn(recording, longestId)) || {}
  const advice = all.filter(({ kind }) => kind !== 'many' || cause === 'many')
  const head = printable(`${hasPlace && excuse === undefined ? `${place}: ` : ''}${meaning} (${cause})`)
  const rows = advice.map(({ text }) => `- ${printable(text)}
`).join('')
  return `${head}
${rows || general(cause)}`
}

/** Advice from the document of a cause, which a bundler may have left out. @param {string} name */
const general = (name) => `${adviceOn(name)?.toDo ?? `loopwatch docs causes/${name} says what to do.`}\n`

exports.KEEP = KEEP
