'use strict'

// A worker thread that is called from Rust directly: it lives until the pool stops.
const { parentPort, workerData } = require('node:worker_threads')
const { loadAddon, registerHook } = require('../addon')
const { makeHook } = require('./hook')
const { threadId } = require('../../harness/measure/usage')

const { file, key, lane, hook, hookFile } = workerData
registerHook(loadAddon(file), key, hookFile === null ? makeHook(hook) : require(hookFile).makeHook(hook), lane)
parentPort?.postMessage({ tid: threadId() })
