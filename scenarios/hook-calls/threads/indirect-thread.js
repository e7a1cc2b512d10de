'use strict'

// A worker thread that gets its calls from the main thread, by message.
const { parentPort, workerData } = require('node:worker_threads')
const { makeHook } = require('./hook')
const { threadId } = require('../../harness/measure/usage')

const { hook: options, hookFile } = workerData
const hook = hookFile === null ? makeHook(options) : require(hookFile).makeHook(options)

parentPort?.on('message', async ({ ticket, id }) => {
  try {
    parentPort?.postMessage({ ticket, answer: await hook(id) })
  } catch (error) {
    parentPort?.postMessage({ ticket, error: { code: error?.code ?? 'HOOK_THREW', message: String(error?.message ?? error) } })
  }
})
parentPort?.postMessage({ tid: threadId() })
