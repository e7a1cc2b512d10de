'use strict'

const process = require('./util/process')
const { isMainThread } = require('node:worker_threads')
const { nodeFlags, variable } = require('./options/environment')
const { isTestRunner } = require('./host/launchers')

// Preloads run in every thread (except the watchdog's) and, through NODE_OPTIONS, in every Node.js process below.
// Worker threads only beat; test runners get nothing. Nothing here may end the application.
if (isMainThread && !isTestRunner(nodeFlags())) attempt(preload)

if (!isMainThread) {
  try {
    require('./host/threads/preload-beat').beatIfWanted()
  } catch {
    // The watchdog then sees this thread's loop only from outside.
  }
}

/** A tool has no agent, and does not load its modules, until it shows itself. */
function preload () {
  // Whom the operator has named shows itself at once.
  if (variable('LOOPWATCH_ONLY')) return require('./host/start').startPreloaded()
  const { Presence } = require('./host/presence')
  const presence = new Presence()
  const begin = presence.onChange = () => {
    attempt(() => require('./host/start').startPreloaded(presence))
    // Not so if there is no agent, or another one.
    if (presence.onChange === begin) presence.stop()
  }
  if (presence.isOwn || presence.isOn) begin()
}

/** @param {() => void} step */
function attempt (step) {
  try {
    step()
  } catch (error) {
    process.emitWarning(`loopwatch does not watch this process: ${error.message}`, {
      type: 'LoopwatchWarning', code: error.code
    })
  }
}
