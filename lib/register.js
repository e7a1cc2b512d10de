'use strict'

const process = require('./util/process')
const { isMainThread } = require('node:worker_threads')
const { nodeFlags } = require('./options/environment')
const { isPackageManager, isTestRunner } = require('./host/launchers')

// Preloads run in every thread (except the watchdog's) and, through NODE_OPTIONS, in every Node.js process below.
// Worker threads only beat; package managers and test runners get nothing. Nothing here may end the application.
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
    // The watchdog then sees this thread's loop only from outside.
  }
}
