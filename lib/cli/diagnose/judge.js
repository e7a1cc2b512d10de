'use strict'

const { workOf } = require('../../util/sentence')
const { causeRow } = require('../../tables/causes')
const { shortPath } = require('../../util/short-path')

/** With less blocked time than this share, blocks do not make requests slow. */
const BLOCKED_SHARE = 0.02
/** Below this utilization, slow requests wait for something other than the loop. */
const BUSY = 0.7
const SLOW_MS = 50
const SITES = 10
/** A function with this share of the blocked time is the culprit, however many requests it serves in one turn. */
const CULPRIT = 0.6

/** @typedef {import('../../types').BlockRecord} BlockRecord */
/**
 * @typedef {object} Evidence of one run
 * @property {BlockRecord[]} blocks in the agent's memory at the end: the latest
 * @property {BlockRecord[]} [early] in its memory early in the run
 * @property {Map<string, { ms: number, count: number }>} [totals] of all ended blocks of the main thread, by cause
 * @property {number | null} [sinceMs] Unix time at which the application listened: from then on blocks delay requests
 * @property {number} durationMs of the run, from then on
 * @property {number | null} utilization of the loop, 0 to 1 @property {number | null} p50Ms latency under load
 *
 * @typedef {{ place: string, name: string, file: string | null, line: number | null, exact: boolean,
 *   cause: import('../../tables/causes').Cause, blockedMs: number, count: number, longestMs: number,
 *   routes: string[] }} Site
 *
 * @typedef {object} Verdict
 * @property {'flame' | 'bubbleprof' | 'heapprofiler' | null} tool that shows more; null: there is nothing to show
 * @property {import('../../tables/causes').Cause | 'io' | null} cause of most blocked time; io: waiting for others;
 *   null: nothing is wrong
 * @property {number} [causeShare] of the blocked time that is due to it
 * @property {number} blockedMs @property {number} blockedShare @property {number} count of blocks
 * @property {number} known of them, whose records give the sites @property {number} knownMs
 * @property {Site[]} sites heaviest first
 */

/** What the agent saw, and which tool would show more. @param {Evidence} evidence @returns {Verdict} */
exports.judge = (evidence) => {
  const { durationMs, utilization, p50Ms } = evidence
  const { known, causes } = burden(evidence)
  const blockedMs = causes.reduce((total, { ms }) => total + ms, 0)
  const blockedShare = durationMs > 0 ? Math.min(1, blockedMs / durationMs) : 0
  const sites = grouped(known, siteKey).map(siteOf)
  const seen = {
    blockedMs,
    blockedShare,
    count: causes.reduce((total, { count }) => total + count, 0),
    known: known.length,
    knownMs: sum(known),
    sites: sites.slice(0, SITES)
  }
  if (blockedShare < BLOCKED_SHARE) {
    const waits = p50Ms !== null && p50Ms >= SLOW_MS && (utilization ?? 0) < BUSY
    return { ...seen, tool: waits ? 'bubbleprof' : null, cause: waits ? 'io' : null }
  }
  const [{ cause: heaviest, ms }] = causes
  const hasCulprit = sites.length > 0 && sites[0].file !== null && sites[0].blockedMs >= CULPRIT * seen.knownMs
  const cause = heaviest === 'many' && hasCulprit ? 'js' : heaviest
  return { ...seen, tool: causeRow(cause).tool, cause, causeShare: ms / blockedMs }
}

/**
 * Blocks that delay requests: the known ones, and all by cause, heaviest first. The agent's memory has only the latest.
 * Its counters have all, also those of start-up, which happens once. @param {Evidence} evidence
 */
function burden ({ blocks, early = [], totals = new Map(), sinceMs = null }) {
  const all = [...new Map([...early, ...blocks].map((block) => [block.id, block])).values()].filter(
    ({ threadId }) => threadId === 0
  )
  const isLasting = new Set(blocks.filter(({ ongoing }) => ongoing).map(({ id }) => id))
  // A block that still lasts at the end does not belong to start-up.
  const isBurden = (/** @type {BlockRecord} */ { id, startup, startedAt }) =>
    isLasting.has(id) || (sinceMs === null ? !startup : Date.parse(startedAt) >= sinceMs)
  const known = all.filter(isBurden)
  const apart = all.filter((block) => !isBurden(block))
  const causes = [...new Set([...totals.keys(), ...known.map(({ cause }) => cause)])].map((cause) => {
    const of = (/** @type {BlockRecord[]} */ list) => list.filter((block) => block.cause === cause)
    const lasting = of(known).filter(({ id }) => isLasting.has(id))
    const { ms, count } = totals.get(cause) ?? { ms: 0, count: 0 }
    // The counters lack the latest blocks until they settle, half a second after their end.
    return {
      cause: /** @type {import('../../tables/causes').Cause} */ (cause),
      ms: Math.max(sum(of(known)), ms - sum(of(apart)) + sum(lasting)),
      count: Math.max(of(known).length, count - of(apart).length + lasting.length)
    }
  })
  return { known, causes: causes.sort((a, b) => b.ms - a.ms) }
}

/** Heaviest first. @param {BlockRecord[]} blocks @param {(block: BlockRecord) => string} keyOf */
function grouped (blocks, keyOf) {
  /** @type {Map<string, BlockRecord[]>} */
  const groups = new Map()
  for (const block of blocks) groups.set(keyOf(block), [...groups.get(keyOf(block)) ?? [], block])
  return [...groups.values()].sort((a, b) => sum(b) - sum(a))
}

/** @param {BlockRecord} block */
function siteKey ({ frame, cause }) {
  return frame === null ? cause : `${frame.file}\n${frame.function}`
}

/** @param {BlockRecord[]} blocks @returns {Site} */
function siteOf (blocks) {
  // Uncertain lines do not outweigh certain ones.
  const certain = blocks.filter(({ frame }) => frame?.exact !== false)
  const [[{ frame }]] = grouped(certain.length > 0 ? certain : blocks, (block) => `${block.frame?.line}`)
  const [[{ cause }]] = grouped(blocks, (block) => block.cause)
  return {
    name: frame?.function ?? '(anonymous)',
    line: frame?.line ?? null,
    exact: frame?.exact !== false,
    place: frame === null ? '(outside application code, or not sampled)' : `${frame.exact === false ? '≈ ' : ''}${frame.function ?? '(anonymous)'} (${shortPath(frame.file)}:${frame.line})`,
    file: frame?.file ?? null,
    cause,
    blockedMs: sum(blocks),
    count: blocks.length,
    longestMs: Math.max(...blocks.map(({ durationMs }) => durationMs)),
    routes: [...new Set(blocks.flatMap((block) => workOf(block) ?? []))]
  }
}

/** @param {BlockRecord[]} blocks */
function sum (blocks) {
  return blocks.reduce((total, { durationMs }) => total + durationMs, 0)
}
