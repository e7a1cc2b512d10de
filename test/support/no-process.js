'use strict'

// Loaded into the tests of test/unit: a process that one of them starts is an error, which says where it belongs.
const { ChildProcess } = require('node:child_process')

/** @type {any} */
const prototype = ChildProcess.prototype

// The runner, which starts a process for each file, loads this as well.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  prototype.spawn = function spawn (/** @type {any} */ { file }) {
    throw new Error(`a test in test/unit started ${file}: a test that starts a process belongs into test/agent, tools, scenarios or release`)
  }
}
