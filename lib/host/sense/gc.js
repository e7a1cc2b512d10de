'use strict'

const { PerformanceObserver, constants } = require('node:perf_hooks')
const { fromTimelineMs } = require('../../util/clock')
const { warnOnce } = require('../warn-once')
const { GC_KINDS } = require('../../bridge/memory')

/** @import { Bridge } from '../../bridge/memory' */

/** V8's numbers of the kinds differ between versions of Node.js; ours do not. */
const KIND_NUMBERS = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, GC_KINDS.indexOf('minor')],
  [constants.NODE_PERFORMANCE_GC_MAJOR, GC_KINDS.indexOf('major')],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, GC_KINDS.indexOf('incremental')],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, GC_KINDS.indexOf('weakcb')]
])

/** Entries come in batches after a block, so all are read. @param {Bridge} bridge */
exports.startGcObserver = (bridge) => {
  try {
    return observe(bridge)
  } catch (error) {
    warnOnce('LOOPWATCH_WARN_GLOBALS', `loopwatch does not see pauses of the garbage collector: ${error?.message}`, 'gc')
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
