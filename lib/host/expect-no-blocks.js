'use strict'

const { setTimeout } = require('node:timers')
const { checkOptions } = require('../options/table')
const type = require('../options/types')
const { excuseOf, timesOf } = require('../tables/causes')
const { codedError, codedErrorFrom } = require('../tables/errors')

/** @import { BlockRecord } from '../types' */

/** After two beats of a calm loop the watchdog has the record of a block that has ended. */
const RECORDED_MS = 60

// A test may replace clocks, so this is bound at load.
const dateNow = Date.now

/**
 * @typedef {{ thresholdMs: number, keep: number, ready: () => Promise<unknown>,
 *   blocks: () => Promise<BlockRecord[] | null>, settle: () => Promise<void>,
 *   onSettled: (listener: (record: BlockRecord) => void) => () => void }} Watch the agent's side. `blocks` returns the
 *   latest records, at most `keep`, newest first; null if there is no watchdog. `onSettled` subscribes.
 */

/** @param {number} ms @returns {Promise<void>} */
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms) })

/**
 * The limit has the bounds of the option `threshold`.
 * @param {unknown} fn @param {unknown} options @param {number} [leastMs] @returns {{ overMs?: number }}
 */
exports.checkExpectation = (fn, options, leastMs = 2) => {
  if (typeof fn !== 'function') throw codedError('LOOPWATCH_ERR_OPTION', 'expectNoBlocks()', 'a function', fn)
  const limit = type.number(leastMs, 60000, 'milliseconds')
  const takes = `${limit.takes} (blocks below the option "threshold" are not seen)`
  const rows = [{ key: 'overMs', type: { ...limit, takes }, default: undefined }]
  return checkOptions('expectNoBlocks()', 'an object { overMs }', options, rows)
}

/** How long the code itself kept the loop, without waits for a CPU. @param {BlockRecord} record */
const ownMs = (record) => record.allowed
  ? 0
  : timesOf(record).reduce((ms, [cause, each]) => excuseOf(cause) === undefined ? ms + each : ms, 0)

/** @param {BlockRecord} record */
const isOfMainThread = ({ threadId, worker }) => threadId === 0 && worker === null

/**
 * The longest block above the limit. @returns {BlockRecord | null}
 * @param {BlockRecord[]} records @param {{ startMs: number, endMs: number, overMs: number }} limits in wall time
 */
function longestWithin (records, { startMs, endMs, overMs }) {
  const counting = records.filter((record) => {
    const beganMs = Date.parse(record.startedAt)
    const withinMs = Math.min(beganMs + record.durationMs, endMs) - Math.max(beganMs, startMs)
    return isOfMainThread(record) && Math.min(withinMs, ownMs(record)) >= overMs
  })
  return counting.sort((a, b) => b.durationMs - a.durationMs)[0] ?? null
}

/**
 * Runs a function, and rejects if the event loop was blocked meanwhile. An error of the function itself comes first.
 * @template T @param {Watch | null} watch null if there is no watchdog @param {() => T} fn
 * @param {{ overMs?: number }} options @returns {Promise<Awaited<T>>}
 */
exports.expectNoBlocks = async (watch, fn, options) => {
  const { overMs = watch?.thresholdMs ?? 0 } = exports.checkExpectation(fn, options, watch?.thresholdMs)
  if (watch === null) throw codedError('LOOPWATCH_ERR_UNWATCHED')
  await watch.ready()
  // Code that ran before in this turn of the loop is not part of the function.
  await sleep(1)
  const startMs = dateNow()
  const settled = /** @type {BlockRecord[]} */ ([])
  const stop = watch.onSettled((record) => { if (ownMs(record) >= overMs) settled.push(record) })
  try {
    const value = await fn()
    // A block in progress when fn resolves ends with this turn.
    await sleep(1)
    const blocked = await longestOf(watch, settled, { startMs, endMs: dateNow(), overMs })
    if (blocked === null) return value
    throw codedErrorFrom(blocked, 'LOOPWATCH_ERR_BLOCKED', blocked, overMs)
  } finally {
    stop()
  }
}

/**
 * @param {Watch} watch @param {BlockRecord[]} settled since the start; the list of the latest blocks may have lost some
 * @param {{ startMs: number, endMs: number, overMs: number }} limits
 */
async function longestOf (watch, settled, limits) {
  await sleep(RECORDED_MS)
  const latest = await blocksOf(watch)
  const [oldest] = latest.filter(isOfMainThread).slice(watch.keep - 1)
  const mayBeLost = oldest !== undefined && Date.parse(oldest.startedAt) >= limits.startMs
  if (!mayBeLost && longestWithin([...latest, ...settled], limits) === null) return null
  // Pauses of the garbage collector, or a CPU profile, may still show another cause.
  await watch.settle()
  const final = new Map([...await blocksOf(watch), ...settled].map((record) => [record.id, record]))
  return longestWithin([...final.values()], limits)
}

/** @param {Watch} watch */
async function blocksOf (watch) {
  const records = await watch.blocks()
  if (records === null) throw codedError('LOOPWATCH_ERR_UNWATCHED')
  return records
}
