'use strict'

const { parentPort, workerData } = require('node:worker_threads')
const { followEpoch } = require('../util/clock')
const { CALL, STOP, REPLY } = require('../bridge/messages')

/**
 * @import { Question } from './loop/sampler'
 * @import { Watchdog } from './watchdog'
 * @import { MessagePort } from 'node:worker_threads'
 */

/** The entry of the watchdog's thread: starts the watchdog and passes the host's messages to it. */
const port = /** @type {MessagePort} */ (parentPort)
followEpoch(workerData.epochMs)

/** @type {Watchdog | undefined} */
let watchdog

/**
 * Its modules take 0.2 s of CPU time, which most processes under NODE_OPTIONS would pay for nothing.
 * @param {Question | null} [question]
 */
const begin = (question = outpost?.leave()) => {
  const { Watchdog } = require('./watchdog')
  return (watchdog ??= new Watchdog({ ...workerData, question }, (message) => port.postMessage(message)))
}

const outpost = workerData.isQuiet && !workerData.isShown ? require('./outpost').keepOutpost(workerData, begin) : null
if (outpost === null) begin()

port.on('message', async (message) => {
  const { code, id, method } = message
  if (code === STOP) {
    outpost?.leave()
    try {
      await watchdog?.stop()
    } finally {
      // Whatever failed, this thread ends.
      port.close()
    }
  } else if (code === CALL) {
    // A question that cannot be answered must not end the watchdog: the host has a fallback.
    const value = await begin().answer(method).catch(() => undefined)
    port.postMessage({ code: REPLY, id, value })
  } else {
    begin().receive(message)
  }
})
