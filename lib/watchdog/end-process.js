'use strict'

const { askToAbort } = require('./loop/inspector')
const { tellWhyItEnds } = require('./termination-log')

/** A thread that answers at all has aborted within this time. */
const SIGNAL_AFTER_MS = 200
/** After SIGABRT a process has this long to end before it is killed. */
const KILL_AFTER_MS = 1000

/** The kernel ignores all signals to PID 1 of a container that come from within the container. */
const IS_INIT = process.pid === 1

/**
 * Ends the process by abort() on the stuck thread, which works as PID 1 too. If the thread is in a native call or may
 * not be inspected, signals follow. @param {import('../types').BlockRecord} record
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

/** Warns if a stuck process may not end. @param {boolean} mayInspect @param {import('./health').Health['say']} say */
exports.warnOfInit = (mayInspect, say) => {
  if (!IS_INIT) return
  const when = mayInspect ? 'is stuck in a native call' : 'is stuck, as the inspector may not be used'
  const message = `this process is PID 1, which ignores signals from within: onStuck 'abort' cannot end it while it ${when}. ` +
    'Start the container with --init'
  say('warn', { event: 'pid_1' }, message)
}
