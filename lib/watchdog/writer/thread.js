'use strict'

const { workerData } = require('node:worker_threads')
const { nowMs } = require('../../util/clock')
const { DONE, LINES, LOST } = require('./slots')

/** Entry of a writer's thread: synchronous calls, in order. One that hangs (a network disk) stops this thread only. */
const { kind, target, name, creates, slots, port } = workerData
let isFailing = false

/** @param {Error & { code?: string } | null} error */
function onState (error) {
  if (isFailing === (error !== null)) return
  isFailing = error !== null
  port.postMessage({ state: error && { message: error.message, code: error.code } })
}

/** @typedef {{ id: string, text: string }} Timeline */
/**
 * @typedef {{ write: (line: string) => void, keepTimeline?: (timeline: Timeline) => void, takeLost: () => number,
 * end: () => void }} Written
 */
/** @type {Record<string, () => Written>} */
const kinds = {
  records () {
    const { BlockFile } = require('../../store/block-file')
    const { takeUnended, QUIET_MS } = require('../../store/predecessors')
    const { TOUCH_MS } = require('../../store/retention')
    const file = new BlockFile({ dir: target, name, nowMs, onState })
    const look = () => {
      for (const record of takeUnended(target)) port.postMessage({ unended: record })
    }
    look()
    // A file that was written just before this start stands still by then, if its process is gone.
    setTimeout(look, QUIET_MS + 500).unref()
    setInterval(() => file.touch(), TOUCH_MS).unref()
    return {
      write: (line) => file.appendLine(line),
      keepTimeline: (timeline) => file.keepTimeline(timeline),
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

port.on('message', (/** @type {{ line?: string, timeline?: Timeline, units: number }} */ { line, timeline, units }) => {
  if (timeline !== undefined) {
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
