'use strict'

const { readlinkSync } = require('node:fs')
const path = require('node:path')
const process = require('../../util/process')
const { BroadcastChannel } = require('node:worker_threads')
const { CHANNEL } = require('../../bridge/messages')

/** Name that Node.js gives to a worker thread without one. */
const NAMELESS = 'WorkerThread'

/** @param {string | undefined} name in Node.js @param {string} [script] of the worker thread */
exports.nameOf = (name, script) => {
  const ownName = name === undefined || name === NAMELESS ? '' : name.trim()
  return (ownName || path.basename(script ?? '') || NAMELESS).slice(0, 64)
}

/** This thread's id in the kernel; null except on Linux. */
exports.nativeId = () => {
  try {
    return Number(path.basename(readlinkSync('/proc/thread-self')))
  } catch {
    return null
  }
}

exports.script = () => process.argv[1]

/**
 * Posts to the watchdog, whatever other loops do. The channel is closed at once, as an open one would receive the
 * messages of every other thread. The message is delivered all the same. @param {object} message
 */
exports.broadcast = (message) => {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(message)
  channel.close()
}
