'use strict'

const { workerData } = require('node:worker_threads')
const { nowMs } = require('../../util/clock')
const { DONE, LINES, LOST } = require('./slots')

/** Entry of a writer's thread: synchronous calls, in order. One that hangs (a network disk) stops this thread only. */
const { kind, target, name, creates, history, slots, port } = workerData
let isFailing = false

/** @param {Error & { code?: string } | null} error */
function onState (error) {
  if (isFailing === (error !== null)) return
  isFailing = error !== null
  port.postMessage({ state: error && { message: error.message, code: error.code } })
}

/** @import { Versions } from './file-writer' */
/** Answers with what all processes have written. @param {Versions} versions */
function keepHistory (versions) {
  if (history === undefined) return
  const { exchange } = require('../../store/function-history')
  const onDamage = (/** @type {string} */ value) => port.postMessage({ on: 'onDamage', value })
  try {
    port.postMessage({ on: 'onHistory', value: exchange(history, versions, onDamage) })
  } catch {
    // The records report what is wrong with the disk.
  }
}

/** @typedef {{ id: string, text: string }} Timeline */
/**
 * @typedef {{ write: (line: string) => void, keepTimeline?: (timeline: Timeline) => void,
 * keepHistory?: (versions: Versions) => void, takeLost: () => number,
 * end: () => void }} Written
 */
/** @type {Record<string, () => Written>} */
const kinds = {
  records () {
    const { BlockFile } = require('../../store/block-file')
    const { takeUnended, QUIET_MS } = require('../../store/predecessors')
    const { LIVING_MS, TOUCH_MS } = require('../../store/retention')
    const file = new BlockFile({ dir: target, name, nowMs, onState })
    const look = () => {
      for (const record of takeUnended(target)) port.postMessage({ on: 'onUnended', value: record })
    }
    look()
    keepHistory([])
    // A file that was written just before this start stands still by then, if its process is gone.
    setTimeout(look, QUIET_MS + 500).unref()
    // By then a living process would have marked its file. Reading it counts as a mark.
    setTimeout(look, LIVING_MS + 2 * QUIET_MS).unref()
    setInterval(() => file.touch(), TOUCH_MS).unref()
    return {
      write: (line) => file.appendLine(line),
      keepTimeline: (timeline) => file.keepTimeline(timeline),
      keepHistory,
      takeLost: () => file.takeLost(),
      end: () => file.close()
    }
  },
  log () {
    const { LogDestination } = require('../../export/log/destination')
    return new LogDestination(target, onState, nowMs, creates)
  }
}

const written = kinds[kind]()

/** LOST is counted first, as the watchdog may be asleep until DONE changes. @param {number} units */
function done (units) {
  Atomics.add(slots, LOST, written.takeLost())
  Atomics.add(slots, DONE, units)
  Atomics.notify(slots, DONE)
}

/** @typedef {{ line?: string, timeline?: Timeline, versions?: Versions, units: number }} Task */

port.on('message', (/** @type {Task} */ { line, timeline, versions, units }) => {
  if (versions !== undefined) {
    written.keepHistory?.(versions)
  } else if (timeline !== undefined) {
    written.keepTimeline?.(timeline)
  } else if (line !== undefined) {
    written.write(line)
    Atomics.add(slots, LINES, 1)
  } else {
    written.end()
    port.close()
  }
  done(units)
})
done(1)
