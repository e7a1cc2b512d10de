'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { THREAD_STARTED, THREAD_ENDED } = require('../bridge/messages')

const CHANNEL = 'worker_threads'

/**
 * Tells the watchdog of every worker thread this thread starts and sees end. The channel speaks from
 * within `new Worker()`, so the message is on its way even where the loop is blocked right after.
 * @param {(message: object) => void} post to the watchdog
 * @returns {{ stop: () => void }}
 */
exports.startWorkerList = (post) => {
  /** @param {any} message */
  const onWorker = ({ worker }) => {
    // The id is -1 once the thread has ended.
    const { threadId } = worker
    post({ code: THREAD_STARTED, threadId })
    worker.once('exit', () => post({ code: THREAD_ENDED, threadId }))
  }
  diagnosticsChannel.subscribe(CHANNEL, onWorker)
  return { stop: () => { diagnosticsChannel.unsubscribe(CHANNEL, onWorker) } }
}

/** Stands in where worker threads are not watched. */
exports.noWorkerList = { stop: () => {} }
