'use strict'

const fs = require('node:fs')

const STDOUT = 1

/**
 * A message from the target to its cell: one line of JSON, written synchronously, by any thread of the target.
 * @param {'ready' | 'held' | 'began' | 'ended' | 'report' | 'pause'} what
 * @param {Record<string, unknown>} fields
 */
exports.tell = (what, fields) => { fs.writeSync(STDOUT, `${JSON.stringify({ bakeoff: what, ...fields })}\n`) }

/** @param {'held' | 'began' | 'ended'} what @param {string} name of the case */
exports.moment = (what, name) => exports.tell(what, { name, atMs: Date.now() })

/**
 * A block between two lines that say when it was.
 * @param {string} name @param {() => unknown} block
 */
exports.measured = async (name, block) => {
  exports.moment('began', name)
  await block()
  exports.moment('ended', name)
}
