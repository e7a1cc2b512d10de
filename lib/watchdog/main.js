'use strict'

const { parentPort, workerData } = require('node:worker_threads')
const { followEpoch } = require('../util/clock')
const { CALL, SHOW, STOP, REPLY } = require('../bridge/messages')

/**
 * @import { Question } from './loop/sampler'
 * @import { Watchdog } from './watchdog'
 * @import { MessagePort } from 'node:worker_threads'
 */

/** The entry of the watchdog's thread: starts the watchdog and passes the host's messages to it. */
const port = /** @type {MessagePort} */ (parentPort)
followEpoch(workerData.epochMs)

/** Time between two steps of loading: the period in which control groups limit CPU time. */
const STEP_MS = 100

/** @type {Watchdog | undefined} */
let watchdog
/** @type {NodeJS.Timeout | undefined} */
let loading
/** Whether the process has an endpoint. */
let { isShown } = workerData

/** Watches until there is a watchdog. @type {{ leave: () => Question | null } | null} */
let outpost = null

/**
 * Its modules take 0.2 s of CPU time, which most processes under NODE_OPTIONS would pay for nothing.
 * @param {Question | null} [question] @param {boolean} [shows] opens the endpoint at once
 */
const begin = (question = outpost?.leave(), shows = isShown) => {
  const { Watchdog } = require('./watchdog')
  const data = { ...workerData, isShown: shows, question }
  return (watchdog ??= new Watchdog(data, (message) => port.postMessage(message)))
}

if (!workerData.isQuiet || workerData.isShown) begin()
else {
  outpost = require('./lookout').keepLookout(workerData, () => {
    outpost = require('./outpost').keepOutpost(workerData, begin)
  })
}

/**
 * Loads the watchdog step by step, unless something begins it meanwhile.
 * @param {(() => unknown)[]} steps that are left
 */
function load ([step, ...steps]) {
  if (watchdog !== undefined) return
  if (step === undefined) {
    begin(undefined, false)
    loading = setTimeout(() => begin().receive({ code: SHOW, isShown }), STEP_MS)
    return
  }
  step()
  loading = setTimeout(load, STEP_MS, steps)
}

port.on('message', async (message) => {
  const { code, id, method } = message
  if (code === STOP) {
    outpost?.leave()
    clearTimeout(loading)
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
  } else if (code === SHOW && watchdog === undefined && !message.isAwaited) {
    if (message.isShown && !isShown) load(require('./load-steps').stepsOf(workerData.options))
    isShown = message.isShown
  } else {
    if (code === SHOW) isShown = message.isShown
    begin().receive(message)
  }
})
