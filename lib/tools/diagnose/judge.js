'use strict'

/** Less than this share of the time blocked is not what makes requests slow. */
const BLOCKED_SHARE = 0.02
/** With this much to spare the loop is not what requests wait for, */
const BUSY = 0.7
/** if they are slow at all. */
const SLOW_MS = 50
const SITES = 10
/** One function with this share of the blocked time is the culprit, however many requests it runs for in one turn. */
const CULPRIT = 0.6

/**
 * @typedef {import('../../store/record').BlockRecord} BlockRecord
 *
 * @typedef {object} Evidence of one run
 * @property {BlockRecord[]} blocks
 * @property {number} durationMs of the run
 * @property {number | null} utilization of the loop, 0 to 1
 * @property {number | null} p50Ms latency under load
 *
 * @typedef {{ place: string, file: string | null, cause: import('../../causes').Cause, blockedMs: number, count: number, longestMs: number, routes: string[] }} Site
 *
 * @typedef {object} Verdict
 * @property {'flame' | 'bubbleprof' | 'heapprofiler' | null} tool that shows more; null = there is nothing to show
 * @property {import('../../causes').Cause | 'io' | null} cause what most of the blocked time is due to; io = waiting for others; null = nothing is wrong
 * @property {number} blockedMs
 * @property {number} blockedShare
 * @property {Site[]} sites heaviest first
 */

/** @type {Record<import('../../causes').Cause, Verdict['tool']>} */
const tools = { js: 'flame', native: 'flame', many: 'flame', gc: 'heapprofiler', 'sync-io': 'flame', starved: null, suspended: null, unknown: 'flame' }

/**
 * What a run under the agent says, and which tool would say more.
 * @param {Evidence} evidence
 * @returns {Verdict}
 */
exports.judge = ({ blocks, durationMs, utilization, p50Ms }) => {
  // What happens once, at start-up, is no burden on requests.
  const counted = blocks.filter(({ startup, threadId }) => !startup && threadId === 0)
  const blockedMs = sum(counted)
  const blockedShare = durationMs > 0 ? blockedMs / durationMs : 0
  const sites = grouped(counted, siteKey).map(siteOf)
  const seen = { blockedMs, blockedShare, sites: sites.slice(0, SITES) }
  if (blockedShare < BLOCKED_SHARE) {
    const waits = p50Ms !== null && p50Ms >= SLOW_MS && (utilization ?? 0) < BUSY
    return { ...seen, tool: waits ? 'bubbleprof' : null, cause: waits ? 'io' : null }
  }
  const [heaviest] = grouped(counted, ({ cause }) => cause)
  const [{ blockedMs: siteMs, file }] = sites
  const cause = heaviest[0].cause === 'many' && file !== null && siteMs >= CULPRIT * blockedMs ? 'js' : heaviest[0].cause
  return { ...seen, tool: tools[cause], cause }
}

/** @param {BlockRecord[]} blocks @param {(block: BlockRecord) => string} keyOf @returns {BlockRecord[][]} heaviest first */
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
  const [{ frame }] = blocks
  const [[{ cause }]] = grouped(blocks, (block) => block.cause)
  return {
    place: frame === null ? '(outside application code, or not sampled)' : `${frame.function ?? '(anonymous)'} (${frame.file?.split(/[\\/]/).pop()}:${frame.line})`,
    file: frame?.file ?? null,
    cause,
    blockedMs: sum(blocks),
    count: blocks.length,
    longestMs: Math.max(...blocks.map(({ durationMs }) => durationMs)),
    routes: [...new Set(blocks.flatMap(({ request }) => request === null ? [] : [`${request.method} ${request.route}`]))]
  }
}

/** @param {BlockRecord[]} blocks */
function sum (blocks) {
  return blocks.reduce((total, { durationMs }) => total + durationMs, 0)
}
