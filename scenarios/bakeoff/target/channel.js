'use strict'

const fs = require('node:fs')

const STDOUT = 1

/**
 * What the target tells the cell that drives it: one line of JSON, written at once, by any of its threads.
 * @param {'ready' | 'began' | 'ended' | 'report' | 'pause'} what
 * @param {Record<string, unknown>} fields
 */
exports.tell = (what, fields) => { fs.writeSync(STDOUT, `${JSON.stringify({ bakeoff: what, ...fields })}\n`) }

/**
 * A block between two lines that say when it was.
 * @param {string} name @param {() => unknown} block
 */
exports.measured = async (name, block) => {
  exports.tell('began', { name, atMs: Date.now() })
  await block()
  exports.tell('ended', { name, atMs: Date.now() })
}
