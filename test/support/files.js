'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

/** A folder of its own for a test, removed with it. @param {{ after: (fn: () => unknown) => void }} t */
exports.makeDir = (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-test-'))
  // What the test has started may still write there for a moment.
  t.after(() => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  return dir
}

/** How many files this process holds open (Linux). */
exports.openFiles = () => fs.readdirSync('/proc/self/fd').length
