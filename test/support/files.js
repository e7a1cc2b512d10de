'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

/** Those in which a process was still writing at the end of its test. @type {Set<string>} */
const left = new Set()
process.once('exit', () => left.forEach(remove))

/** A folder of its own for a test, removed with it. @param {{ after: (fn: () => unknown) => void }} t */
exports.makeDir = (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-test-'))
  t.after(() => remove(dir))
  return dir
}

/** Never throws: what ends the test's processes may come after it. @param {string} dir */
function remove (dir) {
  try {
    fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    left.delete(dir)
  } catch {
    left.add(dir)
  }
}

/** How many files this process holds open (Linux). */
exports.openFiles = () => fs.readdirSync('/proc/self/fd').length
