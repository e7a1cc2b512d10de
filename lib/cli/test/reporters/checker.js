'use strict'

const process = require('../../../util/process')
const { startOwn } = require('../../../host/start')
const { resolveOptions } = require('../../../options/table')
const { codedErrorFrom } = require('../../../tables/errors')
const { startMeter, wallMs } = require('../inside/loop-meter')
const { published, TEST_OPTIONS, WATCHED_MS } = require('../inside/recorder')
const { isFailing, offencesOf } = require('../offences')
const { compare, readRatchet } = require('../ratchet')
const { newRun } = require('../runs')
const { judgeAll } = require('../verdict')

/**
 * @import { Agent } from '../../../host/agent'
 * @import { LoopwatchError } from '../../../tables/errors'
 * @import { BlockRecord } from '../../../types'
 * @import { Stretch } from '../inside/loop-meter'
 * @import { Interval, ProcessRun } from '../runs'
 */

const RATCHET = 'loopwatch.json'

/** @param {BlockRecord} record @returns {number} wall time */
const endOf = ({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs

/** A verdict on each test that its runner can turn into a failure. */
class Checker {
  #agent
  #overMs
  #ratchet = readRatchet(RATCHET)
  #meter
  /** @type {Stretch[]} of the running tests */
  #stretches = []
  /** @type {BlockRecord[]} their final records: the agent itself keeps only the latest */
  #settled = []
  #startMs = wallMs()
  #isBegun = false

  /** @param {Agent} agent @param {number} overMs */
  constructor (agent, overMs) {
    this.#agent = agent
    this.#overMs = overMs
    this.#meter = startMeter(overMs, () => agent.heldCpuMs, (stretch) => this.#stretches.push(stretch))
    agent.on('block', (record) => { this.#settled.push(record) })
  }

  /**
   * The first test sleeps until blocks are seen. The loop does not turn meanwhile: some tests rely on that.
   * @param {string | null} name @param {string | null} [file] @returns {Interval}
   */
  begin (name, file = null) {
    if (!this.#isBegun) this.#agent.sleepUntilWatched(WATCHED_MS)
    this.#isBegun = true
    this.#mark()
    return { name, file, startMs: wallMs(), endMs: Infinity }
  }

  #mark () {
    this.#agent.turn()
    this.#meter?.mark()
  }

  /**
   * The verdict, which rejects for a test that blocked. Undefined if the thread's exact count has nothing above the
   * limit: most tests need not wait for the watchdog.
   * @param {Interval} test from begin()
   */
  end (test) {
    this.#mark()
    this.#stretches = this.#stretches.filter(({ endMs }) => endMs >= test.startMs)
    this.#settled = this.#settled.filter((record) => endOf(record) >= test.startMs)
    if (this.#meter !== null && this.#stretches.length === 0) return
    test.endMs = wallMs()
    return this.#judge(test)
  }

  /** @param {Interval} test @throws {LoopwatchError} LOOPWATCH_ERR_BLOCKED with the record as `cause` */
  async #judge (test) {
    await this.#agent.settle()
    const latest = await this.#agent.blocks()
    const records = new Map([...latest, ...this.#settled].map((record) => [record.id, record]))
    const limits = { overMs: this.#overMs, all: false, hasCpuTimes: this.#meter !== null, cwd: process.cwd() }
    const within = [...records.values()].filter((record) => endOf(record) >= test.startMs)
    const [offence] = offencesOf(judgeAll(within, [this.#runOf(test)], limits), limits.cwd).filter((each) => {
      compare([each], this.#ratchet)
      return isFailing(each)
    })
    if (offence === undefined) return
    const { longestMs: durationMs, cause, records: [record] } = offence
    throw codedErrorFrom(record, 'LOOPWATCH_ERR_BLOCKED', { durationMs, cause, frame: record.frame }, this.#overMs)
  }

  /** @param {Interval} test @returns {ProcessRun} as far as the test goes */
  #runOf (test) {
    const { pid, argv, execArgv } = process
    const program = { pid, argv, execArgv, cwd: process.cwd(), isNodeTest: false, startMs: this.#startMs }
    const run = newRun({ ...program, isMetered: this.#meter !== null })
    return { ...run, isWatched: true, stretches: this.#stretches, tests: [test] }
  }
}

/** Null in a worker thread and under `loopwatch test`, which judges itself. The limit is LOOPWATCH_THRESHOLD. */
exports.startChecker = () => {
  if (published() !== undefined) return null
  const { threshold } = resolveOptions({}, process.env)
  const agent = startOwn(TEST_OPTIONS)
  return 'heldCpuMs' in agent ? new Checker(agent, threshold) : null
}

exports.Checker = Checker
