'use strict'

// An application may put a browser's in place of its global one.
const process = require('node:process')
const { isMainThread } = require('node:worker_threads')
const { isPackageManager } = require('./package-manager')
const { isTestRunner } = require('./test-runner')

// Preloads run in every thread and, through NODE_OPTIONS, in every Node.js process below: not in
// worker threads (ours among them), not in npm and its like, nor in what starts tests. Nothing here
// may end the application.
if (isMainThread && !isPackageManager(process.argv[1]) && !isTestRunner(process.execArgv)) {
  try {
    require('./host/start').startPreloaded()
  } catch (error) {
    process.emitWarning(`loopwatch does not watch this process: ${error.message}`, {
      type: 'LoopwatchWarning', code: error.code
    })
  }
}
