'use strict'

const { readlinkSync } = require('node:fs')
const path = require('node:path')
const process = require('../../util/process')
const { BroadcastChannel } = require('node:worker_threads')
const { CHANNEL } = require('../../bridge/messages')

/** What Node.js calls a worker thread that was given no name. */
const NAMELESS = 'WorkerThread'
const NAME_CHARS = 64

/** @param {string | undefined} name as Node.js has it @param {string} [script] of the thread */
exports.nameOf = (name, script) => {
  const given = name === undefined || name === NAMELESS ? '' : name.trim()
  return (given || path.basename(script ?? '') || NAMELESS).slice(0, NAME_CHARS)
}

/** This thread's id in the kernel, null elsewhere than on Linux. */
exports.nativeId = () => {
  try {
    return Number(path.basename(readlinkSync('/proc/thread-self')))
  } catch {
    return null
  }
}

/** This worker thread's script. */
exports.script = () => process.argv[1]

/**
 * Tells the watchdog. The channel is closed at once: an open one would be told of every other thread,
 * and a message that is posted is delivered all the same. It needs no other thread's loop.
 * @param {object} message
 */
exports.tell = (message) => {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(message)
  channel.close()
}
