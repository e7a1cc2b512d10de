'use strict'

/** @typedef {import('../../lib/types').BlockRecord} BlockRecord */
/** @typedef {import('../../lib/types').RequestRecord} RequestRecord */

/** A version of a package that is known for a slow input. */
exports.LINKIFY_ISSUE = {
  package: 'linkify-it',
  version: '5.0.1',
  id: 'CVE-2026-59887',
  link: 'https://github.com/advisories/GHSA-v245-v573-v5vm',
  text: 'A text with many "mailto:" takes quadratic time.',
  fixed: '5.0.2'
}

/** What a heap profile shows of a cache that grows, and of pages that are rendered. */
exports.HEAP_PROFILE = {
  block: '4242-1',
  isHeapFull: true,
  keptBy: [{ function: 'addSession', file: '/srv/shop/cache.js', line: 12, column: 20, share: 0.714 }],
  allocatedBy: [
    { function: 'toPage', file: '/srv/shop/pages.js', line: 18, column: 16, share: 0.64 },
    { function: 'addSession', file: '/srv/shop/cache.js', line: 12, column: 20, share: 0.118 }
  ]
}

/** A function that did not block in earlier versions. */
exports.NEW = {
  kind: /** @type {const} */ ('new'),
  exact: true,
  text: 'new since version 1.8.2',
  version: '1.8.2',
  since: '2026-11-21T09:58:00.000Z'
}

/**
 * A block as it is stored, served and logged.
 * @param {Partial<Omit<BlockRecord, 'request'>> & { request?: Partial<RequestRecord> | null }} [differences]
 * @returns {BlockRecord}
 */
exports.makeRecord = (differences = {}) =>
  /** @type {BlockRecord} */ ({
    id: '4242-1',
    pid: 4242,
    thread: 'main',
    threadId: 0,
    worker: null,
    startedAt: '2026-11-21T10:00:00.123Z',
    durationMs: 312.4,
    uncertaintyMs: 10,
    thresholdMs: 50,
    ongoing: false,
    startup: false,
    cause: 'js',
    evidence: {
      cpuMs: 309,
      gcMs: 0,
      runQueueMs: 1,
      throttledMs: 0,
      stolenMs: 0,
      answerMs: 0.6,
      nativeMs: 0,
      watchdogGapMs: 0,
      requests: 1
    },
    frame: { function: 'report', file: '/srv/app/report.js', line: 41, column: 13, exact: true },
    leaf: { function: 'test', file: null, line: null, column: null },
    samples: 13,
    stacks: [
      {
        count: 13,
        weightMs: 312.4,
        frames: [
          { function: 'test', file: null, line: null, column: null },
          { function: 'report', file: '/srv/app/report.js', line: 41, column: 13 }
        ]
      }
    ],
    request: { method: 'GET', route: '/report/:id', startedAt: '2026-11-21T10:00:00.100Z' },
    origin: null,
    ...differences
  })
