'use strict'

const { isMainThread } = require('node:worker_threads')
const { isPackageManager } = require('./package-manager')

// Preloads run in every thread and, through NODE_OPTIONS, in every Node.js process below: not in
// worker threads (ours among them), not in npm and its like. Nothing here may end the application.
if (isMainThread && !isPackageManager(process.argv[1])) {
  try {
    require('./host/start').start()
  } catch (error) {
    process.emitWarning(`loopwatch does not watch this process: ${error.message}`, {
      type: 'LoopwatchWarning', code: error.code
    })
  }
}
