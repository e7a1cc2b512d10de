'use strict'

/** process.abort() is not for worker threads; the signal's default action is the same. */
exports.abortProcess = () => {
  process.kill(process.pid, 'SIGABRT')
  // An application that handles SIGABRT would do so on the loop that is stuck.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000)
}
