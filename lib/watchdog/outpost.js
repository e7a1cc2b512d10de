'use strict'

const { minBlockGapMs } = require('../bridge/beat')
const { openBridge } = require('../bridge/memory')
const { ScriptTimeouts } = require('./kernel/script-timeouts')
const { KernelFile, schedIn, TASKS } = require('../util/kernel/file')
const { isStartup } = require('./loop/detector')
const { askHost } = require('./loop/inspector')
const { Sampler } = require('./loop/sampler')
const { nowMs } = require('../util/clock')

/**
 * @import { Question } from './loop/sampler'
 * @import { WorkerData } from './watchdog'
 */

/** Loading modules takes up to a second. Only a start that takes longer needs a watchdog. */
const LONG_START_MS = 1000

/** A thread that has had this share of the threshold for itself without a beat is not just waiting for a CPU. */
const LEAST_OWN_SHARE = 0.25

/** The main thread's id is the process's. */
const openSched = () => new KernelFile(`${TASKS}/${process.pid}/schedstat`)

/**
 * Stands in for the watchdog in a process that may end at once, until the host sends a message: it only looks whether a
 * beat is overdue, asks the host then where it is, and begins the watchdog, which takes a tenth of a second to load. If
 * the host waits for a CPU it does not: that would take the CPU from it.
 * @param {Pick<WorkerData, 'memory' | 'options' | 'inspectorRefusal' | 'begunAtMs'>} data
 * @param {(question: Question | null) => void} begin
 * @param {Pick<KernelFile, 'read' | 'close'>} [sched] of the host's thread
 */
exports.keepOutpost = ({ memory, options, inspectorRefusal, begunAtMs }, begin, sched = openSched()) => {
  const bridge = openBridge(memory)
  const scripts = new ScriptTimeouts(() => bridge.beat.read().atMs, begunAtMs)
  const ask = () => inspectorRefusal === null && !scripts.mayEnd && askHost(false) === null
  const sampler = new Sampler({ channel: bridge.answer, ask })
  const longMs = Math.min(LONG_START_MS, options.stuck || Infinity)
  /** How long the host has waited for a CPU. */
  const waitedMs = () => schedIn(sched.read()).runQueueMs ?? 0
  let last = { dueAtMs: nowMs(), atMs: nowMs(), waitedMs: waitedMs() }
  /** From when on, at least, a late beat has been missing, and which. */
  let late = { beats: 0, atMs: 0, waitedMs: 0 }
  const look = () => {
    const beat = bridge.beat.read()
    const { beats } = beat
    const now = { atMs: nowMs(), waitedMs: waitedMs() }
    const lateMs = now.atMs - beat.atMs
    const gapMs = minBlockGapMs(options.threshold, beat.periodMs)
    const isLate = lateMs >= gapMs
    if (isLate && beats !== late.beats) {
      // A look that is late itself says nothing of the time before it: the process may have been stopped.
      const isPunctual = now.atMs - last.dueAtMs < options.threshold / 2
      late = { ...(isPunctual ? { ...last, atMs: Math.max(last.atMs, beat.atMs) } : now), beats }
      sampler.forget()
      sampler.hurry()
      sampler.askIfDue(now.atMs, lateMs)
    }
    const isStarting = isStartup(beats, beat) && lateMs < longMs
    const ownMs = now.atMs - late.atMs - (now.waitedMs - late.waitedMs)
    if (isLate && !isStarting && ownMs >= options.threshold * LEAST_OWN_SHARE) {
      // A process that exits now waits until its block is reported.
      bridge.counters.add('heard', 1)
      begin(leave())
      return
    }
    // The last beat is late then at the earliest. While the host starts, so is the next one.
    const dueInMs = isLate ? (isStarting ? gapMs : options.threshold / 2) : Math.ceil(gapMs - lateMs)
    // A period may be endless.
    const inMs = Math.min(dueInMs, longMs)
    last = { ...now, dueAtMs: now.atMs + inMs }
    timer = setTimeout(look, inMs)
  }
  let timer = setTimeout(look)
  const leave = () => {
    clearTimeout(timer)
    sched.close()
    return sampler.question
  }
  return { leave }
}
