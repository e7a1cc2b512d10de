'use strict'

const process = require('./util/process')
const { isMainThread } = require('node:worker_threads')
const { nodeFlags } = require('./options/environment')
const { isPackageManager, isTestRunner } = require('./host/launchers')

// Preloads run in every thread (never in the watchdog's) and, through NODE_OPTIONS, in every Node.js process below:
// worker threads only beat, npm and its like and what starts tests get nothing. Nothing here may end the application.
if (isMainThread && !isPackageManager(process.argv?.[1]) && !isTestRunner(nodeFlags())) {
  try {
    require('./host/start').startPreloaded()
  } catch (error) {
    process.emitWarning(`loopwatch does not watch this process: ${error.message}`, {
      type: 'LoopwatchWarning', code: error.code
    })
  }
}

if (!isMainThread) {
  try {
    require('./host/threads/preload-beat').beatIfWanted()
  } catch {
    // Its loop is then looked at from outside alone.
  }
}
