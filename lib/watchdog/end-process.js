'use strict'

const { askToAbort } = require('./loop/inspector')
const fs = require('node:fs')
const { openFile } = require('../util/files')
const { sentenceOf } = require('../util/sentence')

/**
 * @import { BlockRecord } from '../types'
 * @import { Health } from './health'
 */

/** Kubernetes shows what is in this file as the reason of a container's end, and only mounts it for that. */
const FILE = '/dev/termination-log'

/** Kubernetes reads at most this much of the file. */
const MOST_BYTES = 4096

const { O_APPEND, O_NONBLOCK, O_WRONLY } = fs.constants

/** A thread that answers at all has aborted within this time. */
const SIGNAL_AFTER_MS = 200
/** After SIGABRT a process has this long to end before it is killed. */
const KILL_AFTER_MS = 1000

/** The kernel ignores all signals to PID 1 of a container that come from within the container. */
const IS_INIT = process.pid === 1

/**
 * Ends the process by abort() on the stuck thread, which works as PID 1 too. If the thread is in a native call or may
 * not be inspected, signals follow. @param {BlockRecord} record
 */
exports.endProcess = (record) => {
  tellWhyItEnds(record)
  askToAbort()
  setTimeout(() => {
    process.kill(process.pid, 'SIGABRT')
    // A handler of SIGABRT would run on the loop that is stuck.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), KILL_AFTER_MS)
  }, SIGNAL_AFTER_MS)
}

/** Warns if a stuck process may not end. @param {boolean} mayInspect @param {Health['say']} say */
exports.warnOfInit = (mayInspect, say) => {
  if (!IS_INIT) return
  const when = mayInspect ? ' during a native call' : ''
  const message = `onStuck 'abort' cannot end this process${when}: it is PID 1, and the kernel ignores signals that ` +
    'PID 1 sends to itself. Use docker run --init, or tini as the entrypoint'
  say('warn', { event: 'pid_1' }, message)
}

/**
 * Writes why the process ends, if there is such a file. It is not made if it is missing, and what the application has
 * written stays. @param {BlockRecord} record @param {string} [file]
 */
const tellWhyItEnds = (record, file = FILE) => {
  if (process.platform !== 'linux') return
  try {
    const fd = openFile(file, O_WRONLY | O_APPEND | O_NONBLOCK)
    const text = Buffer.from(`loopwatch: ${sentenceOf(record)}\n`)
    fs.writeSync(fd, text.subarray(0, MOST_BYTES))
    fs.closeSync(fd)
  } catch {
    // There is none, or it may not be written.
  }
}
