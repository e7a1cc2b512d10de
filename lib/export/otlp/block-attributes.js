'use strict'

const { causeOfPart } = require('../../tables/causes')
const { frameText } = require('../../util/place-text')
const { shownStacks } = require('../../util/shown-stacks')

/** @import { BlockRecord } from '../../types' */
/** @import { Plain } from './values' */

/** Frames of a stack: more than a person reads, far fewer than receivers accept. */
const FRAMES = 32

const PARTS = Object.fromEntries(Object.keys(causeOfPart).map((part) => [part, `${part}_ms`]))

const EVIDENCE = /** @type {const} */ ({
  cpuMs: 'cpu_ms',
  gcMs: 'gc_ms',
  runQueueMs: 'run_queue_ms',
  throttledMs: 'throttled_ms',
  stolenMs: 'stolen_ms',
  answerMs: 'answer_ms',
  nativeMs: 'native_ms',
  watchdogGapMs: 'watchdog_gap_ms',
  requests: 'requests'
})

const MEMORY = /** @type {const} */ ({
  heapUsedBytes: 'heap_used_bytes',
  heapFreedBytes: 'heap_freed_bytes',
  heapLimitBytes: 'heap_limit_bytes',
  rssBytes: 'rss_bytes',
  cgroupBytes: 'cgroup_bytes',
  cgroupLimitBytes: 'cgroup_limit_bytes',
  majorFaults: 'major_faults'
})

/** @typedef {Record<string, Plain | null | undefined>} Attributes */

/** Attributes under OpenTelemetry's names as far as there are any. @param {BlockRecord} record @returns {Attributes} */
exports.blockAttributes = (record) => {
  const { id, cause, frame, package: owner, profile, query, work, request, thread, threadId, allowed } = record
  const at = frame?.compiled ? null : frame
  return {
    'loopwatch.block.id': id,
    'loopwatch.block.cause': cause,
    'loopwatch.block.excused': record.excused || null,
    'loopwatch.block.duration_ms': record.durationMs,
    'loopwatch.block.uncertainty_ms': record.uncertaintyMs,
    'loopwatch.block.ongoing': record.ongoing || null,
    'loopwatch.block.startup': record.startup || null,
    'loopwatch.block.allowed': allowed,
    'code.function.name': frame?.function,
    'code.file.path': frame?.file,
    'code.line.number': at?.line,
    'code.column.number': at?.column,
    'loopwatch.code.exact': frame?.exact === false ? false : null,
    'loopwatch.code.call': profile?.call,
    'db.system.name': query && 'sqlite',
    'db.query.text': query?.text,
    'loopwatch.package.name': owner?.name,
    'loopwatch.package.version': owner?.version,
    ...named('parts', PARTS, record.parts ?? {}),
    ...evidenceOf(record),
    'loopwatch.evidence.slept_in': record.evidence.sleptIn?.text,
    'loopwatch.work.kind': work?.kind,
    'loopwatch.work.name': work?.name,
    'loopwatch.work.ended': work?.ended || null,
    'loopwatch.work.exact': (work ?? request)?.exact === false ? false : null,
    'http.request.method': request?.method,
    'http.route': request?.route,
    'thread.name': thread,
    'thread.id': threadId
  }
}

/** @param {BlockRecord} record @returns {Attributes} */
function evidenceOf ({ evidence }) {
  return {
    ...named('evidence', EVIDENCE, evidence),
    ...named('evidence', MEMORY, evidence.memory ?? {})
  }
}

/** @param {string} group @param {Record<string, string>} names by field @param {Record<string, any>} values */
const named = (group, names, values) =>
  Object.fromEntries(Object.entries(names).map(([field, name]) => [`loopwatch.${group}.${name}`, values[field]]))

/** Heaviest stack, innermost frame first. @param {BlockRecord} record */
exports.stackText = (record) =>
  shownStacks(record).stacks[0]?.frames.slice(0, FRAMES).map((frame) => `at ${frameText(frame)}`).join('\n')
