'use strict'

const { roundMs } = require('../../util/statistics')

/**
 * @import { Facts } from '../../explain/record'
 * @import { BlockRecord } from '../../types'
 */

/** The record of a block that our own fault keeps from being explained: measurements alone. @param {Facts} facts */
exports.unexplained = ({ block, span, wallMs, samples }) => /** @type {BlockRecord} */ ({
  ...block,
  worker: null,
  startedAt: new Date(wallMs + span.startMs).toISOString(),
  durationMs: roundMs(span.durationMs),
  uncertaintyMs: roundMs(span.uncertaintyMs),
  ongoing: span.ongoing,
  cause: 'unknown',
  evidence: {
    cpuMs: null,
    gcMs: 0,
    runQueueMs: null,
    throttledMs: null,
    stolenMs: null,
    answerMs: null,
    nativeMs: 0,
    watchdogGapMs: 0,
    requests: 0,
    debugger: false,
    ownMs: 0
  },
  frame: null,
  leaf: null,
  samples,
  stacks: [],
  work: null,
  request: null,
  origin: null,
  profile: null,
  allowed: null
})
