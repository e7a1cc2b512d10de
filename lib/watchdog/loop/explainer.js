'use strict'

const { nowMs } = require('../../util/clock')
const { roundMs } = require('../../util/statistics')
const { RecentFailure } = require('../health')

/**
 * @import { Code, Facts } from '../../explain/record'
 * @import { BlockRecord } from '../../types'
 * @import { Health } from '../health'
 * @import { WorkerData } from '../watchdog'
 */

/** Makes records of facts. Faults of ours in it are reported and cost neither the block nor this thread. */
class Explainer {
  #health
  #failure = new RecentFailure()

  /**
   * @param {Pick<Health, 'set' | 'threw'>} health @param {Pick<WorkerData, 'options' | 'main'>} [data]
   * @param {Code['packageIn']} [packageIn]
   */
  constructor (health, data, packageIn = () => null) {
    this.#health = health
    this.history = data?.options.dir === undefined
      ? null
      : require('../../store/function-history').openHistory(data, packageIn)
  }

  /**
   * A second attempt does without the CPU profile, the least reliable evidence.
   * @param {Facts} facts @param {Code} code
   */
  explain (facts, code) {
    const now = nowMs()
    /** @type {any} */
    let failure
    for (const attempt of [facts, { ...facts, profile: undefined }]) {
      try {
        // Loaded by the first block, or by loadRest() of MainLoop: a fifth of this thread's modules.
        const { recordOf } = require('../../explain/record')
        const { record, workIds } = recordOf(attempt, code)
        const change = this.history?.changeOf(record)
        this.#health.set('explain', this.#failure.at(now))
        return { record: { ...record, ...(change && { change }) }, workIds }
      } catch (error) {
        failure = error
        this.#health.threw('explain', error)
      }
    }
    this.#failure.add(failure, now)
    this.#health.set('explain', failure)
    return { record: unexplained(facts), workIds: [] }
  }
}

/** The record of a block that cannot be explained: measurements alone. @param {Facts} facts */
const unexplained = ({ block, span, wallMs, samples }) => /** @type {BlockRecord} */ ({
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

exports.Explainer = Explainer
