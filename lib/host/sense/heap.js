'use strict'

const v8 = require('node:v8')
const { PerformanceObserver, constants } = require('node:perf_hooks')
const { allFlags } = require('../../options/environment')
const process = require('../../util/process')
const { fromTimelineMs } = require('../../util/clock')
const { warnOnce } = require('../warn-once')
const { GC_KINDS } = require('../../bridge/memory')
const { BYTES_PER_MB } = require('../../util/units')

/** @import { HeapSlots, Bridge } from '../../bridge/memory' */

/** Number of semi-spaces for young objects, which V8 includes in its limit. */
const SEMI_SPACES = 3
/**
 * Limits of a semi-space without a flag, from a major version on (20.20 to 26.10): `mb`, and the old space divided by
 * `part`. V8 sizes the old space by the memory of the machine or container.
 */
const SIZES = [{ from: 26, mb: 32, part: 64 }, { from: 24, mb: 64, part: 32 }, { from: 0, mb: 16, part: 128 }]

/** The probe calls this at any moment, so it is bound at load. */
const { getHeapStatistics } = v8
const oldMb = flaggedMb('old')
const semiMb = flaggedMb('semi')
const sizes = SIZES.find(({ from }) => Number.parseInt(process.versions.node, 10) >= from) ?? SIZES[0]

/** @param {'old' | 'semi'} space @returns {number | undefined} the value of `--max-old-space-size` or its like */
function flaggedMb (space) {
  const flag = new RegExp(`(?:^|[^a-z-])--max-${space}-space-size[= ]([0-9]+)`, 'g')
  const [, mb] = [...allFlags().matchAll(flag)].pop() ?? []
  return mb === undefined ? undefined : Number(mb)
}

/** @param {number} limitBytes of V8, including young objects */
function oldBytes (limitBytes) {
  if (oldMb) return oldMb * BYTES_PER_MB
  const mostBytes = SEMI_SPACES * (semiMb ?? sizes.mb) * BYTES_PER_MB
  const partBytes = semiMb === undefined ? limitBytes * SEMI_SPACES / (sizes.part + SEMI_SPACES) : Infinity
  return Math.max(limitBytes - Math.min(mostBytes, partBytes), 0)
}

/**
 * The heap, read in 0.4 to 0.7 us. The limit is that of `--max-old-space-size`. V8's own includes 48 to 192 MB for
 * young objects, which older ones cannot use.
 */
function heapOf () {
  const stats = /** @type {v8.HeapInfo & { total_allocated_bytes?: number }} */ (getHeapStatistics())
  return {
    usedBytes: stats.used_heap_size,
    limitBytes: oldBytes(stats.heap_size_limit),
    externalBytes: stats.external_memory,
    allocatedBytes: stats.total_allocated_bytes ?? null
  }
}

/** @param {HeapSlots} slots */
exports.writeHeap = (slots) => slots.write(heapOf())

/** V8's numbers of the kinds differ between versions of Node.js; ours do not. */
const KIND_NUMBERS = new Map(GC_KINDS.map((kind, number) => {
  const name = /** @type {keyof typeof constants} */ (`NODE_PERFORMANCE_GC_${kind.toUpperCase()}`)
  return [constants[name], number]
}))

/** Entries come in batches after a block, so all are read. @param {Bridge} bridge */
exports.startGcObserver = (bridge) => {
  try {
    return observe(bridge)
  } catch (error) {
    warnOnce('LOOPWATCH_WARN_GLOBALS',
      `loopwatch does not see pauses of the garbage collector: ${error?.message}`, 'gc')
    return { stop: () => {} }
  }
}

/** @param {Pick<Bridge, 'gcPauses'>} bridge */
function observe ({ gcPauses }) {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = /** @type {{ detail?: { kind?: number } }} */ (/** @type {unknown} */ (entry))
      gcPauses.push(fromTimelineMs(entry.startTime), entry.duration, KIND_NUMBERS.get(detail?.kind ?? -1) ?? -1)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return { stop: () => observer.disconnect() }
}

exports.heapOf = heapOf
